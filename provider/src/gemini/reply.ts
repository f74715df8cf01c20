/** An answer of the Gemini API: whole, or as events that are each a response with the next parts. */
import { parsedObject } from "../arguments.ts";
import type { Reply, ReplyBlock, Stop, StreamEvent, ReplyToSend } from "../contract.ts";
import type { Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import type { Fields } from "../../../src/protocols/fields.ts";
import { statusName } from "../../../src/protocols/gemini/protocol.ts";
import { piecesOf } from "../stream.ts";

const FINISH: Readonly<Record<Stop, string>> = {
  stop: "STOP",
  tools: "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
  window: "MAX_TOKENS",
};

export function geminiReply(toSend: ReplyToSend): Fields {
  const parts = toSend.reply.blocks.map((block) => partOf(block, toSend));
  return response(toSend, parts, toSend.reply.stop);
}

function response(toSend: ReplyToSend, parts: readonly Fields[], stop: Stop | undefined): Fields {
  const { id, model } = toSend;
  const finish = stop === undefined ? {} : { finishReason: FINISH[stop] };
  return {
    candidates: [{ content: { parts, role: "model" }, ...finish, index: 0 }],
    usageMetadata: usage(toSend),
    modelVersion: model,
    responseId: id,
  };
}

function usage({ use, outputTokens, reasoningTokens }: ReplyToSend): Fields {
  return {
    promptTokenCount: use.inputTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: use.cacheReadTokens,
    totalTokenCount: use.inputTokens + outputTokens,
  };
}

function partOf(block: ReplyBlock, { seal, id: own }: Pick<ReplyToSend, "seal" | "id">): Fields {
  switch (block.kind) {
    case "thinking":
      return { text: block.text, thought: true };
    case "call": {
      const args = parsedObject(block.arguments);
      // Calls are known by their name and order, unless a script names them.
      const id = block.id.startsWith(`call_${own}`) ? {} : { id: block.id };
      return { functionCall: { ...id, name: block.name, args }, thoughtSignature: seal(block.arguments) };
    }
    default:
      return { text: block.text };
  }
}

export function* streamGemini(toSend: ReplyToSend): Generator<StreamEvent> {
  const { reply } = toSend;
  for (const block of reply.blocks) {
    if (block.kind === "call") {
      yield { data: response(toSend, [partOf(block, toSend)], undefined), tokens: callTokens(reply) };
      continue;
    }
    const lead = block.kind === "thinking" ? { thought: true } : {};
    for (const { text, tokens } of piecesOf(block.text))
      yield { data: response(toSend, [{ text, ...lead }], undefined), tokens };
  }
  yield { data: response(toSend, [{ text: "" }], reply.stop), tokens: 0 };
}

/** Calls come whole, in one event each. */
function callTokens({ blocks }: Reply): number {
  return blocks.length;
}

export function errorBody({ status, message, type }: Refusal): Fields {
  return { error: { code: status, message, status: type ?? statusName(status) } };
}

/** An error in the middle of a stream comes in place of a response. */
export function* streamGeminiError(refusal: Refusal): Generator<StreamEvent> {
  yield { data: errorBody(refusal), tokens: 0 };
}
