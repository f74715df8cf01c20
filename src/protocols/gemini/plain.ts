/** A whole answer of the Gemini API that was to be plain text. */
import { plain, type PlainAnswer } from "../answers/plain.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, isFields, listOf, textOf } from "../fields.ts";

const REFUSED = new Set(["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"]);

export function readGeminiAnswer(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["candidates"]) && !isFields(answer["promptFeedback"])) return undefined;
  const candidate = fieldsOf(listOf(answer["candidates"])[0]);
  const parts = listOf(fieldsOf(candidate["content"])["parts"]).map(fieldsOf);
  const said = parts.flatMap((part) => (part["thought"] === true ? [] : (textOf(part["text"]) ?? [])));
  const reason = String(candidate["finishReason"]);
  return plain(said.join(""), {
    calls: parts.some((part) => "functionCall" in part || "executableCode" in part),
    refused: REFUSED.has(reason) || fieldsOf(answer["promptFeedback"])["blockReason"] !== undefined,
    length: reason === "MAX_TOKENS",
  });
}
