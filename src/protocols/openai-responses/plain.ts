/** A whole answer of Responses that was to be plain text. */
import { plain, textOfBlocks, type PlainAnswer } from "../answers/plain.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, listOf } from "../fields.ts";

export function readResponsesAnswer(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["output"])) return undefined;
  const items = answer["output"].map(fieldsOf);
  const blocks = items.filter(({ type }) => type === "message").flatMap(({ content }) => listOf(content).map(fieldsOf));
  const why = fieldsOf(answer["incomplete_details"])["reason"];
  return plain(textOfBlocks(blocks, "output_text"), {
    calls: items.some(({ type }) => String(type).endsWith("_call")),
    refused: why === "content_filter" || blocks.some(({ type }) => type === "refusal"),
    length: why === "max_output_tokens",
  });
}
