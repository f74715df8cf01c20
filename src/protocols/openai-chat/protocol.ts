/** OpenAI Chat Completions, and the many servers that speak it. */
import { OPENS_FREELY } from "../wire-rules.ts";
import { neverJoins } from "../decode.ts";
import { fixedRoutes, type ProtocolDefinition, type ProtocolMarks } from "../definition.ts";
import { flatFollowUp } from "../follow-up-form.ts";
import { openai, openaiMediaLimits } from "../openai-vendor.ts";
import { chatUsage } from "../usage.ts";
import { chatAnswers } from "./answers.ts";
import { chatOwnAnswer } from "./own-answer.ts";
import { chatPrompt } from "./prompt.ts";
import { readMessage } from "./read.ts";
import { chatScreen, chatWhole } from "./screen.ts";
import { attaches, writeRun } from "./write.ts";
import { fieldsOf, isFields, listOf, textOf } from "../fields.ts";
import { declarationsIn, described, oneToolEach, strictness } from "../tools.ts";
import { plain, textOfBlocks, type PlainAnswer } from "../answers/plain.ts";
import type { Fields } from "../dialect.ts";

/** How bodies of Chat Completions are recognised. */
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

/** A whole answer of Chat Completions that was to be plain text. */
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
  cachePrompt: chatPrompt,
  markers: "openrouter",
  mediaLimits: openaiMediaLimits,
  textBlock: "text",
};
