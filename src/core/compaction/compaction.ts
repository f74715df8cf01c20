/**
 * A compaction is data: what was planned, what is in effect now, where each old message went, and what can be fetched back.
 * The audit trail, the diff view, undo and the tests all read this one object. Applying it is pure.
 */
import type { FailureClass } from "../handoff/model/writer.ts";
import type { Message, Transcript, ContentPart, Part, WireSlice } from "../transcript/message.ts";

export const COMPACTION_SCHEMA_VERSION = 1;

/** Why a compaction ran; `host`: the agent that precis runs in asked for it, by its own threshold. */
export type CompactionReason =
  | "threshold"
  | "hygiene"
  | "overflow"
  | "payload"
  | "explicit"
  | "host"
  | "budget"
  | "cost";

/** A range that a person compacted or dropped by hand: indices in the original conversation, half-open. */
export interface HandEdit {
  readonly from: number;
  readonly end: number;
  /** `compact`: results become digests, long arguments are shortened. `drop`: whole exchanges go; of others the results. */
  readonly how: "compact" | "drop";
}

/** Something that left the transcript, under the id that the compacted context shows. */
export interface Evicted {
  readonly id: string;
  /** `result`: a tool result's text; `arguments`: a call's JSON; `media`: an image or file; `span`: whole messages. */
  readonly kind: "result" | "arguments" | "media" | "text" | "span";
  /** Index of the (first) message in the original conversation. */
  readonly message: number;
  /** Index after the last message, for a span. */
  readonly end?: number;
  /** The original bytes, for everything but a span (whose bytes are those of its messages). */
  readonly original?: string;
  /** One line for a person: the tool and its target. */
  readonly label: string;
}

/** What a span is called: the numbers of its first and its last message, counted from 1. */
export function spanLabel(from: number, until: number): string {
  return `messages ${from + 1} to ${until}`;
}

/** The number of a span's first message, by its label; 1 where the label was written by somebody else. */
export function firstOfSpan(label: string): number {
  const match = /^messages (\d{1,9}) to \d{1,9}$/.exec(label);
  return match === null ? 1 : Number(match[1]);
}

/**
 * Where an old message went: it is unchanged at an index of `after`, was rewritten there, or went into the summary.
 * `removed`: a result that answers no call, which no provider accepts; it is among what was evicted.
 */
export type Destination =
  | { readonly kind: "kept"; readonly at: number }
  | { readonly kind: "edited"; readonly at: number }
  | { readonly kind: "summarised" }
  | { readonly kind: "removed" };

/** Why a transcript cannot be made small enough; all figures in tokens. */
export interface Irreducible {
  readonly limit: number;
  readonly smallest: number;
  readonly because: string;
  /** For programs: `keep_requests` where nothing smaller keeps every request of the user, `pinned` where what is pinned takes the room. */
  readonly code?: "keep_requests" | "pinned";
}

/** One model on the way to a handoff: what it was asked, and what came of it. */
export interface SummaryStep {
  readonly model: string;
  /** `provider`: the provider compacted the conversation itself. */
  readonly role: "auxiliary" | "main" | "provider";
  /** `rejected`: it answered, and the answer did not stand the checks. `resting`: it failed lately and was not asked. */
  readonly outcome: "written" | "failed" | "rejected" | "resting";
  readonly class?: FailureClass;
  /** One line for the operator, without secrets. */
  readonly because?: string;
  readonly calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** Absent where the model's price is not known. */
  readonly costUsd?: number;
  /** The window that its own overflow taught, in tokens. */
  readonly windowTokens?: number;
  /** How long the provider asks to be left alone, in milliseconds; for a resting model, how long it still rests. */
  readonly restMs?: number;
}

/** Who wrote the handoff, and what was tried before. */
export interface SummaryAccount {
  readonly by: "model" | "ledger";
  /** A person edited what was written before it was applied. */
  readonly edited?: true;
  /** Why a model was asked out of turn, or none although one is configured. */
  readonly because?: string;
  /** In the order of asking; empty where no model was configured. */
  readonly steps: readonly SummaryStep[];
  /** Items of the model's answer that stand in the handoff's draft, and those that were left out, by reason. */
  readonly items?: {
    readonly kept: number;
    readonly dropped: readonly { readonly because: string; readonly count: number }[];
  };
}

/** What the work may still need: words of the user, rules of the project, pins, failures and tasks that are open, values of the live request, changed files. */
export const RECEIPT_KINDS = ["request", "rule", "pin", "failure", "running", "value", "file"] as const;
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];
export const RECEIPT_FATES = ["kept", "recallable", "replaced", "lost"] as const;
export type ReceiptFate = (typeof RECEIPT_FATES)[number];

export interface ReceiptLine {
  readonly kind: ReceiptKind;
  /** How it begins, redacted. */
  readonly text: string;
  /** The number of its message, from 1; absent for a fact that somebody pinned. */
  readonly message?: number;
  /** `kept`: word for word in the result. */
  readonly fate: ReceiptFate;
  /** Of what is recallable. */
  readonly id?: string;
  /** The number of the message, in the result, that replaced it. */
  readonly by?: number;
}

/** A file that was read and has not been changed since. */
export interface UnchangedFile {
  readonly path: string;
  /** The number of the message that showed it last, from 1. */
  readonly message: number;
  /** The first 8 digits of the SHA-256 of what that showed, without line numbers. */
  readonly hash: string;
}

/** What became of everything that the work may still need. */
export interface Receipt {
  readonly counts: Readonly<Record<ReceiptKind, Readonly<Record<ReceiptFate, number>>>>;
  /** Where there are more than 300, those that are kept are left out first. */
  readonly lines: readonly ReceiptLine[];
  /** What need not be read again, the newest first, at most 100; absent in records of versions that did not list it. */
  readonly unchanged?: readonly UnchangedFile[];
}

export interface CompactionReport {
  readonly engine: string;
  readonly reason: CompactionReason;
  /** What the moment was chosen by, where prices had a say. */
  readonly because?: string;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly messages: {
    readonly before: number;
    readonly after: number;
    readonly kept: number;
    readonly edited: number;
    readonly summarised: number;
    /** Results without a call; absent where there were none. */
    readonly removed?: number;
  };
  /** Tokens by part of the result. */
  readonly parts: {
    readonly system: number;
    readonly tools: number;
    readonly head: number;
    readonly handoff: number;
    readonly anchor: number;
    readonly tail: number;
  };
  /** The rung of the ladder that sufficed: 0 none needed. */
  readonly rung: number;
  /** The session begins anew from a summary: where a history is kept, what it was until then is archived. */
  readonly restarted?: true;
  /** Set when even the smallest result exceeds the budget. */
  readonly irreducible?: Irreducible;
  /** Why the result is poorer than it should be, one line each; empty when it is not. */
  readonly degraded: readonly string[];
  /** Recall ids, in order of appearance. */
  readonly recall: readonly string[];
  /** Absent in records of versions that made none, and where results were only shortened as they arrived. */
  readonly receipt?: Receipt;
  /** Absent where no handoff was written. */
  readonly summary?: SummaryAccount;
  readonly modelCalls: number;
  readonly costUsd: number;
}

export interface Compaction {
  readonly schemaVersion: typeof COMPACTION_SCHEMA_VERSION;
  /** The messages that replace `messages[0 .. covered)`; the rest of the conversation follows untouched. */
  readonly after: readonly Message[];
  /** How many messages of the original conversation `after` replaces. */
  readonly covered: number;
  /** The link of the last replaced message, in the client's own chain. */
  readonly covers: string;
  /** Replaces the leading system prompt where the engine notes the rewrite there. */
  readonly system?: readonly Message[];
  /** One entry a covered message. */
  readonly map: readonly Destination[];
  readonly evicted: readonly Evicted[];
  /** What a person compacted or dropped by hand; it holds for every later compaction too. */
  readonly byHand?: readonly HandEdit[];
  /** The engine's state after this compaction: plain, serialisable. */
  readonly state: unknown;
  readonly report: CompactionReport;
}

/** The transcript with the compaction in place of the prefix it covers; one that came back from JSON does the same. */
export function applyCompaction(transcript: Transcript, compaction: Compaction): Transcript {
  const rest = transcript.messages.slice(compaction.covered);
  return {
    ...transcript,
    system: rejoined(compaction.system ?? transcript.system),
    messages: [...rejoined(compaction.after, rest[0]), ...rest],
  };
}

/**
 * The messages themselves unless they came from JSON: what this process read is frozen. `next` is the message that
 * follows them, which may share the bytes of the last.
 */
function rejoined(messages: readonly Message[], next?: Message): readonly Message[] {
  if (messages.every(({ wire }) => wire === undefined || Object.isFrozen(wire))) return messages;
  const shared = new Map<string, WireSlice>();
  if (next?.wire !== undefined && next.wire.members.length > 1) shared.set(wireKey(next.wire), next.wire);
  return messages.map((message) => {
    if (message.wire === undefined || Object.isFrozen(message.wire)) return message;
    const wire = sealed(message.wire, shared);
    const former = wire.members.flatMap(({ parts }) => parts);
    return Object.freeze({ ...message, parts: Object.freeze(formerOrOwn(message.parts, former)), wire });
  });
}

/** One object for the messages of one wire message; a message alone in its own keeps one of its own. */
function sealed(wire: WireSlice, shared: Map<string, WireSlice>): WireSlice {
  const key = wireKey(wire);
  const known = shared.get(key);
  if (known !== undefined) return known;
  const members = wire.members.map(({ parts, ...member }) =>
    Object.freeze({ ...member, parts: Object.freeze(parts.map(frozen)) }),
  );
  const slice = Object.freeze({ ...wire, members: Object.freeze(members) });
  if (members.length > 1) shared.set(key, slice);
  return slice;
}

function wireKey({ protocol, raw }: WireSlice): string {
  return `${protocol}\n${raw}`;
}

function frozen<One extends Part>(part: One): One {
  if (part.kind === "tool-result") Object.freeze(part.content).forEach(frozen);
  if (part.kind === "image" || part.kind === "file") Object.freeze(part.source);
  return Object.freeze(part);
}

/** Each part as the object it was decoded as, where it says the same; each of those is taken once. */
function formerOrOwn<One extends Part>(parts: readonly One[], former: readonly Part[]): readonly One[] {
  const left = new Map(former.map((part) => [part, JSON.stringify(part)]));
  return parts.map((part) => {
    const text = JSON.stringify(part);
    for (const [was, itsText] of left) {
      if (itsText !== text) continue;
      left.delete(was);
      return was as One;
    }
    const was =
      part.kind === "tool-result" ? former.find(({ kind, at }) => kind === part.kind && at === part.at) : undefined;
    if (part.kind !== "tool-result" || was?.kind !== "tool-result") return frozen(part);
    return frozen({ ...part, content: formerOrOwn<ContentPart>(part.content, was.content) });
  });
}

/** Under a tenth (Zhang 2026, section 17). */
const SAVINGS_SHARE_MIN = 0.1;

export const SAVED_LITTLE_ADVICE = "start a fresh session, or compact with a focus";

/** Of what there was beside system prompt and tools, which no compaction makes smaller. */
export function savedLittle({ tokens: { before, after }, parts }: Pick<CompactionReport, "tokens" | "parts">): boolean {
  return before - after < (before - parts.system - parts.tools) * SAVINGS_SHARE_MIN;
}
