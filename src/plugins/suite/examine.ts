/** One compaction, held against everything that an engine promises of each. */
import { applyCompaction, type Compaction, type Evicted } from "../../core/compaction/compaction.ts";
import { holdPlaces } from "../../core/compaction/shape.ts";
import { liveRequestOf } from "../../core/events/live-request.ts";
import {
  contentText,
  type Transcript,
  type ContentPart,
  type Message,
  type Part,
} from "../../core/transcript/message.ts";
import { violationsOf } from "../../core/transcript/oracle.ts";
import type { CompactRequest, Engine, Outcome } from "../../core/engines/contract.ts";
import { demand, demandAs, demandOutcome, isPlain, printMessage, printOfAll, joinReadable } from "./fault.ts";
import { recallId, type Hash } from "../../core/transcript/links.ts";

/** Compacts, and throws an `EngineFault` at the first promise that the outcome breaks. */
export async function examine(
  engine: Engine,
  { state, transcript }: { readonly state: unknown; readonly transcript: Transcript },
  request: CompactRequest,
): Promise<Outcome> {
  const before = printOfAll(transcript);
  const outcome: unknown = await engine.compact(state, transcript, request);
  demand(printOfAll(transcript) === before, "undo", () => "the client's own transcript was changed");
  judge(outcome, transcript, request);
  return outcome;
}

/** Throws an `EngineFault` at the first promise that an outcome breaks. */
export function judge(outcome: unknown, transcript: Transcript, request: CompactRequest): asserts outcome is Outcome {
  demandOutcome(outcome);
  if (outcome.kind === "unchanged") demandReason(outcome, transcript, request);
  else demandCompaction(transcript, outcome.compaction, request);
}

function demandReason(
  outcome: Extract<Outcome, { kind: "unchanged" }>,
  transcript: Transcript,
  request: CompactRequest,
): void {
  const { budget, measure, standing = transcript } = request;
  const tokens = measure.transcript(standing);
  demand(outcome.because.trim() !== "", "progress", () => "nothing was changed, and no reason is given");
  demand(isPlain(outcome.state), "state", () => "the state after an attempt is not plain data");
  demand(
    budget === undefined || tokens <= budget || outcome.irreducible !== undefined,
    "progress",
    () => `the result has ${tokens} tokens, more than the ${budget} requested, and is not reported as irreducible`,
  );
  const { limit = -1 } = outcome.irreducible ?? {};
  demand(tokens > limit, "honest", () => `irreducible to ${limit} tokens, though there are ${tokens}`);
}

function demandCompaction(original: Transcript, compaction: Compaction, request: CompactRequest): void {
  demandPlace(original, compaction, request);
  const result = applyCompaction(original, compaction);
  const [violation] = violationsOf(result);
  demand(violation === undefined, "valid", () => `${violation?.code} at ${violation?.message}: ${violation?.text}`);
  demandFigures(original, compaction, request);
  demandLiveRequest(original, result);
  demandRecall(original, compaction, request.chain.hash);
  demand(
    isPlain(compaction.state),
    "state",
    () => "the state is not plain data: it would not come back from the store",
  );
}

/** The record says truly where it is and where each message went. */
function demandPlace({ messages }: Transcript, compaction: Compaction, { chain }: CompactRequest): void {
  const { covered, covers, map, after } = compaction;
  demandAs("place", () => holdPlaces(compaction, messages.length, "the compaction"));
  demand(covers === chain.linksOf(messages)[covered - 1], "place", () => "covers a different prefix than it reports");
  map.forEach((destination, at) => {
    if (destination.kind !== "kept") return;
    const [there, here] = [after[destination.at]!, messages[at]!];
    demand(
      there === here || printMessage(there) === printMessage(here),
      "place",
      () => `message ${at} is not kept unchanged`,
    );
  });
}

function demandFigures(original: Transcript, { report, ...rest }: Compaction, request: CompactRequest): void {
  const { measure, standing = original, budget } = request;
  const { before, after } = report.tokens;
  const result = applyCompaction(original, { report, ...rest });
  const [was, is] = [measure.transcript(standing), measure.transcript(result)];
  demand(before === was, "honest", () => `reports ${before} tokens before, there were ${was}`);
  demand(after === is, "honest", () => `reports ${after} tokens after, there are ${is}`);
  demand(report.messages.after === result.messages.length, "honest", () => "reports another number of messages");
  demand(is < was, "progress", () => `${was} tokens became ${is}`);
  demand(
    budget === undefined || is <= budget || report.irreducible !== undefined,
    "progress",
    () => `the result has ${is} tokens, more than the ${budget} requested, and is not reported as irreducible`,
  );
}

/** What a person asked for last is there in their own words, as a user's message, and no oftener than they said it. */
function demandLiveRequest(original: Transcript, result: Transcript): void {
  const live = original.messages[liveRequestOf(original.messages)];
  if (live === undefined) return;
  const text = contentText(live.parts);
  const occurrences = ({ messages }: Transcript): number =>
    messages.filter(({ role, origin, parts }) => role === "user" && origin !== "summary" && contentText(parts) === text)
      .length;
  const [said, stands] = [occurrences(original), occurrences(result)];
  demand(stands > 0, "live-request", () => "the result does not contain the live request word for word");
  demand(
    stands <= said,
    "live-request",
    () => `the result contains the live request ${stands} times, the transcript ${said} times`,
  );
}

export function demandRecall(original: Transcript, compaction: Compaction, hash: Hash): void {
  const { messages } = original;
  for (const one of compaction.evicted) demandResolvable(one, hash);
  demandRemoved(original, compaction);
  // What a broken transcript loses to its repair has no place in the result where an id could are.
  if (violationsOf(original).length > 0) return;
  const text = joinReadable(applyCompaction(original, compaction).messages);
  const shown = compaction.evicted.filter(({ id }) => text.includes(id));
  compaction.map.forEach((destination, at) => {
    const message = messages[at]!;
    if (destination.kind === "summarised")
      demand(
        shown.some(({ kind, message: from, end = from + 1 }) => kind === "span" && at >= from && at < end),
        "recall",
        () => `message ${at} is gone, and no id in the result leads to it`,
      );
    if (destination.kind === "edited") demandPieces(message, compaction.after[destination.at]!, { at, shown });
  });
}

/** What is called removed, a provider would have refused; it can be fetched by an id that the report names. */
function demandRemoved({ messages }: Transcript, { map, evicted, report }: Compaction): void {
  const ids = new Set(report.recall);
  const reachable = new Set(evicted.filter(({ id }) => ids.has(id)).map(({ message }) => message));
  map.forEach(({ kind }, at) => {
    if (kind !== "removed") return;
    demand(messages[at]!.role === "tool", "recall", () => `message ${at} is removed, though it is no result`);
    demand(reachable.has(at), "recall", () => `message ${at} is removed, and no id of the report leads to it`);
  });
}

function demandResolvable(one: Evicted, hash: Hash): void {
  const { id, kind, message, original } = one;
  const says = (text: string) => (): string => `${kind} ${id} of message ${message}: ${text}`;
  if (kind !== "span")
    demand(original !== undefined && id === recallId(original, hash), "recall", says("is not the id of its bytes"));
}

interface Around {
  readonly at: number;
  readonly shown: readonly Evicted[];
}

/** Every piece of an edited message that is not in its new form can be fetched, byte for byte. */
function demandPieces(before: Message, after: Message, { at, shown }: Around): void {
  const own = new Set(shown.filter(({ message }) => message === at).map(({ original }) => original));
  const spans = shown.some(({ kind, message, end = message }) => kind === "span" && at >= message && at < end);
  const standing = new Set(after.parts.flatMap(listForms).flat());
  for (const forms of before.parts.flatMap(listForms))
    demand(
      spans || forms.some((form) => standing.has(form) || own.has(form)),
      "recall",
      () => `message ${at} lost "${forms[0]!.slice(0, EXCERPT_CHARS)}", and no id in the result leads to it`,
    );
}

const EXCERPT_CHARS = 80;

/** The pieces of a part that a model reads, each in the forms under which its bytes may be kept. */
function listForms(part: Part): readonly (readonly string[])[] {
  switch (part.kind) {
    case "reasoning":
      return [];
    case "tool-call":
      return [[part.arguments]];
    case "tool-result": {
      const whole = JSON.stringify(part.content);
      const read = contentText(part.content);
      return part.content.map((piece) =>
        piece.kind === "text" ? [piece.text, whole, read] : [writeForm(piece), whole],
      );
    }
    default:
      return [[writeForm(part)]];
  }
}

function writeForm(part: ContentPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "opaque":
      return part.raw;
    case "image":
    case "file":
      return JSON.stringify(part.source);
  }
}
