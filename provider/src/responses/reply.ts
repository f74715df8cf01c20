/** An answer of Responses: whole, or as the events of a stream in the order the vendor sends them. */
import { listOf, type Fields } from "../../../src/protocols/fields.ts";
import type { ReplyBlock, StreamEvent, ReplyToSend } from "../contract.ts";
import type { Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import { piecesOf } from "../stream.ts";
import { asksForCompaction, compacted } from "./compaction.ts";
import { itemsOf } from "../../../src/protocols/request-form/responses.ts";

export function responseReply(toSend: ReplyToSend): Fields {
  const output = toSend.reply.blocks.map((block, at) => wireItem(block, at, toSend));
  const { path, body } = toSend.incoming;
  if (asksForCompaction(path)) {
    const { usage } = ending(toSend);
    return { id: `resp_${toSend.id}`, created_at: toSend.created, ...compacted(output[0]!, itemsOf(body)), usage };
  }
  return { ...frame(toSend, toSend.incoming.body), ...ending(toSend), output };
}

type Head = Pick<ReplyToSend, "id" | "created" | "model">;

function frame({ id, created, model }: Head, body: Fields = {}): Fields {
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: created,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: body["max_output_tokens"] ?? null,
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: body["previous_response_id"] ?? null,
    store: body["store"] ?? true,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_p: 1,
    truncation: "disabled",
    usage: null,
    metadata: {},
  };
}

/** What becomes of the frame when the answer is whole. */
function ending(toSend: ReplyToSend): Fields {
  const { reply, use, outputTokens, reasoningTokens, tellsWrites } = toSend;
  const cut = { length: "max_output_tokens", window: "max_output_tokens", refusal: "content_filter" } as const;
  const reason = reply.stop === "stop" || reply.stop === "tools" ? undefined : cut[reply.stop];
  return {
    status: reason === undefined ? "completed" : "incomplete",
    incomplete_details: reason === undefined ? null : { reason },
    usage: {
      input_tokens: use.inputTokens,
      input_tokens_details: {
        cached_tokens: use.cacheReadTokens,
        ...(tellsWrites ? { cache_write_tokens: use.cacheWriteTokens } : {}),
      },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: reasoningTokens },
      total_tokens: use.inputTokens + outputTokens,
    },
  };
}

const outputText = (text: string): Fields => ({ type: "output_text", text, annotations: [], logprobs: [] });

function wireItem(block: ReplyBlock, at: number, { id, seal, incoming }: ReplyToSend): Fields {
  const place = `${id}${at}`;
  switch (block.kind) {
    case "thinking": {
      const encrypted = listOf(incoming.body["include"]).includes("reasoning.encrypted_content");
      const summary = block.text === "" ? [] : [{ type: "summary_text", text: block.text }];
      return {
        id: `rs_${place}`,
        type: "reasoning",
        summary,
        ...(encrypted ? { encrypted_content: seal(block.text) } : {}),
      };
    }
    case "text":
      return {
        id: `msg_${place}`,
        type: "message",
        status: "completed",
        role: "assistant",
        content: [outputText(block.text)],
      };
    case "call": {
      const { id: callId, name, arguments: given, custom } = block;
      if (custom)
        return {
          id: `ctc_${place}`,
          type: "custom_tool_call",
          status: "completed",
          call_id: callId,
          name,
          input: given,
        };
      return { id: `fc_${place}`, type: "function_call", status: "completed", call_id: callId, name, arguments: given };
    }
    case "compaction":
      return { id: `cmp_${place}`, type: "compaction", encrypted_content: seal(block.text) };
  }
}

type Say = (type: string, fields: Fields, tokens?: number) => StreamEvent;

function numbered(): Say {
  let next = 0;
  return (type, fields, tokens = 0) => ({ event: type, data: { type, sequence_number: next++, ...fields }, tokens });
}

export function* streamResponse(toSend: ReplyToSend): Generator<StreamEvent> {
  const say = numbered();
  const started = frame(toSend, toSend.incoming.body);
  yield say("response.created", { response: started });
  yield say("response.in_progress", { response: started });
  const isTriggered = itemsOf(toSend.incoming.body).at(-1)?.["type"] === "compaction_trigger";
  for (const [at, block] of toSend.reply.blocks.entries())
    yield* streamItem(block, wireItem(block, at, toSend), { say, output_index: at, isTriggered });
  const whole = responseReply(toSend);
  yield say(whole["status"] === "completed" ? "response.completed" : "response.incomplete", { response: whole });
}

interface Spot {
  readonly say: Say;
  readonly output_index: number;
  /** A `compaction_trigger` asked for the item: its progress is reported (https://developers.openai.com/api/reference/resources/responses/streaming-events). */
  readonly isTriggered: boolean;
}

function* streamItem(
  block: ReplyBlock,
  item: Fields,
  { say, output_index, isTriggered }: Spot,
): Generator<StreamEvent> {
  const spot = { item_id: item["id"], output_index };
  yield say("response.output_item.added", { output_index, item: opened(item) });
  switch (block.kind) {
    case "thinking":
      if (block.text !== "") yield* streamSummary(block.text, say, spot);
      break;
    case "text":
      yield* streamText(block.text, say, spot);
      break;
    case "call": {
      const [type, field] = block.custom
        ? (["response.custom_tool_call_input", "input"] as const)
        : (["response.function_call_arguments", "arguments"] as const);
      for (const { text, tokens } of piecesOf(block.arguments))
        yield say(`${type}.delta`, { ...spot, delta: text }, tokens);
      yield say(`${type}.done`, { ...spot, [field]: block.arguments });
      break;
    }
    case "compaction":
      if (isTriggered) yield say("response.compaction.compacting", spot);
  }
  yield say("response.output_item.done", { output_index, item });
}

/** An item as it starts: open, and without its texts. */
function opened(item: Fields): Fields {
  switch (item["type"]) {
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
    case "reasoning":
      return { ...item, summary: [] };
    default:
      return item;
  }
}

function* streamSummary(text: string, say: Say, item: Fields): Generator<StreamEvent> {
  const spot = { ...item, summary_index: 0 };
  const type = "response.reasoning_summary_";
  yield say(`${type}part.added`, { ...spot, part: { type: "summary_text", text: "" } });
  for (const piece of piecesOf(text)) yield say(`${type}text.delta`, { ...spot, delta: piece.text }, piece.tokens);
  yield say(`${type}text.done`, { ...spot, text });
  yield say(`${type}part.done`, { ...spot, part: { type: "summary_text", text } });
}

function* streamText(text: string, say: Say, item: Fields): Generator<StreamEvent> {
  const spot = { ...item, content_index: 0 };
  yield say("response.content_part.added", { ...spot, part: outputText("") });
  for (const piece of piecesOf(text))
    yield say("response.output_text.delta", { ...spot, delta: piece.text, logprobs: [] }, piece.tokens);
  yield say("response.output_text.done", { ...spot, text, logprobs: [] });
  yield say("response.content_part.done", { ...spot, part: outputText(text) });
}

/** After HTTP 200: the response fails before it says anything. */
export function* streamResponseError({ code, message }: Refusal, head: Head): Generator<StreamEvent> {
  const say = numbered();
  yield say("response.created", { response: frame(head) });
  yield say("response.in_progress", { response: frame(head) });
  const error = { code: code ?? "server_error", message };
  yield say("response.failed", { response: { ...frame(head), status: "failed", error } });
}
