/** An answer of Anthropic Messages: whole, or as the events of a stream in the order the vendor sends them. */
import { parsedObject } from "../arguments.ts";
import type { Fields, Refusal, ReplyBlock, Stop, StreamEvent, Telling, TokenUse } from "../contract.ts";
import { piecesOf } from "../pieces.ts";

const STOP_REASONS: Readonly<Record<Stop, string>> = {
  stop: "end_turn",
  tools: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  window: "model_context_window_exceeded",
};

export function tellMessage(telling: Telling): Fields {
  return {
    ...head(telling),
    content: telling.reply.blocks.map((block) => wireBlock(block, telling)),
    stop_reason: STOP_REASONS[telling.reply.stop],
    stop_sequence: null,
    usage: { ...inputUsage(telling.use), output_tokens: telling.outputTokens, service_tier: "standard" },
    ...(telling.transformations === undefined ? {} : { input_transformations: telling.transformations }),
  };
}

function head({ id, model }: Pick<Telling, "id" | "model">): Fields {
  return { id: `msg_${id}`, type: "message", role: "assistant", model };
}

function inputUsage(use: TokenUse): Fields {
  const written = use.cacheWrite5mTokens + use.cacheWrite1hTokens;
  return {
    input_tokens: use.inputTokens - use.cacheReadTokens - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: use.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: use.cacheWrite5mTokens,
      ephemeral_1h_input_tokens: use.cacheWrite1hTokens,
    },
  };
}

function wireBlock(block: ReplyBlock, { seal }: Telling): Fields {
  switch (block.kind) {
    case "thinking":
      return { type: "thinking", thinking: block.text, signature: seal(block.text) };
    case "call":
      return { type: "tool_use", id: block.id, name: block.name, input: parsedObject(block.arguments) };
    case "text":
    case "compaction":
      return { type: "text", text: block.text };
  }
}

export function* streamMessage(telling: Telling): Generator<StreamEvent> {
  const { reply, use, outputTokens, transformations } = telling;
  const opened = { ...inputUsage(use), output_tokens: 1, service_tier: "standard" };
  const message = { ...head(telling), content: [], stop_reason: null, stop_sequence: null, usage: opened };
  const told = transformations === undefined ? message : { ...message, input_transformations: transformations };
  yield event("message_start", { message: told });
  yield event("ping", {});
  for (const [index, block] of reply.blocks.entries()) yield* streamBlock(block, index, telling);
  yield event("message_delta", {
    delta: { stop_reason: STOP_REASONS[reply.stop], stop_sequence: null },
    usage: { ...inputUsage(use), output_tokens: outputTokens },
  });
  yield event("message_stop", {});
}

function* streamBlock(block: ReplyBlock, index: number, telling: Telling): Generator<StreamEvent> {
  const delta = (fields: Fields, tokens = 0): StreamEvent =>
    event("content_block_delta", { index, delta: fields }, tokens);
  yield event("content_block_start", { index, content_block: emptied(wireBlock(block, telling)) });
  switch (block.kind) {
    case "thinking":
      for (const { text, tokens } of piecesOf(block.text))
        yield delta({ type: "thinking_delta", thinking: text }, tokens);
      yield delta({ type: "signature_delta", signature: telling.seal(block.text) });
      break;
    case "call":
      yield delta({ type: "input_json_delta", partial_json: "" });
      for (const { text, tokens } of piecesOf(JSON.stringify(parsedObject(block.arguments))))
        yield delta({ type: "input_json_delta", partial_json: text }, tokens);
      break;
    case "text":
    case "compaction":
      for (const { text, tokens } of piecesOf(block.text)) yield delta({ type: "text_delta", text }, tokens);
  }
  yield event("content_block_stop", { index });
}

/** A block as it starts: its texts come in deltas. */
function emptied(block: Fields): Fields {
  switch (block["type"]) {
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "tool_use":
      return { ...block, input: {} };
    default:
      return { ...block, text: "" };
  }
}

export function* streamMessageError({ message, type = "invalid_request_error" }: Refusal): Generator<StreamEvent> {
  yield event("error", { error: { type, message } });
}

function event(name: string, fields: Fields, tokens = 0): StreamEvent {
  return { event: name, data: { type: name, ...fields }, tokens };
}
