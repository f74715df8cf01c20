/** Whether a vendor would take the form of a request: its roles, content, ids and tools, its bytes and its pictures. */
import * as anthropic from "./anthropic.ts";
import * as chat from "./chat.ts";
import * as gemini from "./gemini.ts";
import * as openai from "./openai-refusals.ts";
import * as responses from "./responses.ts";
import type { ProtocolName } from "../../core/protocols.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../fields.ts";
import { type Refusal, firstRefusal, invalid } from "./openai-refusals.ts";

interface FormQuery {
  readonly bytes: number;
  readonly windowTokens: number;
  /** Whether the model's server wants its thinking back. */
  readonly returnsReasoning: boolean;
}

type CheckForm = (body: Fields, query: FormQuery) => Refusal | undefined;

/** What the vendor of each protocol says of a request, or of its messages alone; undefined if it takes it. */
export const checkForm: Readonly<Record<ProtocolName, CheckForm>> = {
  "openai-chat": (body, { bytes, returnsReasoning }) =>
    (bytes > openai.BODY_BYTES_MAX ? openai.TOO_LARGE : undefined) ??
    chat.checkShape(body) ??
    openai.checkPictures(body, chat.contentsOf(body)) ??
    (returnsReasoning ? checkReturnedReasoning(body) : undefined),
  "openai-responses": (body, { bytes }) =>
    (bytes > openai.BODY_BYTES_MAX ? openai.TOO_LARGE : undefined) ??
    responses.checkShape(body) ??
    openai.checkPictures(body, responses.contentsOf(responses.itemsOf(body))) ??
    responses.checkTrigger(responses.itemsOf(body)),
  "anthropic-messages": (body, { bytes, windowTokens, returnsReasoning }) =>
    (bytes > anthropic.BODY_BYTES_MAX ? anthropic.TOO_LARGE : undefined) ??
    anthropic.checkCharacters(body) ??
    anthropic.checkShape(body, { counting: true, systemTurns: true }) ??
    (returnsReasoning ? checkReturnedThinking(body) : undefined) ??
    anthropic.checkPictures(body, windowTokens),
  "google-gemini": (body, { bytes }) =>
    (bytes > gemini.BODY_BYTES_MAX ? gemini.TOO_LARGE : undefined) ?? gemini.checkContents(body),
};

function refused(field: string): Refusal {
  return invalid("reasoning", `The \`${field}\` in the thinking mode must be passed back to the API.`, {
    code: "invalid_request_error",
  });
}

/** They think unless they are told not to. */
function thinks(body: Fields): boolean {
  return fieldsOf(body["thinking"])["type"] !== "disabled" && body["reasoning_effort"] !== "none";
}

/** Of a request of Chat Completions to such a model. */
export function checkReturnedReasoning(body: Fields): Refusal | undefined {
  if (!thinks(body)) return undefined;
  return firstRefusal(listOf(body["messages"]).map(fieldsOf), ({ tool_calls: calls, reasoning_content: thought }) =>
    listOf(calls).length > 0 && typeof thought !== "string" ? refused("reasoning_content") : undefined,
  );
}

/** Of a request of Anthropic Messages to such a model. */
export function checkReturnedThinking(body: Fields): Refusal | undefined {
  if (!thinks(body)) return undefined;
  return firstRefusal(listOf(body["messages"]).map(fieldsOf), ({ content }) => {
    const types = listOf(content).map((block) => textOf(fieldsOf(block)["type"]) ?? "");
    return types.includes("tool_use") && !types.some((type) => type.endsWith("thinking"))
      ? refused("content[].thinking")
      : undefined;
  });
}
