/**
 * Carries out a cut: writes its handoff, puts head, kept messages, handoff, live request and tail together, repairs what a
 * provider would refuse, and accounts for all of it in a record. Every message keeps the index that it came from, so that
 * the record says where each old message went.
 */
import { latestHandoff, writeHandoff, type Handoff } from "../handoff/write.ts";
import { repairArguments, orphanOf, repairPairs } from "../passes/repair.ts";
import { recallId } from "../transcript/links.ts";
import { sharesWire, textMessage, type Message } from "../transcript/message.ts";
import type { Estimator } from "../engines/contract.ts";
import {
  COMPACTION_SCHEMA_VERSION,
  spanLabel,
  type Compaction,
  type CompactionReport,
  type Destination,
  type Evicted,
  type Irreducible,
  type SummaryAccount,
} from "./compaction.ts";
import type { CompactionRun, Cut, KeptMessages, PlacedMessage, ResultShape, SizeGoal } from "./plan.ts";
import { visibleIn } from "./remembered.ts";

export interface CompactionDraft extends Cut {
  readonly assembled: AssembledResult;
  readonly evicted: readonly Evicted[];
  readonly handoff: Handoff | undefined;
}

/** A draft whose handoff is written for good. */
export interface WrittenDraft {
  readonly draft: CompactionDraft;
  /** How the handoff was written; absent where there is none. */
  readonly summary: SummaryAccount | undefined;
  readonly remarks: readonly string[];
  /** Index after the last message that a model's record in it has; absent where no model wrote any of it. */
  readonly readUntil?: number;
}

export function codeWritten(draft: CompactionDraft): WrittenDraft {
  return { draft, summary: draft.handoff === undefined ? undefined : { by: "ledger", steps: [] }, remarks: [] };
}

export function weighDraft(run: CompactionRun, { assembled }: Pick<CompactionDraft, "assembled">): number {
  const messages = assembled.placed.map(({ message }) => message);
  return run.besideTokens + run.request.measure.transcript({ system: [], messages });
}

export function draftResult(run: CompactionRun, cut: Cut): CompactionDraft {
  const { shape, prose } = cut;
  const { headEnd: from, tailStart: until } = shape;
  const isNamed = cut.span?.message === from && cut.span.end === until;
  const span = isNamed ? cut.span : nameSpan(run, from, until);
  const handoff = span === undefined ? undefined : (cut.written ?? handoffFor(run, cut, span.id));
  const text = handoff === undefined || prose === undefined ? handoff?.text : run.hideSecrets(handoff.text);
  const assembled = assemble(run.original.messages, { ...cut, handoff: text }, run.request);
  const standing = shape.evicted.filter(({ message }) => message < from || message >= until);
  const kept = cut.kept?.evicted ?? [];
  const evicted = [...(span === undefined ? [] : [span]), ...standing, ...kept, ...assembled.evicted];
  return { ...cut, span, assembled, evicted, handoff };
}

function handoffFor({ original, request, ...run }: CompactionRun, cut: Cut, spanRecall: string): Handoff {
  const { messages } = original;
  const { measure, focus } = request;
  return writeHandoff({
    messages,
    from: cut.shape.headEnd,
    until: cut.shape.tailStart,
    budget: cut.budget,
    measure,
    ...(focus === undefined ? {} : { focus }),
    spanRecall,
    previous: latestHandoff(messages) ?? run.carried,
    liveRequest: run.live,
    beside: visibleIn([...run.system, ...cut.verbatim]),
    redact: run.redact,
    template: run.template,
    ...(cut.prose === undefined ? {} : { prose: cut.prose }),
    ...(cut.fillsRoom === undefined ? {} : { fillsRoom: cut.fillsRoom }),
    ...(cut.proseUntil === undefined ? {} : { proseUntil: cut.proseUntil }),
  });
}

/** The whole replaced span, under one id. */
function nameSpan(run: CompactionRun, from: number, until: number): Evicted | undefined {
  if (from === until) return undefined;
  const { chain } = run.request;
  const hashes = run.original.messages.slice(from, until).map(chain.hashOf).join("\n");
  const label = spanLabel(from, until);
  return { id: recallId(hashes, chain.hash), kind: "span", message: from, end: until, label };
}

export interface AssembledResult {
  readonly placed: readonly PlacedMessage[];
  /** How many original messages the result's changed part replaces. */
  readonly covered: number;
  /** How many messages of `placed` stand for those. */
  readonly replaced: number;
  readonly map: readonly Destination[];
  readonly evicted: readonly Evicted[];
}

export interface Pieces {
  readonly shape: ResultShape;
  readonly kept?: KeptMessages | undefined;
  readonly handoff: string | undefined;
  /** Messages of ours between handoff and live request. */
  readonly restored?: readonly Message[] | undefined;
  readonly anchor: Message | undefined;
}

export function assemble(originals: readonly Message[], pieces: Pieces, estimator: Estimator): AssembledResult {
  const { shape, kept, handoff, restored = [], anchor } = pieces;
  const own = (start: number, end: number): PlacedMessage[] =>
    shape.messages.slice(start, end).map((message, offset) => ({ message, from: start + offset }));
  const ours = [
    ...(handoff === undefined ? [] : [textMessage("user", handoff, "summary")]),
    ...restored,
    ...(anchor === undefined ? [] : [anchor]),
  ];
  const repaired = repair(
    [
      ...own(0, shape.headEnd),
      ...(kept?.placed ?? []),
      ...ours.map((message) => ({ message, from: -1 })),
      ...own(shape.tailStart, shape.messages.length),
    ],
    estimator,
  );
  const { placed } = repaired;
  const removed = repaired.orphans.map((at) => orphanOf(originals[at]!, at, estimator.chain.hash));
  const untouched = commonSuffix(originals, placed, shape.tailStart);
  const covered = originals.length - untouched;
  const isRemoved = new Set(repaired.orphans);
  const map: Destination[] = Array.from({ length: covered }, (_, at) => (isRemoved.has(at) ? REMOVED : SUMMARISED));
  placed.forEach(({ message, from }, at) => {
    if (from >= 0 && from < covered) map[from] = { kind: message === originals[from] ? "kept" : "edited", at };
  });
  const evicted = [...removed, ...repaired.evicted];
  return { placed, covered, replaced: placed.length - untouched, map, evicted };
}

/** One object each for all the messages that go this way. */
const REMOVED: Destination = Object.freeze({ kind: "removed" });
const SUMMARISED: Destination = Object.freeze({ kind: "summarised" });

interface RepairedResult extends Pick<AssembledResult, "placed" | "evicted"> {
  /** Indices of original results that answer no call and were left out. */
  readonly orphans: readonly number[];
}

/** What the client sent may be broken already; what goes out is not. */
function repair(joined: readonly PlacedMessage[], { measure, chain: { hash } }: Estimator): RepairedResult {
  const context = { measure, hash, protect: () => false, focus: [] };
  const messages = joined.map(({ message }) => message);
  const pairs = repairPairs(messages, context);
  const calls = repairArguments(pairs.messages, context);
  if (calls.messages === messages) return { placed: joined, evicted: [], orphans: [] };
  const placed = calls.messages.map((message, at) => ({ message, from: joined[pairs.from[at]!]?.from ?? -1 }));
  const evicted = calls.evicted.map((one) => ({ ...one, message: placed[one.message]?.from ?? -1 }));
  return { placed, evicted, orphans: pairs.evicted.map(({ message }) => joined[message]!.from) };
}

/**
 * Length of the tail that went through as it was: from the end, by identity and place, because a broken transcript may
 * hold one message twice. Messages that share a wire message with one that is recorded are recorded with it, so that it
 * is written as one whoever reads the record.
 */
function commonSuffix(originals: readonly Message[], placed: readonly PlacedMessage[], from: number): number {
  let length = 0;
  const most = Math.min(originals.length - from, placed.length);
  const isUntouched = ({ message, from: place }: PlacedMessage): boolean =>
    place === originals.length - 1 - length && message === originals[place];
  while (length < most && isUntouched(placed[placed.length - 1 - length]!)) length++;
  while (length > 0 && sharesWire(placed[placed.length - 1 - length]?.message, placed[placed.length - length]!.message))
    length--;
  return length;
}

/** Nothing where a result of that many tokens does what it should; `stays` says what no result does without. */
export function explainIrreducible(
  { besideTokens }: CompactionRun,
  smallest: number,
  { limitTokens, acceptedTokens: limit = limitTokens }: Pick<SizeGoal, "limitTokens" | "acceptedTokens">,
  stays: string,
): Irreducible | undefined {
  if (smallest <= limit) return undefined;
  return { limit, smallest, because: `system and tools take ${besideTokens} tokens${stays}` };
}

export interface Account extends WrittenDraft {
  readonly engine: string;
  /** It begins the session anew. */
  readonly restarts?: boolean;
  readonly irreducible: Irreducible | undefined;
}

/** The record, but for the engine's next state. */
export function recordResult(run: CompactionRun, account: Account): Omit<Compaction, "state"> {
  const { assembled, evicted } = account.draft;
  const { messages } = run.original;
  return {
    schemaVersion: COMPACTION_SCHEMA_VERSION,
    after: assembled.placed.slice(0, assembled.replaced).map(({ message }) => message),
    covered: assembled.covered,
    covers: run.request.chain.linksOf(messages.slice(0, assembled.covered)).at(-1) ?? "",
    ...(run.system === run.original.system ? {} : { system: run.system }),
    map: assembled.map,
    evicted,
    report: reportResult(run, account),
  };
}

function reportResult(
  run: CompactionRun,
  { draft, irreducible, summary: written, ...account }: Account,
): CompactionReport {
  const { original, request, before } = run;
  const { measure } = request;
  const { map, placed } = draft.assembled;
  const count = (kind: string): number => map.filter((destination) => destination.kind === kind).length;
  const weigh = (belongs: (message: Message, at: number) => boolean): number =>
    measure.messages(placed.map(({ message }) => message).filter(belongs));
  const summary = placed.findIndex(({ message }) => message.origin === "summary");
  const removed = count("removed");
  const steps = written?.steps ?? [];
  const unsaid = written?.items === undefined ? 0 : (draft.handoff?.unsaid ?? 0);
  return {
    engine: account.engine,
    reason: request.reason,
    tokens: { before, after: weighDraft(run, draft) },
    messages: {
      before: original.messages.length,
      after: placed.length,
      kept: original.messages.length - map.length + count("kept"),
      edited: count("edited"),
      summarised: count("summarised"),
      ...(removed === 0 ? {} : { removed }),
    },
    parts: {
      system: measure.messages(run.system),
      tools: original.tools === undefined ? 0 : measure.text(original.tools),
      head: weigh((message, at) => at < summary && !isOurs(message)),
      handoff: weigh(({ origin }) => origin === "summary" || origin === "note"),
      anchor: weigh((message) => message.origin === "anchor"),
      tail: weigh((message, at) => at > summary && !isOurs(message)),
    },
    rung: draft.shape.rung,
    ...(account.restarts === true ? { restarted: true } : {}),
    ...(irreducible === undefined ? {} : { irreducible }),
    degraded: [...account.remarks, ...(unsaid === 0 ? [] : [`${unsaid} items of the model's answer did not fit`])],
    recall: [...new Set(draft.evicted.map(({ id }) => id))],
    ...(written === undefined ? {} : { summary: withUnsaid(written, unsaid) }),
    modelCalls: steps.reduce((sum, { calls }) => sum + calls, 0),
    costUsd: steps.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
  };
}

/** The account of a model's items, without those that the handoff had no room for. */
function withUnsaid(written: SummaryAccount, count: number): SummaryAccount {
  if (written.items === undefined || count === 0) return written;
  const { kept, dropped } = written.items;
  return { ...written, items: { kept: kept - count, dropped: [...dropped, { because: "it did not fit", count }] } };
}

function isOurs({ origin }: Message): boolean {
  return origin === "summary" || origin === "note" || origin === "anchor";
}
