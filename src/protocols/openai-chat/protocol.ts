/** OpenAI Chat Completions, and the many servers that speak it. */
import { OPENS_FREELY } from "../dialect.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf, parsed } from "../fields.ts";
import { neverJoins } from "../decode.ts";
import {
  fixedRoutes,
  type ProtocolDefinition,
  type ProtocolMarks,
  flatFollowUp,
  declarationsIn,
  described,
  oneToolEach,
  strictness,
} from "../definition.ts";
import { openai, openaiMediaLimits } from "../openai-vendor.ts";
import { chatUsage } from "../usage.ts";
import { readMessage } from "./read.ts";
import { chatScreen, chatWhole } from "./screen.ts";
import { attaches, writeRun } from "./write.ts";
import {
  plain,
  textOfBlocks,
  type PlainAnswer,
  asksForStream,
  streamedBody,
  wholeBody,
  type WriteOwnAnswer,
  ENDS,
  failure,
  isFilled,
  NOTHING,
  type AnswerDialect,
  type AnswerSignal,
  type StreamedEvent,
} from "../answers/own-answer.ts";

const chatMarks: ProtocolMarks = {
  request: (request) => !("system" in request) && listOf(request["tools"]).some((tool) => "function" in fieldsOf(tool)),
  message: (message) =>
    message["role"] === "tool" ||
    message["role"] === "function" ||
    "tool_calls" in message ||
    "function_call" in message ||
    "reasoning_content" in message,
  blocks: ["image_url", "input_audio", "file", "refusal"],
  certain: {
    message: ({ role, ...message }) => "tool_calls" in message || role === "tool" || role === "function",
    blocks: ["image_url", "input_audio"],
  },
};

function readChatAnswer(answer: Fields): PlainAnswer | undefined {
  const choice = fieldsOf(listOf(answer["choices"])[0]);
  const message = fieldsOf(choice["message"]);
  if (Object.keys(message).length === 0) return undefined;
  const { content, tool_calls: toolCalls, function_call: functionCall, refusal } = message;
  const stop = choice["finish_reason"];
  return plain(textOf(content) ?? textOfBlocks(listOf(content).map(fieldsOf), "text"), {
    calls: listOf(toolCalls).length > 0 || (functionCall !== undefined && functionCall !== null),
    refused: stop === "content_filter" || (textOf(refusal) ?? "") !== "",
    length: stop === "length",
  });
}

/** Tools of Chat Completions: the declaration is under `function`, in older requests by itself. */
const chatTools = oneToolEach({
  // A legacy function has neither a type nor a wrapper.
  isOwn: (tool) =>
    isFields(tool["function"]) || isFields(tool["custom"]) || (tool["type"] === undefined && "parameters" in tool),
  read: (tool) =>
    declarationsIn(isFields(tool["function"]) ? fieldsOf(tool["function"]) : tool, ["input_schema", "parameters"]),
  tool: (declaration) => ({
    type: "function",
    function: { ...described(declaration), parameters: declaration.schema, ...strictness(declaration) },
  }),
});

/** "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40" (OpenAI). */
const MAX_CALL_ID_CHARS = 40;

const chatAnswers: AnswerDialect = {
  event: (event, began) => {
    if (event.data === "[DONE]") return ENDS;
    if (event.name === "error") return failure(event.data);
    return began && !mayMatter(event) ? NOTHING : readChunk(event.data);
  },
  whole: (members) => {
    const error = members.get("error");
    if (isFilled(error)) return failure(`{"error":${error}}`);
    const usage = chatUsage({ usage: parsed(members.get("usage")) });
    return { usage, ends: true, ...(isFilled(members.get("choices")) ? { begins: true } : {}) };
  },
};

const chatOwnAnswer: WriteOwnAnswer = ({ id, model, text, createdSeconds }, asked) => {
  const head = { id: `chatcmpl-${id}`, created: createdSeconds, model };
  if (!asksForStream(asked)) {
    const message = { role: "assistant", content: text, refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
    return wholeBody({ ...head, object: "chat.completion", choices, usage: USAGE });
  }
  const withUsage = fieldsOf(asked.member("stream_options"))["include_usage"] === true;
  const chunk = (delta: object, finish_reason: string | null) => ({
    data: {
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(withUsage ? { usage: null } : {}),
    },
  });
  const last = { data: { ...head, object: "chat.completion.chunk", choices: [], usage: USAGE } };
  return streamedBody([
    chunk({ role: "assistant", content: "" }, null),
    chunk({ content: text }, null),
    chunk({}, "stop"),
    ...(withUsage ? [last] : []),
    { data: END },
  ]);
};

export const openaiChat: ProtocolDefinition = {
  vendor: openai,
  dialect: {
    name: "openai-chat",
    rules: { protocol: "openai-chat", ...OPENS_FREELY },
    ids: { pattern: /^[\s\S]+$/, maxChars: MAX_CALL_ID_CHARS, unique: false },
    listKey: "messages",
    systemKeys: [],
    maxTokensKeys: ["max_completion_tokens", "max_tokens"],
    toolKeys: ["tools", "functions"],
    joins: neverJoins,
    read: readMessage,
    readSystem: () => undefined,
    lockOf: () => undefined,
    attaches,
    write: writeRun,
    writeSystem: () => undefined,
    systemInKey: () => false,
  },
  usage: chatUsage,
  routes: fixedRoutes({ "/chat/completions": { asks: "answer", label: "chat_completions" } }),
  marks: chatMarks,
  tools: chatTools,
  answers: chatAnswers,
  plainAnswer: readChatAnswer,
  ownAnswer: chatOwnAnswer,
  screen: chatScreen,
  wholeScreen: chatWhole,
  recall: {
    // Of several answers each would go on by itself; functions are what tools were before.
    isOpen: (member) => [undefined, null, 1].includes(member("n") as number) && member("functions") === undefined,
    answerForms: (member) => [member("response_format")],
  },
  followUp: flatFollowUp({ type: undefined }),
  markers: "openrouter",
  mediaLimits: openaiMediaLimits,
  textBlock: "text",
};

const FINISH_KEY = '"finish_reason":';
/** Z.ai names the window as the reason why an answer ends. */
const WINDOW_STOP = "model_context_window_exceeded";

/** Most chunks hold a piece of text and are not parsed. Where usage is asked for, every chunk has the key, mostly with null. */
function mayMatter({ data }: StreamedEvent): boolean {
  const finish = data.indexOf(FINISH_KEY);
  if (finish < 0 || !data.startsWith("null", finish + FINISH_KEY.length)) return true;
  return data.includes('"prompt_tokens"') || data.includes('"error"');
}

function readChunk(data: string): AnswerSignal {
  const value = parsed(data);
  if (value === undefined) return { begins: true };
  const chunk = fieldsOf(value);
  const { error } = chunk;
  if ((error !== undefined && error !== null) || chunk["object"] === "error") return failure(data);
  const choices = listOf(chunk["choices"]).map(fieldsOf);
  const reasons = choices.flatMap((choice) => textOf(choice["finish_reason"]) ?? []);
  const usage = chatUsage(chunk);
  if (reasons.includes(WINDOW_STOP)) return { usage, overflow: { kind: "context" } };
  const begins = usage !== undefined || reasons.length > 0 || choices.some(hasContent);
  return { usage, ...(begins ? { begins } : {}), ...(reasons.length > 0 ? { ends: true } : {}) };
}

/** Anything but the role, and fields that are there without a value. */
function hasContent(choice: Fields): boolean {
  const delta = fieldsOf(choice["delta"] ?? choice["message"]);
  return Object.entries(delta).some(([key, value]) => key !== "role" && isValue(value));
}

function isValue(value: unknown): boolean {
  return value !== null && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);
}

const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
const END = "[DONE]";
