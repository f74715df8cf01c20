/**
 * What keeps a rewritten request of Anthropic Messages from being refused for its thinking. A model that binds thinking to
 * what comes before it takes a rewritten conversation only with that thinking dropped: by the provider, where it is told
 * to, else by us, where the protocol allows it. What cannot be made safe goes out as it came.
 */
import { type Transcript, withParts, type Message, type OpaquePart, type Part } from "../../core/transcript/message.ts";
import { fieldsOf, isFields, textOf } from "../../protocols/fields.ts";
import { patchPath, elementTexts, memberText } from "../../protocols/json.ts";
import type { Decoded } from "../../protocols/protocol.ts";
import type { BodyEdits } from "../../session/markers.ts";
import type { HeaderLines } from "../contract.ts";
import { amend, originsIn } from "../../core/compaction/revise.ts";
import { applyCompaction, type Compaction } from "../../core/compaction/compaction.ts";
import type { Estimator } from "../../core/engines/contract.ts";
import { bareName } from "../../models/registry/registry.ts";

/** Beta headers: a list in one line or in several, whose order providers and caches may depend on, so that one is only ever added at its end. */
const BETA_HEADER = "anthropic-beta";

function listBetas(lines: HeaderLines): readonly string[] {
  return lines
    .filter(([name]) => name.toLowerCase() === BETA_HEADER)
    .flatMap(([, value]) => value.split(",").map((beta) => beta.trim()))
    .filter((beta) => beta !== "");
}

/** The same lines where it is there already. */
function withBeta(lines: HeaderLines, beta: string): HeaderLines {
  if (listBetas(lines).includes(beta)) return lines;
  const last = lines.findLastIndex(([name]) => name.toLowerCase() === BETA_HEADER);
  const line = lines[last];
  if (line === undefined) return [...lines, [BETA_HEADER, beta]];
  const [name, value] = line;
  return lines.with(last, [name, value.trim() === "" ? beta : `${value},${beta}`]);
}

const CONTROLS_BETA = "thinking-binding-controls-2026-08-01";

export interface ThinkingQuery {
  readonly request: Decoded;
  /** What would go out in its place. */
  readonly sent: Transcript;
  readonly rules: ThinkingRules;
  /**
   * The conversation went out rewritten before, although nothing may be rewritten now: a compaction was undone, the store
   * does not answer, or the provider says that a block is bound (`thinkingRefusal`). Once true, true for good.
   */
  readonly stood?: boolean;
}

export type ThinkingTreatment =
  | { readonly kind: "nothing" }
  | { readonly kind: "untouched"; readonly because: "bound_thinking" }
  | {
      readonly kind: "send";
      /** What to splice in place of `sent`. */
      readonly transcript: Transcript;
      /** What else of the body changes, once the transcript is in it. */
      readonly bodyEdits?: BodyEdits;
      readonly editHeaders: (lines: HeaderLines) => HeaderLines;
    };

const AS_IT_IS: ThinkingTreatment = { kind: "nothing" };
const UNTOUCHED: ThinkingTreatment = { kind: "untouched", because: "bound_thinking" };

/** Call it for every request of which something was rewritten, now or before; the answer is the same for the same request. */
export function thinkingCourse(query: ThinkingQuery): ThinkingTreatment {
  const { request, sent, rules, stood = false } = query;
  if (request.protocol !== "anthropic-messages" || (sent === request.transcript && !stood)) return AS_IT_IS;
  const kind = rules.kindOf(sent.model ?? "");
  if (kind === "none") return AS_IT_IS;
  const asked = findThinking(request);
  if (!asked.on) return kind === "bound" && holdsThinking(sent.messages) ? stripped(sent) : AS_IT_IS;
  if (!keepsOpening(request.transcript, sent)) return UNTOUCHED;
  if (kind === "signed" || asked.mismatch === "drop_block") return AS_IT_IS;
  if (asked.mismatch !== undefined) return UNTOUCHED;
  return rules.drops && !asked.hosted ? dropping(sent, request) : withinTurns(query);
}

/**
 * Whether a compaction made for this request could go out: not where the open turn's thinking is bound and nothing but
 * the client's own conversation can come before it. What stands already is judged by `thinkingCourse`.
 */
export function allowsCompaction(request: Decoded, rules: ThinkingRules): boolean {
  const { transcript, protocol } = request;
  if (protocol !== "anthropic-messages" || rules.kindOf(transcript.model ?? "") !== "bound") return true;
  const asked = findThinking(request);
  if (!asked.on || asked.mismatch === "drop_block") return true;
  if (asked.mismatch !== undefined) return false;
  if (rules.drops && !asked.hosted) return true;
  const turn = findOpenTurn(transcript.messages);
  return turn === undefined || !holdsThinking(transcript.messages.slice(turn.start));
}

interface ThinkingSettings {
  readonly on: boolean;
  /** What the client wants done with thinking that no longer fits. */
  readonly mismatch: string | undefined;
  /** The client has a `block_binding` that leaves it open. */
  readonly bindingGiven: boolean;
  /** The request is in the form of a cloud platform, which has none of the beta settings. */
  readonly hosted: boolean;
}

function findThinking({ layout, body }: Decoded): ThinkingSettings {
  const member = layout.members.findLast(({ key }) => key === "thinking");
  const thinking = member === undefined ? {} : fieldsOf(JSON.parse(body.slice(member.start, member.end)));
  const binding = thinking["block_binding"];
  return {
    on: thinking["type"] === "enabled" || thinking["type"] === "adaptive",
    mismatch: textOf(fieldsOf(binding)["prefix_mismatch_behavior"]),
    bindingGiven: isFields(binding),
    hosted: layout.members.some(({ key }) => key === "anthropic_version"),
  };
}

/** With thinking on, the open turn has to begin with it where it did before: the compaction carries it. */
function keepsOpening(original: Transcript, sent: Transcript): boolean {
  const before = findOpenTurn(original.messages);
  if (before === undefined || !opensWithThinking(original.messages[before.first]!)) return true;
  const now = findOpenTurn(sent.messages);
  return now === undefined || opensWithThinking(sent.messages[now.first]!);
}

const sameHeaders = (lines: HeaderLines): HeaderLines => lines;

/** All or nothing: of thinking that is bound, none may be missing between two others. */
function stripped(sent: Transcript, until?: number): ThinkingTreatment {
  return { kind: "send", transcript: withoutThinking(sent, until), editHeaders: sameHeaders };
}

/** From the first rewritten request on, always: whether a block fails is the provider's to find. */
function dropping(sent: Transcript, request: Decoded): ThinkingTreatment {
  return { kind: "send", transcript: sent, ...droppingThinking(request) };
}

/** The changes with which the provider drops thinking that does not fit, and takes the rest. */
export function droppingThinking(request: Decoded) {
  const { bindingGiven } = findThinking(request);
  const patched = (thinking: string): string =>
    bindingGiven
      ? patchPath(thinking, ["block_binding", "prefix_mismatch_behavior"], '"drop_block"')
      : patchPath(thinking, ["block_binding"], '{"prefix_mismatch_behavior":"drop_block"}');
  const bodyEdits: BodyEdits = ({ body, layout }) => {
    const member = layout.members.findLast(({ key }) => key === "thinking");
    if (member === undefined) return [];
    const { start, end } = member;
    return [{ start, end, text: patched(body.slice(start, end)) }];
  };
  return { bodyEdits, editHeaders: (lines: HeaderLines) => withBeta(lines, CONTROLS_BETA) };
}

/**
 * Without the provider's help: thinking of earlier turns is left out, and that of the open turn was made under this very
 * prefix, because nothing is compacted while such a turn holds thinking (`allowsCompaction`). Where something was, say
 * because thinking was off for a while, it is not known any more which block is older than the compaction.
 */
function withinTurns({ request: { transcript }, sent }: ThinkingQuery): ThinkingTreatment {
  const turn = findOpenTurn(sent.messages);
  const before = findOpenTurn(transcript.messages);
  if (turn === undefined || before === undefined) return stripped(sent);
  const rewritten = transcript.messages.slice(before.start, untouchedFrom(transcript, sent));
  const mixed = holdsThinking(rewritten) && holdsThinking(sent.messages.slice(turn.start));
  return mixed ? UNTOUCHED : stripped(sent, turn.start);
}

/** Index in the client's conversation from which on it goes out as it came. */
function untouchedFrom({ messages }: Transcript, sent: Transcript): number {
  let from = messages.length;
  while (from > 0 && messages[from - 1] === sent.messages[sent.messages.length - messages.length + from - 1]) from--;
  return from;
}

/** Of several thoughts the newest is carried, unless it weighs more than this; then the lightest. */
const CARRIED_TOKENS_MAX = 2_000;

/**
 * The compaction with the open turn's thinking in place; itself where nothing is missing, and for protocols other than
 * Anthropic's. Whether thinking is on plays no part, because a record outlives the request it was made for: what is
 * carried comes from the very turn that goes on. `covered` grows to the message that takes it, in the client's own chain.
 */
export function carryThinking(compaction: Compaction, original: Transcript, estimator: Estimator): Compaction {
  const before = findOpenTurn(original.messages);
  if (before === undefined || !isOurs(original.messages[before.first]!)) return compaction;
  const rewritten = applyCompaction(original, compaction).messages;
  const turn = findOpenTurn(rewritten);
  if (turn === undefined) return compaction;
  const originOf = originsIn(compaction);
  const edits = new Map<number, Message>();
  for (const at of new Set([turn.first, turn.last])) {
    const whole = withOwnThinking(rewritten[at]!, original.messages[originOf(at) ?? -1]);
    if (whole !== rewritten[at]) edits.set(at, whole);
  }
  const first = edits.get(turn.first) ?? rewritten[turn.first]!;
  const needed = !opensWithThinking(first) && opensWithThinking(original.messages[before.first]!);
  const carried = needed ? carriedFrom(original.messages.slice(before.first, originOf(turn.first)), estimator) : [];
  if (carried.length > 0) edits.set(turn.first, withParts(first, [...carried, ...first.parts]));
  return amend(compaction, original, { edits, estimator });
}

function isOurs({ wire }: Message): boolean {
  return wire?.protocol === "anthropic-messages";
}

/** A rewritten message with the thinking it had, each block where it was. */
function withOwnThinking(message: Message, was: Message | undefined): Message {
  if (was === undefined || was === message) return message;
  const kept = new Set(message.parts);
  if (was.parts.every((part) => part.kind !== "reasoning" || kept.has(part))) return message;
  const edited = message.parts.filter(({ kind }) => kind !== "reasoning");
  const inPlace = was.parts.flatMap((part) =>
    part.kind === "reasoning" ? part : (edited.find(({ kind, at }) => kind === part.kind && at === part.at) ?? []),
  );
  const placed = new Set<Part>(inPlace);
  return withParts(message, [...inPlace, ...edited.filter((part) => !placed.has(part))]);
}

/** The thinking that one of these messages opens with. */
function carriedFrom(messages: readonly Message[], { measure }: Estimator): readonly OpaquePart[] {
  const thoughts = messages.flatMap((message) => {
    const parts = openingThoughts(message);
    return parts.length === 0 ? [] : [{ parts, tokens: measure.message({ role: "assistant", parts }) }];
  });
  const newest = thoughts.at(-1);
  if (newest === undefined || newest.tokens <= CARRIED_TOKENS_MAX) return newest?.parts ?? [];
  return thoughts.reduce((lightest, one) => (one.tokens <= lightest.tokens ? one : lightest)).parts;
}

function openingThoughts({ role, parts, wire }: Message): readonly OpaquePart[] {
  if (role !== "assistant" || wire === undefined || parts[0]?.kind !== "reasoning") return [];
  const end = parts.findIndex(({ kind }) => kind !== "reasoning");
  const texts = elementTexts(memberText(wire.raw, "content")!);
  return parts.slice(0, end < 0 ? parts.length : end).map(({ at }) => {
    const raw = texts[at!]!;
    return Object.freeze({ kind: "opaque", type: readType(raw), raw });
  });
}

function readType(block: string): string {
  return JSON.parse(memberText(block, "type") ?? '"thinking"') as string;
}

/** Longer refusals are about something else. */
const EXAMINED_CHARS_MAX = 16_384;
const REFUSED_STATUS = 400;

type ThinkingRefusal =
  /** A block comes after another conversation than the one it was made in. */
  | "bound"
  /** The open turn does not begin with thinking. */
  | "missing";

/** What Anthropic says in such a refusal; undefined where it is about something else. */
export function thinkingRefusal(status: number, bodyText: string): ThinkingRefusal | undefined {
  if (status !== REFUSED_STATUS || bodyText.length > EXAMINED_CHARS_MAX) return undefined;
  const message = messageIn(bodyText);
  if (message.includes("bound to a different conversation")) return "bound";
  return message.includes("must start with a thinking block") ? "missing" : undefined;
}

function messageIn(text: string): string {
  try {
    return textOf(fieldsOf(fieldsOf(JSON.parse(text))["error"])["message"]) ?? "";
  } catch {
    return "";
  }
}

type ThinkingKind =
  /** A block is refused where anything before it changed. */
  | "bound"
  /** A block is refused where its own text changed. */
  | "signed"
  /** Nobody looks. */
  | "none";

interface ModelLine {
  /** Matched against the bare name: lower case, no vendor, dots as dashes. */
  readonly name: RegExp;
  readonly kind: ThinkingKind;
}

/** The first line that matches counts. A new family name or a new scheme of numbers is one more line here. */
const MODELS: readonly ModelLine[] = [
  // claude-opus-5-1, claude-sonnet-5-5-20261002; not claude-opus-5-20260401, whose second number is a date.
  { name: /^claude-[a-z]+-5-[1-9]\d?(?!\d)/, kind: "bound" },
  // claude-opus-6, claude-haiku-7-2
  { name: /^claude-[a-z]+-(?:[6-9]|[1-9]\d)(?!\d)/, kind: "bound" },
  { name: /^claude-/, kind: "signed" },
];

export interface ThinkingRules {
  readonly kindOf: (model: string) => ThinkingKind;
  /** Whether the upstream knows `block_binding`: what fails to match is then dropped and not refused. */
  readonly drops: boolean;
}

interface ThinkingRulesOptions {
  /** By name or by the beginning of one; the longest that fits counts. */
  readonly models?: Readonly<Record<string, ThinkingKind>>;
  /** False for an upstream that takes none of Anthropic's beta settings. Default true. */
  readonly drops?: boolean;
}

export function thinkingRules({ models = {}, drops = true }: ThinkingRulesOptions = {}): ThinkingRules {
  const own = Object.entries(models)
    .map(([name, kind]) => ({ name: bareName(name), kind }))
    .toSorted((a, b) => b.name.length - a.name.length);
  const kindOf = (model: string): ThinkingKind => {
    const bare = bareName(model);
    const line = own.find(({ name }) => bare.startsWith(name)) ?? MODELS.find(({ name }) => name.test(bare));
    return line?.kind ?? "none";
  };
  return Object.freeze({ kindOf, drops });
}

interface OpenTurn {
  /** Index behind the last message in which a person spoke. */
  readonly start: number;
  readonly first: number;
  readonly last: number;
}

/** `undefined` where the request does not end in results; a system message behind them begins no new turn. */
function findOpenTurn(messages: readonly Message[]): OpenTurn | undefined {
  const end = messages.findLastIndex(({ role }) => role !== "system");
  if (!carriesResults(messages, end)) return undefined;
  const spoke = messages.findLastIndex(({ role }, at) => role === "user" && !carriesResults(messages, at));
  const first = messages.findIndex(({ role }, at) => at > spoke && role === "assistant");
  if (first < 0) return undefined;
  return { start: spoke + 1, first, last: messages.findLastIndex(({ role }) => role === "assistant") };
}

/** Whether the wire message that this one is written into holds results: its own, or those it comes after. */
function carriesResults(messages: readonly Message[], at: number): boolean {
  const message = messages[at];
  if (message?.role !== "user") return message?.role === "tool";
  let before = at - 1;
  for (; messages[before]?.role === "tool"; before--) if (messages[before]!.wire === message.wire) return true;
  return false;
}

function isThinking(part: Part): boolean {
  if (part.kind === "opaque") return part.type === "thinking" || part.type === "redacted_thinking";
  return part.kind === "reasoning";
}

function opensWithThinking({ parts }: Message): boolean {
  return parts[0] !== undefined && isThinking(parts[0]);
}

export function holdsThinking(messages: readonly Message[]): boolean {
  return messages.some(({ role, parts }) => role === "assistant" && parts.some(isThinking));
}

/** Without the thinking in the messages before `until`. A message without any is the same object. */
export function withoutThinking(transcript: Transcript, until = transcript.messages.length): Transcript {
  const messages = transcript.messages.map((message, at) => {
    if (at >= until || message.role !== "assistant" || !message.parts.some(isThinking)) return message;
    return Object.freeze({ ...message, parts: Object.freeze(message.parts.filter((part) => !isThinking(part))) });
  });
  return { ...transcript, messages };
}
