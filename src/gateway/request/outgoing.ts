/**
 * The fifth step: what goes out for a prepared request. Its thinking stays valid, its model may recall, and its
 * cache markers are set.
 */
import { protocols } from "../../protocols/index.ts";
import type { Treatment } from "../contract.ts";
import { rootOf } from "../conversations/conversations.ts";
import { thinkingCourse, type ThinkingTreatment } from "../quirks/thinking.ts";
import type { HistoryContext } from "./context.ts";
import { type PreparedRequest, type OutgoingRequest } from "./model-request.ts";
import type { HiddenTools } from "../../protocols/answers/screen.ts";
import { withAlternatingRoles } from "../../protocols/openai-chat/alternate.ts";
import { applyEdits } from "../../protocols/json.ts";
import { readOutgoing, withMarkers, withoutStaleMarkers, type BodyEdits } from "../../session/markers.ts";
import { plainAnswer } from "../recall/recall.ts";

/** Why nothing new is compacted for a request. */
export type SkipReason = "client_compaction" | "bound_thinking" | undefined;

type Composing = Pick<
  PreparedRequest,
  "reading" | "withHiddenTurns" | "conversation" | "caching" | "prepared" | "model" | "upstream" | "alternates"
>;

export function composeOutgoing(context: HistoryContext, request: Composing, skipped: SkipReason): OutgoingRequest {
  const { edits, ...safe } = withSafeThinking(context, request, skipped);
  const body = finalBody(context, request, { body: safe.body, edits });
  return { ...safe, body: alternates(context, request) ? withAlternatingRoles(body) : body };
}

/** What is not compacted stays as its client wrote it. */
function alternates({ mode, alternation }: HistoryContext, request: Composing): boolean {
  const { reading, prepared, model, upstream } = request;
  if (mode === "observe" || reading.decoded.protocol !== "openai-chat" || !prepared.compacted) return false;
  return request.alternates === true || alternation.isWanted(upstream, model);
}

interface Unfinished {
  readonly body: string;
  /** What the thinking in it needs beside the transcript. */
  readonly edits: BodyEdits | undefined;
}

/** All edits of the body at once: those for its thinking, cache markers where they are wanted, and none that are stale. */
function finalBody({ mode, caching: settings }: HistoryContext, request: Composing, unfinished: Unfinished): string {
  const { reading, conversation, caching, prepared } = request;
  const { rules } = caching;
  const { body, edits } = unfinished;
  const unmarked = { ...unfinished, incoming: reading.decoded, before: conversation.outgoing };
  if (mode === "observe") return edits === undefined ? body : applyEdits(body, edits(readOutgoing(unmarked)));
  const marked =
    rules === undefined
      ? withoutStaleMarkers(unmarked)
      : withMarkers({
          ...unmarked,
          rules,
          ttl: settings.ttl,
          sent: body === reading.decoded.body ? reading.decoded.transcript : prepared.transcript,
          headMessages: settings.headMessages,
          measure: settings.measure,
          root: rootOf(reading),
        });
  conversation.outgoing = marked.outgoing;
  return marked.body;
}

const NO_TOOLS: HiddenTools = new Set();

interface SafeRequest extends OutgoingRequest {
  readonly edits?: BodyEdits | undefined;
}

/** A rewritten request is made safe for the thinking in it, or goes out as it came. */
function withSafeThinking(context: HistoryContext, request: Composing, skipped: SkipReason): SafeRequest {
  const { mode, thinking: rules, recall } = context;
  const { withHiddenTurns, conversation, prepared } = request;
  const { decoded } = request.reading;
  const { transcript } = prepared;
  const asItCame = { body: decoded.body, hiddenTools: NO_TOOLS };
  if (mode === "observe" && transcript !== withHiddenTurns.transcript)
    return { ...asItCame, treatment: { kind: "observed", ...tokenFigures(prepared) } };
  const course = thinkingCourse({ request: withHiddenTurns, sent: transcript, rules, stood: conversation.rewritten });
  if (course.kind === "untouched") return { ...asItCame, treatment: course };
  // From the first compaction on: before it there is nothing to recall, and at it what a provider caches begins again.
  const offers = prepared.recallable || withHiddenTurns !== decoded;
  const offered = recall?.offer(decoded, conversation.runtime, offers);
  const safe = course.kind === "send" ? course.transcript : transcript;
  const sent = offered === undefined ? safe : { ...safe, tools: offered.tools };
  const body = sent === decoded.transcript ? decoded.body : protocols[decoded.protocol].splice(decoded, sent);
  conversation.rewritten ||= prepared.compacted;
  return {
    body,
    edits: course.kind === "send" ? course.bodyEdits : undefined,
    dropsThinking: course.kind === "send" && course.bodyEdits !== undefined,
    hiddenTools: offered?.names ?? NO_TOOLS,
    treatment: treatmentOf(prepared, skipped),
    ...headerEdits(course, offered !== undefined),
  };
}

function tokenFigures({ before, tokens, lostRequests }: PreparedRequest["prepared"]) {
  return { tokens: { before, after: tokens }, ...(lostRequests > 0 ? { lostRequests } : {}) };
}

function treatmentOf(prepared: PreparedRequest["prepared"], skipped: SkipReason): Treatment {
  if (prepared.compacted)
    return { kind: "rewritten", fresh: prepared.compaction !== undefined, ...tokenFigures(prepared) };
  if (prepared.irreducible?.code === "keep_requests") return { kind: "untouched", because: "requests_kept" };
  // Thinking is in the way only where something would have been done.
  const untouched = skipped === "client_compaction" || (skipped !== undefined && prepared.soon);
  return untouched ? { kind: "untouched", because: skipped } : { kind: "unchanged" };
}

function headerEdits(course: ThinkingTreatment, isRead: boolean): Pick<OutgoingRequest, "editHeaders"> {
  const edit = course.kind === "send" ? course.editHeaders : undefined;
  if (isRead) return { editHeaders: (headers) => plainAnswer(edit?.(headers) ?? headers) };
  return edit === undefined ? {} : { editHeaders: edit };
}
