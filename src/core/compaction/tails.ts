/**
 * Where head, middle and tail meet, and the forms of a tail from whole down to its skeleton. Every boundary is between
 * exchanges, so no call is cut from its result.
 */
import { HANDOFF_TOKENS_MIN, isHandoff, lastHandoffAt } from "../handoff/write.ts";
import { digestResults } from "../passes/digest-results.ts";
import { evictMedia } from "../passes/evict-media.ts";
import { inSequence, type Pass, type PassContext } from "../passes/pass.ts";
import { shrinkArguments } from "../passes/shrink-arguments.ts";
import { stripReasoning } from "../passes/strip-reasoning.ts";
import { exchangesOf, type Exchange } from "../transcript/exchanges.ts";
import type { Measure } from "../transcript/measure.ts";
import {
  callsOf,
  type Message,
  contentText,
  resultOf,
  withParts,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "../transcript/message.ts";
import type { Candidate, CompactionRun, ResultShape } from "./plan.ts";
import type { Evicted } from "./compaction.ts";
import { described, labelOf } from "../digest/call.ts";
import { clipped } from "../handoff/items.ts";
import { changesSince, thingText } from "../events/things.ts";
import { recallId, type Hash } from "../transcript/links.ts";
import { pairingOf } from "../transcript/pairing.ts";

/** Messages at the end that stay whatever they weigh, until the ladder is climbed (Zhang 2026, section 8). */
export const TAIL_MESSAGES_MIN = 3;

/** The tail fills its tokens from the end, and may exceed them up to the ceiling to keep the exchange at its edge whole. */
export interface TailBudget {
  readonly tokens: number;
  readonly ceilingTokens: number;
  /** Messages honoured while they fit the ceiling. */
  readonly messages: number;
  readonly messagesMin: number;
}

/** A tail of that many tokens, and no more. */
export function tailOf(tokens: number): TailBudget {
  return { tokens, ceilingTokens: tokens, messages: 0, messagesMin: 0 };
}

/** The end of the head: the first `count` messages that precis did not write, moved forward to the next exchange, not past `most`. */
export function findHeadEnd(messages: readonly Message[], count: number, most: number): number {
  if (count === 0) return 0;
  let real = 0;
  for (const { start, end } of exchangesOf(messages)) {
    if (end > most) return start;
    for (let at = start; at < end; at++) if (messages[at]!.origin === undefined) real++;
    if (real >= count) return end;
  }
  return most;
}

interface TailSearch {
  readonly from: number;
  readonly budget: TailBudget;
  readonly measure: Measure;
  /** Those of the conversation, where the messages are another form of it. */
  readonly exchanges?: readonly Exchange[];
}

/** The index at which the tail starts. The last exchange always belongs to the tail. */
export function tailStart(
  messages: readonly Message[],
  { from, budget, measure, exchanges = exchangesOf(messages) }: TailSearch,
): number {
  let start = messages.length;
  let tokens = 0;
  for (let at = exchanges.length - 1; at >= 0 && exchanges[at]!.end > from; at--) {
    const exchange = exchanges[at]!;
    const cost = measure.messages(messages.slice(exchange.start, exchange.end));
    const kept = messages.length - start;
    const isLast = kept === 0;
    const fits = tokens + cost <= budget.tokens;
    const edge = tokens < budget.tokens && tokens + cost <= budget.ceilingTokens;
    const honoured = kept < budget.messages && tokens + cost <= budget.ceilingTokens;
    if (!isLast && !fits && !edge && !honoured && kept >= budget.messagesMin) break;
    tokens += cost;
    start = Math.max(exchange.start, from);
  }
  return start;
}

/** Index after the last handoff that is among the messages; 0 without one. */
export function earlierEnd(messages: readonly Message[]): number {
  return lastHandoffAt(messages) + 1;
}

/** Where the last exchange starts; past the end where that is an earlier handoff. */
export function lastStart(messages: readonly Message[]): number {
  return Math.max(exchangesOf(messages).at(-1)?.start ?? 0, earlierEnd(messages));
}

/** Where the results begin that the model has not answered to yet, with their calls; past the end where it has read all. */
export function unreadStart(messages: readonly Message[]): number {
  const last = messages.findLastIndex((message) => message.role === "assistant" || isHandoff(message));
  return last >= 0 && callsOf(messages[last]!).length > 0 ? last : messages.length;
}

export type RewrittenMessages = Pick<ResultShape, "messages" | "evicted">;

/** Everything before `start` gives way to the handoff; the rest stays, in the form given. */
export function summarisedTo(start: number, rung: number, { messages, evicted }: RewrittenMessages): Candidate {
  return { shape: { rung, messages, evicted, headEnd: 0, tailStart: start } };
}

/** What a pass works with in a compaction. */
export function passContext({ request, focus }: CompactionRun): Omit<PassContext, "protect"> {
  return { measure: request.measure, hash: request.chain.hash, focus };
}

/** The order of what it costs the reader: thinking first, then media, results by the given pass, and arguments last. */
export function shortenedBy(results: Pass): Pass {
  return inSequence([stripReasoning, evictMedia, results, shrinkArguments]);
}

const toDigests = shortenedBy(digestResults);

export function unchangedMessages({ original }: CompactionRun): RewrittenMessages {
  return { messages: original.messages, evicted: [] };
}

/** All but the protected messages and the live request as digests. */
export function digested(
  run: CompactionRun,
  isProtected: (at: number) => boolean,
  pass: Pass = toDigests,
): RewrittenMessages {
  const protect = (at: number): boolean => at === run.live || isProtected(at);
  return pass(run.original.messages, { ...passContext(run), protect });
}

/** The tail that starts there as a skeleton. */
export function skeletonTail(
  { original: { messages }, request, live }: CompactionRun,
  start: number,
): RewrittenMessages {
  const [earlier, tail] = [messages.slice(0, start), messages.slice(start)];
  const bare = skeletonOf(tail, { first: start, live, hash: request.chain.hash, earlier });
  return { messages: [...earlier, ...bare.messages], evicted: bare.evicted };
}

interface TailLadder {
  /** Where the tail of the policy starts, and what is never summarised. */
  readonly start: number;
  readonly last: number;
  /** The numbers of the five rungs. */
  readonly rungs: readonly [whole: number, digested: number, last: number, lastDigested: number, skeleton: number];
  /** What the rung may weigh that shows in full what the model has not read yet. */
  readonly unreadTokens: number;
  /** Put back beside the whole tail. */
  readonly restored?: readonly Message[];
}

/**
 * A summary and ever less beside it: the tail whole; as digests, but for what is never summarised; nothing but that, up to
 * what a request may weigh; that as digests, too; its skeleton.
 */
export function* tailLadder(run: CompactionRun, ladder: TailLadder): Generator<Candidate> {
  const { start, last, rungs, unreadTokens, restored } = ladder;
  const whole = unchangedMessages(run);
  yield { ...summarisedTo(start, rungs[0], whole), ...(restored === undefined ? {} : { restored }) };
  if (start < last)
    yield summarisedTo(
      start,
      rungs[1],
      digested(run, (at) => at < start || at >= last),
    );
  yield { ...summarisedTo(last, rungs[2], whole), limitTokens: unreadTokens, handoffTokensMin: HANDOFF_TOKENS_MIN };
  yield summarisedTo(
    last,
    rungs[3],
    digested(run, (at) => at < last),
  );
  yield summarisedTo(last, rungs[4], skeletonTail(run, last));
}

// The smallest form of an exchange that still says what was asked of which tool: call names and ids stay, arguments,
// results and long texts give way to a line with a recall id. It is the last thing to be between a transcript
// and "irreducible", and keeps in-flight calls from being made twice.

/** Texts, arguments and results up to this length are not worth a marker. */
const KEEP_CHARS_MAX = 160;
/** How much of a long text or result stays readable before its marker. */
const EXCERPT_CHARS = 80;
/** How much is said of what a result in JSON shows, and how far back earlier results of the same thing are looked for. */
const VALUES_CHARS_MAX = 160;
const EARLIER_RESULTS_MAX = 200;

interface Skeleton {
  readonly messages: readonly Message[];
  readonly evicted: readonly Evicted[];
}

/** Where the messages are in the conversation (`first` is the index of the first), and the one that stays whole. */
interface SkeletonPlace {
  readonly first: number;
  readonly live: number;
  readonly hash: Hash;
  /** The messages before them: a result that shows one of their things again is described by what changed. */
  readonly earlier: readonly Message[];
}

interface Shortening {
  readonly cut: Cut;
  /** What is said of a result in JSON. */
  readonly formatValues: (text: string) => string | undefined;
}

type Cut = (kind: Evicted["kind"], original: string, label: string) => string;

export function skeletonOf(messages: readonly Message[], { first, live, hash, earlier }: SkeletonPlace): Skeleton {
  const evicted: Evicted[] = [];
  const formatValues = createValueFormatter(earlier);
  const { answers } = pairingOf(messages);
  const bare = messages.map((message, offset) => {
    if (first + offset === live) return message;
    const cut: Cut = (kind, original, label) => {
      const id = recallId(original, hash);
      evicted.push({ id, kind, original, label, message: first + offset });
      return id;
    };
    const parts = message.parts.flatMap((part) => barePart(part, answers[offset]?.call, { cut, formatValues }));
    const changed = parts.length !== message.parts.length || parts.some((part, at) => part !== message.parts[at]);
    return changed ? withParts(message, parts, "digest") : message;
  });
  return { messages: bare, evicted };
}

/** `answered`: the call that the message answers. */
function barePart(part: Part, answered: ToolCallPart | undefined, { cut, formatValues }: Shortening): readonly Part[] {
  switch (part.kind) {
    case "reasoning":
      return part.required === true ? [part] : [];
    case "text":
      return part.text.length <= KEEP_CHARS_MAX
        ? [part]
        : [{ ...part, text: excerpt(part.text, cut("text", part.text, "text")) }];
    case "tool-call":
      return [bareCall(part, cut)];
    case "tool-result":
      return [
        bareResult(part, answered === undefined ? "result" : labelOf(described(answered)), { cut, formatValues }),
      ];
    case "image":
    case "file":
      return [
        {
          kind: "text",
          text: `[precis: ${part.kind} left out; recall ${cut("media", JSON.stringify(part.source), part.kind)}]`,
        },
      ];
    case "opaque":
      return [part];
  }
}

function bareResult(part: ToolResultPart, label: string, { cut, formatValues }: Shortening): ToolResultPart {
  const text = contentText(part.content);
  const plain = part.content.every((piece) => piece.kind === "text");
  if (plain && text.length <= KEEP_CHARS_MAX) return part;
  const id = cut("result", plain ? text : JSON.stringify(part.content), label);
  const values = formatValues(text);
  const short = values === undefined ? excerpt(text, id) : `[precis: ${values}; the whole result: recall ${id}]`;
  return { ...part, content: [{ kind: "text", text: short }] };
}

/** Says of a result in JSON what changed since it was last shown, or else its values; nothing of any other. */
function createValueFormatter(earlier: readonly Message[]): (text: string) => string | undefined {
  let results: string[] | undefined;
  return (text) => {
    results ??= earlier
      .filter(({ role }) => role === "tool")
      .slice(-EARLIER_RESULTS_MAX)
      .map((message) => contentText(resultOf(message)?.content ?? []));
    const changes = changesSince(results, text);
    results.push(text);
    const values = changes === undefined ? thingText(text) : `changed since it was last shown: ${changes}`;
    return values === undefined ? undefined : clipped(values, VALUES_CHARS_MAX);
  };
}

function excerpt(text: string, id: string): string {
  const start = text
    .slice(0, EXCERPT_CHARS)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd();
  const marker = `[precis: ${text.length - start.length} more characters left out; recall ${id}]`;
  return start === "" ? marker : `${start}\n${marker}`;
}

/** A marker object stands for the arguments as a whole: no fragment that a model could take for content and send again. */
function bareCall(part: ToolCallPart, cut: Cut): ToolCallPart {
  if (part.arguments.length <= KEEP_CHARS_MAX) return part;
  const id = cut("arguments", part.arguments, labelOf(described(part)));
  const { target } = described(part);
  const marker = `arguments left out${target === "" ? "" : ` (${target.slice(0, EXCERPT_CHARS)})`}; recall ${id}`;
  return { ...part, arguments: part.custom === true ? `[precis: ${marker}]` : JSON.stringify({ precis: marker }) };
}
