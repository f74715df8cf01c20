/** A whole answer of Chat Completions that was to be plain text. */
import { plain, textOfBlocks, type PlainAnswer } from "../answers/plain.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, listOf, textOf } from "../fields.ts";

export function readChatAnswer(answer: Fields): PlainAnswer | undefined {
  const choice = fieldsOf(listOf(answer["choices"])[0]);
  const message = fieldsOf(choice["message"]);
  if (Object.keys(message).length === 0) return undefined;
  const { content, tool_calls: toolCalls, function_call: functionCall, refusal } = message;
  const stop = choice["finish_reason"];
  return plain(textOf(content) ?? textOfBlocks(listOf(content).map(fieldsOf), "text"), {
    calls: listOf(toolCalls).length > 0 || (functionCall !== undefined && functionCall !== null),
    refused: stop === "content_filter" || (textOf(refusal) ?? "") !== "",
    length: stop === "length",
  });
}
