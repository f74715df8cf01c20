/**
 * Anthropic's rule of pairs: what a message calls is answered in the very next one, by a user, results before all else
 * (https://github.com/github/copilot-cli/issues/102, https://github.com/apify/tester-mcp-client/issues/12).
 */
import { textOf, type Fields } from "../../../src/protocols/fields.ts";
import { firstRefusal, invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import { messagesOf, placed, type PlacedBlock } from "../../../src/protocols/request-form/anthropic.ts";

const isCall = ({ block }: PlacedBlock): boolean => block["type"] === "tool_use";
const isResult = ({ block }: PlacedBlock): boolean => block["type"] === "tool_result";
const idOf = ({ block }: PlacedBlock): string => textOf(block["id"]) ?? textOf(block["tool_use_id"]) ?? "";

export function checkPairs(body: Fields): Refusal | undefined {
  const messages = messagesOf(body);
  const content = messages.map(placed);
  const called = content.flatMap((blocks) => blocks.filter(isCall).map(idOf));
  if (new Set(called).size < called.length) return invalid("pairing", "messages: `tool_use` ids must be unique");
  return firstRefusal(content, (blocks, at) => {
    const callsBefore = messages[at - 1]?.["role"] === "assistant" ? content[at - 1]!.filter(isCall).map(idOf) : [];
    return (
      checkResults(blocks, callsBefore) ?? checkAnswered(blocks.filter(isCall).map(idOf), content[at + 1] ?? [], at)
    );
  });
}

function checkResults(blocks: readonly PlacedBlock[], callsBefore: readonly string[]): Refusal | undefined {
  const seen = new Set<string>();
  return firstRefusal(blocks.filter(isResult), (result) => {
    const id = idOf(result);
    if (!callsBefore.includes(id))
      return invalid(
        "pairing",
        `${result.path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    if (seen.has(id))
      return invalid(
        "pairing",
        `${result.path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    seen.add(id);
    return undefined;
  });
}

/** Results that come after other blocks do not count, which is how the vendor enforces their order. */
function checkAnswered(calls: readonly string[], next: readonly PlacedBlock[], at: number): Refusal | undefined {
  const firstOther = next.findIndex((block) => !isResult(block));
  const results = new Set(next.slice(0, firstOther < 0 ? undefined : firstOther).map(idOf));
  const open = calls.filter((id) => !results.has(id));
  if (open.length === 0) return undefined;
  return invalid(
    "pairing",
    `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}
