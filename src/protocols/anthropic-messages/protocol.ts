/** Anthropic Messages. */
import { neverJoins } from "../decode.ts";
import {
  fixedRoutes,
  type ProtocolDefinition,
  type ProtocolMarks,
  type ThreadForm,
  type ThreadRefusal,
  flatFollowUp,
  declarationsIn,
  described,
  oneToolEach,
  SERVER_ERROR_STATUS_MIN,
  type VendorDefinition,
} from "../definition.ts";
import { fieldsOf, parsed, textOf, isFields, listOf, type Fields } from "../fields.ts";
import { COMPACTS_ITSELF, compactsItself } from "../content.ts";
import { anthropicUsage, compactionUsage } from "../usage.ts";
import { readMessage, readSystem, wantsThinking, attaches, writeRun, writeSystem } from "./blocks.ts";
import { anthropicScreen, anthropicWhole } from "./screen.ts";
import {
  plain,
  textOfBlocks,
  type PlainAnswer,
  asksForStream,
  streamedBody,
  wholeBody,
  type WriteOwnAnswer,
  BEGINS,
  ENDS,
  failure,
  isFilled,
  NOTHING,
  typeOf,
  untypedFailure,
  type AnswerDialect,
  type AnswerSignal,
  readSteps,
  type AnswerStep,
} from "../answers/own-answer.ts";
import type { MediaLimits } from "../media-limits.ts";

const anthropicMarks: ProtocolMarks = {
  request: (request) =>
    "system" in request ||
    "anthropic_version" in request ||
    listOf(request["tools"]).some((tool) => "input_schema" in fieldsOf(tool)),
  message: () => false,
  blocks: ["tool_use", "tool_result", "thinking", "redacted_thinking", "document", "image", "server_tool_use"],
  block: (block) => isFields(block["source"]) || "cache_control" in block,
  certain: { message: () => false, blocks: ["tool_use", "tool_result", "redacted_thinking"] },
};

/** `pause_turn`: a tool of the provider's own is still at work. */
const MESSAGE_CALLS: ReadonlySet<string> = new Set(["tool_use", "pause_turn"]);

function readAnthropicAnswer(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["content"])) return undefined;
  const blocks = answer["content"].map(fieldsOf);
  const stop = String(answer["stop_reason"]);
  const calls = MESSAGE_CALLS.has(stop) || blocks.some(({ type }) => /tool_(?:use|result)$/.test(String(type)));
  return plain(textOfBlocks(blocks, "text"), { calls, refused: stop === "refusal", length: stop === "max_tokens" });
}

/** Tools of Anthropic Messages: declarations with an `input_schema`, and the provider's own, whose types end in a date. */
const anthropicTools = oneToolEach({
  isOwn: (tool) => "input_schema" in tool || /_\d{8}$/.test(textOf(tool["type"]) ?? ""),
  read: (tool) => declarationsIn(tool, ["input_schema"]),
  tool: (declaration) => ({ ...described(declaration), input_schema: declaration.schema }),
});

/** The provider names the pattern in its error and sets no length; this one keeps ids readable. */
const MAX_CALL_ID_CHARS = 128;

function readStep({ type, id }: Fields): AnswerStep | undefined {
  if (type === "thinking" || type === "redacted_thinking") return { kind: "reasoning" };
  return type === "tool_use" && typeof id === "string" ? { kind: "call", id } : undefined;
}

const anthropicAnswers: AnswerDialect = {
  event: (received) => {
    switch (typeOf(received)) {
      case "ping":
        return NOTHING;
      case "message_start":
        return readStart(parsed(received.data));
      case "message_delta":
        return readDelta(parsed(received.data));
      case "content_block_start":
        return { ...BEGINS, ...readSteps(received.data, (started) => readStep(fieldsOf(started["content_block"]))) };
      case "message_stop":
        return ENDS;
      case "error":
        return failure(received.data);
      default:
        return untypedFailure(received) ?? BEGINS;
    }
  },
  whole: (members) => {
    const answer = { usage: parsed(members.get("usage")) };
    const usage = anthropicUsage(answer);
    const windowFull = parsed(members.get("stop_reason")) === WINDOW_STOP;
    return {
      usage,
      besides: compactionUsage(answer),
      id: textOf(parsed(members.get("id"))),
      ends: true,
      ...readSteps(members.get("content"), readStep),
      ...(isFilled(members.get("content")) ? BEGINS : {}),
      ...(windowFull ? { overflow: { kind: "context" } } : {}),
    };
  },
};

const anthropicOwnAnswer: WriteOwnAnswer = ({ id, model, text }, asked) => {
  const use = anthropicThreads.useOf(asked.member);
  // The client continues where the provider's thread is, which knows nothing of this answer.
  const own = use?.kind === "continue" ? use.previousId : `msg_${id}`;
  const message = { id: own, type: "message", role: "assistant", model, usage: USAGE };
  if (!asksForStream(asked)) return wholeBody({ ...message, content: [{ type: "text", text }], ...ENDED });
  return streamedBody([
    event("message_start", { message: { ...message, content: [], ...OPEN } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: ENDED, usage: USAGE }),
    event("message_stop", {}),
  ]);
};

const anthropicThreads: ThreadForm = {
  useOf: (member) => {
    const thread = fieldsOf(member("thread"));
    if (thread["type"] === "create") return { kind: "create" };
    const previousId = textOf(thread["previous_message_id"]);
    return thread["type"] === "continue" ? { kind: "continue", previousId: previousId ?? "" } : undefined;
  },
  notFound: (previousId) =>
    refusal(NOT_FOUND_STATUS, "not_found_error", {
      message: `precis: the thread of ${previousId} is due for compaction. Send the full conversation with thread.type "create".`,
      details: { error_code: "thread_not_found" },
    }),
  unsupported: () =>
    refusal(BAD_REQUEST_STATUS, "invalid_request_error", {
      // Claude Code 2.1.268 goes by these first words of the message, later versions by the code.
      message:
        "capability_rejected: beta_header:message-threads-2026-08-12. precis: threads are not available for this conversation. Send the full conversation without `thread`.",
      details: { error_code: "thread_unsupported_request", unsupported: [] },
    }),
};

const anthropic: VendorDefinition = {
  name: "anthropic",
  url: "https://api.anthropic.com",
  telemetryName: "anthropic",
  isAddressed: (path, header) => /^\/v1\/messages(?:\/|$)/.test(path) || header("anthropic-version") !== undefined,
  errorBody: ({ status, code, message }) => ({ type: "error", error: { type: errorType(status), message, code } }),
};

export const anthropicMessages: ProtocolDefinition = {
  vendor: anthropic,
  dialect: {
    name: "anthropic-messages",
    rules: {
      protocol: "anthropic-messages",
      // The provider joins neighbours of one role itself; it refuses a conversation that an assistant opens.
      consecutiveRoles: "allowed",
      resultsInUserMessage: true,
      opensWithUser: true,
      systemInConversation: "behind_user",
    },
    ids: { pattern: /^[a-zA-Z0-9_-]+$/, maxChars: MAX_CALL_ID_CHARS, unique: true },
    listKey: "messages",
    systemKeys: ["system"],
    maxTokensKeys: ["max_tokens"],
    toolKeys: ["tools"],
    joins: neverJoins,
    read: readMessage,
    readsAlike: (model, other) => wantsThinking(model) === wantsThinking(other),
    readSystem,
    lockOf: findLock,
    attaches,
    write: writeRun,
    writeSystem,
    systemInKey: () => true,
  },
  usage: anthropicUsage,
  routes: fixedRoutes({
    "/messages": { asks: "answer", label: "messages" },
    "/messages/count_tokens": { asks: "count", label: "count_tokens" },
  }),
  marks: anthropicMarks,
  tools: anthropicTools,
  answers: anthropicAnswers,
  plainAnswer: readAnthropicAnswer,
  ownAnswer: anthropicOwnAnswer,
  screen: anthropicScreen,
  wholeScreen: anthropicWhole,
  recall: {
    // What the provider keeps goes on without the calls that were hidden.
    isOpen: (member) => anthropicThreads.useOf(member) === undefined,
    answerForms: (member) => [member("output_format"), member("output_config")],
  },
  followUp: flatFollowUp({ type: undefined }),
  threads: anthropicThreads,
  asksSummary: (member) => textOf(fieldsOf(member("compaction"))["type"]) !== undefined,
  markers: "native",
  mediaLimits: anthropicMediaLimits,
  textBlock: "text",
};

function findLock(members: ReadonlyMap<string, string>): string | undefined {
  const use = anthropicThreads.useOf((key) => parsed(members.get(key)));
  if (use?.kind === "continue") return "the provider holds the history (thread)";
  return compactsItself(members.get("context_management")) ? COMPACTS_ITSELF : undefined;
}

const WINDOW_STOP = "model_context_window_exceeded";

function readStart(start: unknown): AnswerSignal {
  return { usage: anthropicUsage(start), id: textOf(fieldsOf(fieldsOf(start)["message"])["id"]) };
}

function readDelta(delta: unknown): AnswerSignal {
  const usage = anthropicUsage(delta);
  const windowFull = fieldsOf(fieldsOf(delta)["delta"])["stop_reason"] === WINDOW_STOP;
  const spent = { usage, besides: compactionUsage(delta) };
  return windowFull ? { ...spent, overflow: { kind: "context" } } : { ...spent, begins: true };
}

const USAGE = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
const ENDED = { stop_reason: "end_turn", stop_sequence: null };
const OPEN = { stop_reason: null, stop_sequence: null };

function event(name: string, fields: Fields) {
  return { name, data: { type: name, ...fields } };
}

const NOT_FOUND_STATUS = 404;
const BAD_REQUEST_STATUS = 400;

function refusal(status: number, type: string, error: Readonly<Record<string, unknown>>): ThreadRefusal {
  return { status, body: JSON.stringify({ type: "error", error: { type, ...error } }) };
}

/** The names that Anthropic's error reference gives for its statuses. */
function errorType(status: number): string {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 503:
      return "overloaded_error";
    case 504:
      return "timeout_error";
    default:
      return status < SERVER_ERROR_STATUS_MIN ? "invalid_request_error" : "api_error";
  }
}

const SMALL_WINDOW_TOKENS = 200_000;

const LIMITS: MediaLimits = Object.freeze({
  bodyBytes: 32 * 1024 * 1024,
  images: 600,
  imageSide: 8_000,
  manyImages: 20,
  manyImageSide: 2_000,
});
const SMALL_LIMITS: MediaLimits = Object.freeze({ ...LIMITS, images: 100 });

/** Undefined for other vendors' models, which set limits of their own. */
export function anthropicMediaLimits(model: string | undefined, windowTokens: number): MediaLimits | undefined {
  if (wantsThinking(model)) return undefined;
  return windowTokens <= SMALL_WINDOW_TOKENS ? SMALL_LIMITS : LIMITS;
}
