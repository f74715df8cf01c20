/**
 * What keeps a rewritten request of Anthropic Messages from being refused for its thinking. A model that binds thinking to
 * what comes before it takes a rewritten conversation only with that thinking dropped: by the provider, where it is told
 * to, else by us, where the protocol allows it. What cannot be made safe goes out as it came.
 */
import type { Transcript } from "../../../core/transcript/message.ts";
import { fieldsOf, isFields, textOf } from "../../../protocols/fields.ts";
import { patchPath } from "../../../protocols/json/edit.ts";
import type { Decoded } from "../../../protocols/protocol.ts";
import type { BodyEdits } from "../../../session/markers.ts";
import type { HeaderLines } from "../../contract.ts";
import type { ThinkingRules } from "./models.ts";
import { holdsThinking, openTurnOf, opensWithThinking, withoutThinking } from "./turn.ts";

/** Beta headers: a list in one line or in several, whose order providers and caches may depend on, so that one is only ever added at its end. */
const BETA_HEADER = "anthropic-beta";

function betasIn(lines: HeaderLines): readonly string[] {
  return lines
    .filter(([name]) => name.toLowerCase() === BETA_HEADER)
    .flatMap(([, value]) => value.split(",").map((beta) => beta.trim()))
    .filter((beta) => beta !== "");
}

/** The same lines where it is there already. */
function withBeta(lines: HeaderLines, beta: string): HeaderLines {
  if (betasIn(lines).includes(beta)) return lines;
  const last = lines.findLastIndex(([name]) => name.toLowerCase() === BETA_HEADER);
  const line = lines[last];
  if (line === undefined) return [...lines, [BETA_HEADER, beta]];
  const [name, value] = line;
  return lines.with(last, [name, value.trim() === "" ? beta : `${value},${beta}`]);
}

const CONTROLS_BETA = "thinking-binding-controls-2026-08-01";

export interface ThinkingQuery {
  /** The request as the client sent it. */
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
  const asked = thinkingIn(request);
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
  const asked = thinkingIn(request);
  if (!asked.on || asked.mismatch === "drop_block") return true;
  if (asked.mismatch !== undefined) return false;
  if (rules.drops && !asked.hosted) return true;
  const turn = openTurnOf(transcript.messages);
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

function thinkingIn({ layout, body }: Decoded): ThinkingSettings {
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
  const before = openTurnOf(original.messages);
  if (before === undefined || !opensWithThinking(original.messages[before.first]!)) return true;
  const now = openTurnOf(sent.messages);
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
  const { bindingGiven } = thinkingIn(request);
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
  const turn = openTurnOf(sent.messages);
  const before = openTurnOf(transcript.messages);
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
