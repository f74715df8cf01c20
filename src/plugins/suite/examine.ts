/** One compaction, held against everything that an engine promises of each. */
import { applyCompaction, type Compaction } from "../../core/compaction/compaction.ts";
import { holdPlaces } from "../../core/compaction/shape.ts";
import { liveRequestOf } from "../../core/events/live-request.ts";
import { contentText, type Transcript } from "../../core/transcript/message.ts";
import { violationsOf } from "../../core/transcript/oracle.ts";
import type { CompactRequest, Engine, Outcome } from "../../core/engines/contract.ts";
import { demand, demandAs } from "./fault.ts";
import { isPlain, printOf, printOfAll } from "./print.ts";
import { demandRecall } from "./recall.ts";
import { demandOutcome } from "./shape.ts";

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

/** Throws an `EngineFault` at the first promise that an outcome breaks, whatever it is. */
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
    demand(there === here || printOf(there) === printOf(here), "place", () => `message ${at} is not kept unchanged`);
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
