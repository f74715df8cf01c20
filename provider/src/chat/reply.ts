/** An answer of Chat Completions: whole, or as the chunks of a stream in the order the vendor sends them. */
import { fieldsOf, type Fields } from "../../../src/protocols/fields.ts";
import type { Reply, ReplyBlock, Stop, StreamEvent, ReplyToSend } from "../contract.ts";
import type { Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import { errorBody } from "../openai-words.ts";
import { piecesOf } from "../stream.ts";

/** What a stream of Chat Completions ends with. */
export const CHAT_END = "[DONE]";

const FINISH: Readonly<Record<Stop, string>> = {
  stop: "stop",
  tools: "tool_calls",
  length: "length",
  refusal: "content_filter",
  window: "length",
};

type Call = Extract<ReplyBlock, { kind: "call" }>;

const textIn = (reply: Reply, kind: "thinking" | "text"): string =>
  reply.blocks.map((block) => (block.kind === kind ? block.text : "")).join("");
const callsIn = (reply: Reply): readonly Call[] => reply.blocks.filter((block) => block.kind === "call");

export function chatReply(toSend: ReplyToSend): Fields {
  const { reply } = toSend;
  const calls = callsIn(reply).map(wireCall);
  const thought = textIn(reply, "thinking");
  const said = textIn(reply, "text");
  const message = {
    role: "assistant",
    content: said === "" && calls.length > 0 ? null : said,
    refusal: null,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...head(toSend, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH[reply.stop] }],
    usage: usage(toSend),
  };
}

function head({ id, created, model }: Pick<ReplyToSend, "id" | "created" | "model">, object: string): Fields {
  return { id: `chatcmpl-${id}`, object, created, model, service_tier: "default", system_fingerprint: null };
}

function usage({ use, outputTokens, reasoningTokens, tellsWrites }: ReplyToSend): Fields {
  return {
    prompt_tokens: use.inputTokens,
    completion_tokens: outputTokens,
    total_tokens: use.inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: use.cacheReadTokens,
      audio_tokens: 0,
      ...(tellsWrites ? { cache_write_tokens: use.cacheWriteTokens } : {}),
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: 0 },
  };
}

function wireCall({ id, name, arguments: given, custom }: Call): Fields {
  if (custom) return { id, type: "custom", custom: { name, input: given } };
  return { id, type: "function", function: { name, arguments: given } };
}

export function* streamChat(toSend: ReplyToSend): Generator<StreamEvent> {
  const { reply, incoming } = toSend;
  const withUsage = fieldsOf(incoming.body["stream_options"])["include_usage"] === true;
  const chunk = (delta: Fields, finish: string | null = null, tokens = 0): StreamEvent => ({
    data: {
      ...head(toSend, "chat.completion.chunk"),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage ? { usage: null } : {}),
    },
    tokens,
  });
  yield chunk({ role: "assistant", content: "", refusal: null });
  let calls = 0;
  for (const block of reply.blocks) {
    if (block.kind === "call") {
      yield* streamCall(block, calls, chunk);
      calls += 1;
      continue;
    }
    const field = block.kind === "thinking" ? "reasoning_content" : "content";
    for (const { text, tokens } of piecesOf(block.text)) yield chunk({ [field]: text }, null, tokens);
  }
  yield chunk({}, FINISH[reply.stop]);
  if (withUsage)
    yield { data: { ...head(toSend, "chat.completion.chunk"), choices: [], usage: usage(toSend) }, tokens: 0 };
  yield { data: CHAT_END, tokens: 0 };
}

function* streamCall(
  call: Call,
  index: number,
  chunk: (delta: Fields, finish: null, tokens: number) => StreamEvent,
): Generator<StreamEvent> {
  const { id, name, custom } = call;
  const [type, field] = custom ? (["custom", "input"] as const) : (["function", "arguments"] as const);
  yield chunk({ tool_calls: [{ index, id, type, [type]: { name, [field]: "" } }] }, null, 0);
  for (const { text, tokens } of piecesOf(call.arguments))
    yield chunk({ tool_calls: [{ index, [type]: { [field]: text } }] }, null, tokens);
}

/** Chat has no event for it: servers send the error in place of a chunk. */
export function* streamChatError(refusal: Refusal): Generator<StreamEvent> {
  yield { data: errorBody(refusal), tokens: 0 };
}
