/** Whether a vendor would take the form of a request: its roles, content, ids and tools, its bytes and its pictures. */
import type { ProtocolName } from "../../core/protocols.ts";
import type { Fields } from "../dialect.ts";
import * as anthropic from "./anthropic.ts";
import * as pictures from "./anthropic.ts";
import * as chat from "./chat.ts";
import * as gemini from "./gemini.ts";
import * as openai from "./openai-refusals.ts";
import type { Refusal } from "./refusal.ts";
import * as responses from "./responses.ts";
import { checkReturnedReasoning, checkReturnedThinking } from "./returned-reasoning.ts";

export interface FormQuery {
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
    pictures.checkPictures(body, windowTokens),
  "google-gemini": (body, { bytes }) =>
    (bytes > gemini.BODY_BYTES_MAX ? gemini.TOO_LARGE : undefined) ?? gemini.checkContents(body),
};
