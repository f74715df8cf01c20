/**
 * Messages that a person compacted or dropped by hand. An edit is data: a compaction carries those that hold for it, and the
 * next one is made from the conversation as they leave it. What they take out is behind a recall id.
 */
import type { CompactRequest, Estimator, Outcome } from "../engines/contract.ts";
import { digestResultsWith } from "../passes/digest-results.ts";
import { exchangesOf } from "../transcript/exchanges.ts";
import { recallId, type Chain } from "../transcript/links.ts";
import { resultOf, textMessage, wholeWire, withParts, type Message, type Transcript } from "../transcript/message.ts";
import {
  applyCompaction,
  spanLabel,
  type Compaction,
  type Destination,
  type Evicted,
  type HandEdit,
} from "./compaction.ts";
import { emptyCompaction, originsIn, reachTo, recount } from "./revise.ts";
import { shortenedBy } from "./tails.ts";

/** Has an engine compact the conversation as the edits leave it; the answer is of the original. */
export async function compactEdited(
  original: Transcript,
  edits: readonly HandEdit[],
  request: CompactRequest,
  compact: (transcript: Transcript, request: CompactRequest) => Promise<Outcome>,
): Promise<Outcome> {
  if (edits.length === 0) return compact(original, request);
  // What is only shortened the engine reads whole: shortened twice, it would be recalled in two steps.
  const drops = edits.filter(({ how }) => how === "drop");
  const edited = editByHand(
    original.messages.map((message, at) => ({ message, from: at, start: at })),
    drops,
    request,
  );
  const transcript = { ...original, messages: edited.placed.map(({ message }) => message) };
  const outcome = await compact(transcript, request);
  if (outcome.kind === "unchanged") return outcome;
  const { placed } = edited;
  const last = placed.findLastIndex(({ message, from }) => from < 0 || message !== original.messages[from]);
  const compaction = reachTo(outcome.compaction, wholeWire(transcript.messages, last + 1), transcript, request.chain);
  const covered = placed[compaction.covered]?.start ?? original.messages.length;
  const startOf = (at: number): number => placed[at]?.start ?? original.messages.length;
  const evicted = compaction.evicted.map((one) => ({
    ...one,
    message: startOf(one.message),
    ...(one.end === undefined ? {} : { end: startOf(one.end) }),
  }));
  const made: Compaction = {
    ...compaction,
    covered,
    covers: request.chain.linksOf(original.messages.slice(0, covered)).at(-1)!,
    map: mapDestinations(original, covered, destinationsIn(compaction, placed)),
    evicted: [...evicted, ...edited.evicted],
    byHand: edits,
    report: { ...compaction.report, messages: { ...compaction.report.messages, before: original.messages.length } },
  };
  const shortened = edits.reduce((upon, edit) => shortenUpon(original, upon, edit, request), made);
  return { kind: "compacted", compaction: { ...shortened, byHand: edits } };
}

/** The same with what is still there of a range in its short form. */
function shortenUpon(original: Transcript, standing: Compaction, edit: HandEdit, estimator: Estimator): Compaction {
  if (edit.how !== "compact") return standing;
  const record = recordEdit({ original, standing, edit, engine: "", state: undefined }, estimator);
  if (record === undefined) return standing;
  const { tokens, messages, parts, recall } = record.report;
  const after = { ...standing.report.tokens, after: tokens.after };
  return { ...record, report: { ...standing.report, tokens: after, messages, parts, recall } };
}

type Going = Destination & { readonly message?: Message };

function destinationsIn({ map, after }: Compaction, placed: readonly PlacedOriginal[]): (from: number) => Going {
  const places = new Map(placed.map(({ from }, at) => [from, at] as const));
  return (from) => {
    const destination = map[places.get(from) ?? -1];
    if (destination === undefined) return SUMMARISED;
    return "at" in destination ? { ...destination, message: after[destination.at]! } : destination;
  };
}

const SUMMARISED: Destination = Object.freeze({ kind: "summarised" });

/** One destination a message; what is there in other words was edited. */
function mapDestinations(
  { messages }: Transcript,
  covered: number,
  destinationOf: (from: number) => Going,
): readonly Destination[] {
  return Array.from({ length: covered }, (_, from) => {
    const { message, ...destination } = destinationOf(from);
    if (destination.kind !== "kept" || message === messages[from]) return destination;
    return { ...destination, kind: "edited" as const };
  });
}

export interface HandEditing {
  readonly original: Transcript;
  /** What is in effect now. */
  readonly standing: Compaction | undefined;
  readonly edit: HandEdit;
  /** Of the session, where no compaction is in effect. */
  readonly engine: string;
  readonly state: unknown;
}

/** The record of an edit, upon the compaction in effect; undefined where none of its messages is there any more, or nothing changed. */
export function recordEdit(editing: HandEditing, estimator: Estimator): Compaction | undefined {
  const { original, edit, engine, state } = editing;
  const fresh = emptyCompaction(original, { engine, reason: "explicit", state }, estimator);
  const { standing = fresh } = editing;
  const current = applyCompaction(original, standing);
  const before = currentPlaces(current.messages, standing);
  const { placed, evicted } = editByHand(before, [edit], estimator, (one) => isUnedited(one, original, estimator));
  const messages = placed.map(({ message }) => message);
  const known = new Set(before.map(({ message }) => message));
  const last = placed.findLastIndex(({ message }) => !known.has(message));
  if (evicted.length === 0 || last < 0) return undefined;
  const least = placed.findIndex(({ start }) => start > standing.covered);
  const end = wholeWire(messages, Math.max(last + 1, least < 0 ? placed.length : least));
  const covered = placed[end]?.start ?? original.messages.length;
  const place = new Map(placed.slice(0, end).flatMap(({ from }, at) => (from < 0 ? [] : [[from, at] as const])));
  const tokens = estimator.measure.transcript(current);
  const { report, ...made } = recount(
    {
      ...standing,
      after: messages.slice(0, end),
      covered,
      covers: estimator.chain.linksOf(original.messages.slice(0, covered)).at(-1)!,
      map: mapDestinations(original, covered, (from) => {
        const at = place.get(from);
        return at === undefined ? SUMMARISED : { kind: "kept", at, message: messages[at]! };
      }),
      evicted: [...standing.evicted, ...evicted],
      byHand: [...(standing.byHand ?? []), edit],
      report: { ...standing.report, tokens: { before: tokens, after: tokens } },
    },
    original,
    { estimator, part: "tail" },
  );
  const { parts, recall } = report;
  return {
    ...made,
    report: {
      ...fresh.report,
      engine: report.engine,
      because: `${edit.how === "drop" ? "dropped" : "compacted"} by hand: messages ${edit.from + 1} to ${edit.end}`,
      tokens: report.tokens,
      messages: report.messages,
      parts: { ...parts, tail: Math.max(0, parts.tail) },
      recall,
    },
  };
}

function isUnedited({ message, from }: PlacedOriginal, { messages }: Transcript, { chain }: Estimator): boolean {
  const whole = messages[from];
  return whole !== undefined && (message === whole || chain.hashOf(message) === chain.hashOf(whole));
}

/** What is sent now, each message with the place of the original that it stands for. */
function currentPlaces(current: readonly Message[], standing: Compaction): readonly PlacedOriginal[] {
  const originOf = originsIn(standing);
  let next = 0;
  return current.map((message, at) => {
    const from = originOf(at) ?? -1;
    const start = from < 0 ? next : from;
    next = from < 0 ? next : from + 1;
    return { message, from, start };
  });
}

/** A message, where it was in the original (-1 for one of ours), and how many original messages come before it. */
interface PlacedOriginal {
  readonly message: Message;
  readonly from: number;
  readonly start: number;
}

interface EditedMessages {
  readonly placed: readonly PlacedOriginal[];
  /** In places of the original. */
  readonly evicted: readonly Evicted[];
}

/** The messages as the edits leave them, in their order; what is not whole any more is not shortened once more. */
function editByHand(
  placed: readonly PlacedOriginal[],
  edits: readonly HandEdit[],
  estimator: Estimator,
  isWhole: (one: PlacedOriginal) => boolean = () => true,
): EditedMessages {
  return edits.reduce<EditedMessages>(
    (before, edit) => {
      const { placed: next, evicted } =
        edit.how === "drop"
          ? dropRange(before.placed, edit, estimator.chain)
          : shortenRange(before.placed, edit, estimator, isWhole);
      return { placed: next, evicted: [...before.evicted, ...evicted] };
    },
    { placed, evicted: [] },
  );
}

function isMeant({ from, end }: HandEdit, one: PlacedOriginal): boolean {
  return one.from >= from && one.from < end;
}

/** A person who asks for it wants it small; results below this stay. */
const DIGEST_TOKENS = 100;
const shorten = shortenedBy(digestResultsWith({ triggerTokens: DIGEST_TOKENS, targetTokens: DIGEST_TOKENS }));

function shortenRange(
  placed: readonly PlacedOriginal[],
  edit: HandEdit,
  estimator: Estimator,
  isWhole: (one: PlacedOriginal) => boolean,
): EditedMessages {
  const protect = (at: number): boolean => !isMeant(edit, placed[at]!) || !isWhole(placed[at]!);
  const { messages, evicted } = shorten(
    placed.map(({ message }) => message),
    { measure: estimator.measure, hash: estimator.chain.hash, protect, focus: [] },
  );
  return {
    placed: placed.map((one, at) => (messages[at] === one.message ? one : { ...one, message: messages[at]! })),
    evicted: evicted.map((one) => ({ ...one, message: placed[one.message]!.from })),
  };
}

function dropRange(placed: readonly PlacedOriginal[], edit: HandEdit, chain: Chain): EditedMessages {
  const next: PlacedOriginal[] = [];
  const evicted: Evicted[] = [];
  let run: PlacedOriginal[] = [];
  const endRun = (): void => {
    const [first] = run;
    if (first === undefined) return;
    const span = nameSpan(run, chain);
    evicted.push(span);
    const text = `[${capital(span.label)} of the conversation were dropped by hand. Originals: recall ${span.id}.]`;
    next.push({ message: textMessage("user", text, "stub"), from: -1, start: first.start });
    run = [];
  };
  for (const { start, end } of exchangesOf(placed.map(({ message }) => message))) {
    const own = placed.slice(start, end);
    const isWhole = own.every((one) => isMeant(edit, one));
    // Two that did not stand together are two spans.
    if (!isWhole || (run.length > 0 && run.at(-1)!.from + 1 !== own[0]!.from)) endRun();
    if (isWhole) for (const each of own) run.push(each);
    else
      for (const each of own.map((one) => (isMeant(edit, one) ? withoutResult(one, chain, evicted) : one)))
        next.push(each);
  }
  endRun();
  return { placed: next, evicted };
}

function nameSpan(run: readonly PlacedOriginal[], chain: Chain): Evicted {
  const [first, last] = [run[0]!.from, run.at(-1)!.from];
  const id = recallId(run.map(({ message }) => chain.hashOf(message)).join("\n"), chain.hash);
  return { id, kind: "span", message: first, end: last + 1, label: spanLabel(first, last + 1) };
}

/** A call keeps an answer, which says that its content is gone. */
function withoutResult(one: PlacedOriginal, chain: Chain, evicted: Evicted[]): PlacedOriginal {
  const result = resultOf(one.message);
  if (result === undefined) return one;
  const original = JSON.stringify(result.content);
  const plain = result.content.map((part) => (part.kind === "text" ? part.text : undefined));
  const text = plain.every((piece) => piece !== undefined) ? plain.join("\n") : original;
  const id = recallId(text, chain.hash);
  evicted.push({ id, kind: "result", message: one.from, original: text, label: `result of message ${one.from + 1}` });
  const said = Object.freeze({
    kind: "text",
    text: `[This result was dropped by hand. Original: recall ${id}.]`,
  } as const);
  const parts = one.message.parts.map((part) =>
    part === result ? Object.freeze({ ...result, content: Object.freeze([said]) }) : part,
  );
  return { ...one, message: withParts(one.message, parts, "stub") };
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
