/** How Gemini bodies are recognised: contents have parts, and nobody else's messages do. */
import type { ProtocolMarks } from "../definition.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf } from "../fields.ts";

/** Other formats have parts as well; theirs are tagged with a type. */
const isContent = ({ parts, ...message }: Fields): boolean =>
  Array.isArray(parts) && !("content" in message) && !parts.some((part) => fieldsOf(part)["type"] === "text");

const ROLES: ReadonlySet<unknown> = new Set([undefined, "user", "model", "function", "system"]);

export const geminiMarks: ProtocolMarks = {
  request: ({ contents }) => Array.isArray(contents) && contents.every((one) => isContent(fieldsOf(one))),
  message: isContent,
  standalone: (message) => isContent(message) && ROLES.has(message["role"]),
  blocks: [],
  certain: { message: isContent, blocks: [] },
};
