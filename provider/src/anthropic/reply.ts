/** An answer of Anthropic Messages: whole, or as the events of a stream in the order the vendor sends them. */
import { parsedObject } from "../arguments.ts";
import type { ReplyBlock, Stop, StreamEvent, ReplyToSend, TokenUse } from "../contract.ts";
import type { Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import type { Fields } from "../../../src/protocols/fields.ts";
import { piecesOf } from "../stream.ts";
import { textTokens } from "../weigh.ts";

const STOP_REASONS: Readonly<Record<Stop, string>> = {
  stop: "end_turn",
  tools: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  window: "model_context_window_exceeded",
};

export function messageReply(toSend: ReplyToSend): Fields {
  return {
    ...head(toSend),
    content: toSend.reply.blocks.map((block) => wireBlock(block, toSend)),
    stop_reason: stopReason(toSend.reply),
    stop_sequence: null,
    usage: { ...usageOf(toSend), service_tier: "standard" },
    ...(toSend.transformations === undefined ? {} : { input_transformations: toSend.transformations }),
  };
}

function stopReason({ blocks, stop }: ReplyToSend["reply"]): string {
  return blocks.length > 0 && blocks.every(isCompaction) ? "compaction" : STOP_REASONS[stop];
}

const isCompaction = ({ kind }: ReplyBlock): boolean => kind === "compaction";

/** What a compaction took is reported beside the rest, and not in it. */
function usageOf(toSend: Pick<ReplyToSend, "reply" | "use" | "outputTokens">): Fields {
  const { reply, use, outputTokens } = toSend;
  const usage = { ...inputUsage(use), output_tokens: outputTokens };
  const summary = reply.blocks.find((block) => block.kind === "compaction");
  if (summary === undefined) return usage;
  if (reply.blocks.every(isCompaction))
    return { ...inputUsage(NO_USE), output_tokens: 0, iterations: [{ type: "compaction", ...usage }] };
  // The answer was given to the summary alone.
  const summaryTokens = textTokens(summary.text);
  const answered = { ...inputUsage({ ...NO_USE, inputTokens: summaryTokens }), output_tokens: outputTokens };
  const compaction = { type: "compaction", ...inputUsage(use), output_tokens: summaryTokens };
  return { ...answered, iterations: [compaction, { type: "message", ...answered }] };
}

const NO_USE: TokenUse = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  cacheWriteTokens: 0,
};

function head({ id, model }: Pick<ReplyToSend, "id" | "model">): Fields {
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

function wireBlock(block: ReplyBlock, { seal, signCompaction }: ReplyToSend): Fields {
  switch (block.kind) {
    case "thinking":
      return { type: "thinking", thinking: block.text, signature: seal(block.text) };
    case "call":
      return { type: "tool_use", id: block.id, name: block.name, input: parsedObject(block.arguments) };
    case "compaction": {
      const compaction = { type: "compaction", content: block.text, encrypted_content: null };
      if (signCompaction === undefined) return compaction;
      const signed = { ...compaction, tool_changes: [] };
      return { ...signed, signature: signCompaction(signed) };
    }
    case "text":
      return { type: "text", text: block.text };
  }
}

export function* streamMessage(toSend: ReplyToSend): Generator<StreamEvent> {
  const { reply, use, transformations } = toSend;
  const opened = {
    ...inputUsage(reply.blocks.some(isCompaction) ? NO_USE : use),
    output_tokens: 1,
    service_tier: "standard",
  };
  const message = { ...head(toSend), content: [], stop_reason: null, stop_sequence: null, usage: opened };
  const begun = transformations === undefined ? message : { ...message, input_transformations: transformations };
  yield event("message_start", { message: begun });
  yield event("ping", {});
  for (const [index, block] of reply.blocks.entries()) yield* streamBlock(block, index, toSend);
  yield event("message_delta", {
    delta: { stop_reason: stopReason(reply), stop_sequence: null },
    usage: usageOf(toSend),
  });
  yield event("message_stop", {});
}

function* streamBlock(block: ReplyBlock, index: number, toSend: ReplyToSend): Generator<StreamEvent> {
  const delta = (fields: Fields, tokens = 0): StreamEvent =>
    event("content_block_delta", { index, delta: fields }, tokens);
  yield event("content_block_start", { index, content_block: emptied(wireBlock(block, toSend)) });
  switch (block.kind) {
    case "thinking":
      for (const { text, tokens } of piecesOf(block.text))
        yield delta({ type: "thinking_delta", thinking: text }, tokens);
      yield delta({ type: "signature_delta", signature: toSend.seal(block.text) });
      break;
    case "call":
      yield delta({ type: "input_json_delta", partial_json: "" });
      for (const { text, tokens } of piecesOf(JSON.stringify(parsedObject(block.arguments))))
        yield delta({ type: "input_json_delta", partial_json: text }, tokens);
      break;
    case "compaction":
      yield delta({ type: "compaction_delta", content: block.text, encrypted_content: null });
      break;
    case "text":
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
    case "compaction":
      return { ...block, content: null };
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
