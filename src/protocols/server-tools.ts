/**
 * What others said within a conversation: tools that a provider runs itself, such as a web search, an adviser or code execution,
 * and other agents. In words, quoted or marked, so that nobody takes it for what the model or a person says.
 */
import type { Fields } from "./dialect.ts";
import { fieldsOf, isFields, textOf } from "./fields.ts";

/** What follows is not read; the block itself keeps it. */
const TOLD_CHARS_MAX = 20_000;
/** Members that hold words, and no data for the provider alone. */
const WORDS = [
  "title",
  "url",
  "text",
  "stdout",
  "stderr",
  "output",
  "logs",
  "error_code",
  "query",
  "queries",
  "results",
];
const INNER = ["content", "source", "action", "outputs", "codeExecutionResult"];

/** Undefined for a block that is nothing of the kind, or holds no words. */
export function toldBy(block: Fields): string | undefined {
  if (block["type"] === "agent_message") return agentWords(block);
  const tool = toolOf(block);
  if (tool === undefined) return undefined;
  const words = INNER.concat(WORDS).flatMap((key) => wordsIn(block[key]));
  if (words.length === 0) return undefined;
  const lines = words.join("\n").slice(0, TOLD_CHARS_MAX).split("\n");
  return [`[${tool.replaceAll("_", " ")}, run by the provider]`, ...lines.map((line) => `> ${line}`)].join("\n");
}

/** As harnesses mark what another agent reports; what is sealed can be read by the provider alone (Codex, multi-agent v2). */
function agentWords(item: Fields): string {
  const words = wordsIn(item["content"]).join("\n").slice(0, TOLD_CHARS_MAX);
  return `<agent-message from="${textOf(item["author"]) ?? "unknown"}">\n${words}\n</agent-message>`;
}

function wordsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [value.trim()];
  if (Array.isArray(value)) return value.flatMap(wordsIn);
  return isFields(value) ? [...WORDS, ...INNER].flatMap((key) => wordsIn(fieldsOf(value)[key])) : [];
}

/** Anthropic's results and OpenAI's items name their tool in their type; Google's parts are told by their member. */
function toolOf(block: Fields): string | undefined {
  if ("codeExecutionResult" in block) return "code_execution";
  return /^(.+?)_(?:tool_result|call)$/.exec(textOf(block["type"]) ?? "")?.[1];
}
