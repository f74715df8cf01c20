/** Chat Completions as the vendor's server has it: requests judged and rendered, errors in its words. */
import { breakpointIn, checkLifetimes, CHAT_TTLS } from "../caches/lifetimes.ts";
import { countOf, fieldsOf, listOf, textOf, blocksOf, type Fields } from "../../../src/protocols/fields.ts";
import { type Block, type Prompt } from "../contract.ts";
import { invalid, type Refusal, checkPictures } from "../../../src/protocols/request-form/openai-refusals.ts";
import { isOver, OPENAI_WORDS } from "../openai-words.ts";
import { checkReturnedReasoning } from "../../../src/protocols/request-form/form.ts";
import type { ModelTraits } from "../traits.ts";
import {
  CALL_TOKENS,
  canonical,
  MESSAGE_TOKENS,
  promptOf,
  RESULT_TOKENS,
  textTokens,
  toolBlocks,
  weighContent,
} from "../weigh.ts";
import {
  acceptedAs,
  type AcceptedRequest,
  type JudgeRequest,
  type Wire,
  answersAtEnd,
  BODY_FORM,
  wordsOf,
} from "../wire.ts";
import { checkAlternation } from "./alternation.ts";
import { checkShape, contentsOf, messagesOf } from "../../../src/protocols/request-form/chat.ts";
import { checkPairs } from "./pairing.ts";
import { streamChat, streamChatError, chatReply } from "./reply.ts";

export const chatWire: Wire = {
  protocol: "openai-chat",
  ...OPENAI_WORDS,
  request: {
    ...BODY_FORM,
    lastSaid: (body) => wordsOf(fieldsOf(listOf(body["messages"]).at(-1))),
    answeredCalls: (body) =>
      answersAtEnd(messagesOf(body), (message) =>
        message["role"] === "tool" ? textOf(message["tool_call_id"]) : undefined,
      ),
  },
  render,
  judge,
  overflow,
  replyBody: chatReply,
  stream: streamChat,
  streamedError: streamChatError,
  streamsOverflow: false,
};

function judge({ incoming: { body }, traits, sealer }: JudgeRequest): Refusal | AcceptedRequest {
  const parts = messagesOf(body).flatMap(({ content }) => blocksOf(content));
  const wrong =
    checkShape(body) ??
    checkPictures(body, contentsOf(body)) ??
    checkPairs(messagesOf(body)) ??
    (traits.returnsReasoning === true ? checkReturnedReasoning(body) : undefined) ??
    (traits.alternates === true ? checkAlternation(messagesOf(body)) : undefined) ??
    checkLifetimes(body, { ttls: CHAT_TTLS, parts });
  if (wrong !== undefined) return wrong;
  return acceptedAs(render(body, traits), sealer);
}

function render(body: Fields, traits: ModelTraits): Prompt {
  const tools = toolBlocks(body["tools"]);
  return promptOf(
    [...tools, ...messagesOf(body).flatMap((message) => renderMessage(message, traits.imageTokens))],
    traits,
    {
      messageSettings: "",
      maxOutputTokens: countOf(body["max_completion_tokens"]) ?? countOf(body["max_tokens"]),
    },
  );
}

function renderMessage(message: Fields, imageTokens: number): readonly Block[] {
  const { role, content, tool_calls: calls, refusal } = message;
  const weigh = weighContent(imageTokens);
  const parts = [...blocksOf(content), ...(typeof refusal === "string" ? [{ type: "refusal", refusal }] : [])];
  const head = `${String(role)} ${textOf(message["name"]) ?? ""} ${textOf(message["tool_call_id"]) ?? ""}`;
  const pieces = [
    ...parts.map((part) => ({ part, tokens: weigh(part) })),
    ...listOf(calls)
      .map(fieldsOf)
      .map((call) => ({ part: call, tokens: weighCall(call) })),
  ];
  const frame = MESSAGE_TOKENS + (role === "tool" ? RESULT_TOKENS : 0);
  if (pieces.length === 0) return [{ section: "messages", text: head, tokens: frame, ends: true }];
  return pieces.map(({ part, tokens }, at) => ({
    section: "messages",
    text: `${head} ${canonical(part)}`,
    tokens: tokens + (at === 0 ? frame : 0),
    ...breakpointIn(part),
    ...(at === pieces.length - 1 ? { ends: true as const } : {}),
  }));
}

function weighCall(call: Fields): number {
  const target = fieldsOf(call["function"] ?? call["custom"]);
  const given = textOf(target["arguments"]) ?? textOf(target["input"]) ?? "";
  return CALL_TOKENS + textTokens(textOf(target["name"]) ?? "") + textTokens(given);
}

function overflow(prompt: Prompt, windowTokens: number): Refusal | undefined {
  if (!isOver(prompt, windowTokens)) return undefined;
  const { inputTokens, maxOutputTokens = 0 } = prompt;
  const head = `This model's maximum context length is ${windowTokens} tokens. However, `;
  const message =
    inputTokens > windowTokens
      ? `${head}your messages resulted in ${inputTokens} tokens. Please reduce the length of the messages.`
      : `${head}you requested ${inputTokens + maxOutputTokens} tokens (${inputTokens} in the messages, ${maxOutputTokens} in the completion). Please reduce the length of the messages or completion.`;
  return invalid("window", message, { code: "context_length_exceeded", param: "messages" });
}
