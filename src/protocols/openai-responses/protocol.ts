/** OpenAI Responses. */
import type { Message } from "../../core/transcript/message.ts";
import type { Draft, Entry } from "../dialect.ts";
import { COMPACTS_ITSELF, compactsItself } from "../held.ts";
import { overflowOf } from "../overflow.ts";
import { protocolOf } from "../protocol-of.ts";
import { responsesUsage } from "../usage.ts";
import { wireRules } from "../wire-rules.ts";
import { joins } from "./items.ts";
import { readItems } from "./read.ts";
import { writeRun } from "./write.ts";

/** The longest `call_id` a request may hold (OpenAI API reference, Responses, function_call). */
const MAX_CALL_ID_CHARS = 64;

export const openaiResponses = protocolOf(
  {
    name: "openai-responses",
    rules: wireRules["openai-responses"],
    ids: { pattern: /^[\s\S]+$/, maxChars: MAX_CALL_ID_CHARS, unique: false },
    listKey: "input",
    systemKey: "instructions",
    maxTokensKeys: ["max_output_tokens"],
    toolKeys: ["tools"],
    joins,
    read: readItems,
    readSystem: readInstructions,
    lockOf,
    attaches: () => false,
    write: writeRun,
    writeSystem: writeInstructions,
    systemInKey: (message, { first }) => first && onlyText(message) !== undefined,
  },
  { usage: responsesUsage, overflow: overflowOf },
);

function readInstructions(value: unknown): Draft | undefined {
  return typeof value === "string" && value !== ""
    ? { role: "system", parts: [{ kind: "text", text: value, at: 0 }] }
    : undefined;
}

/** Instructions are one string: what stands there is joined, other system messages are items of the list. */
function writeInstructions(entries: readonly Entry[]): string {
  return JSON.stringify(
    entries
      .flatMap(({ message }) => message.parts.flatMap((part) => (part.kind === "text" ? part.text : [])))
      .join("\n\n"),
  );
}

function onlyText({ parts }: Message): string | undefined {
  const [first] = parts;
  return parts.length === 1 && first?.kind === "text" ? first.text : undefined;
}

/** With the first two the provider holds the history, or a part of it, and the request shows only what is new. */
function lockOf(members: ReadonlyMap<string, string>): string | undefined {
  for (const key of ["previous_response_id", "conversation"]) {
    const text = members.get(key);
    if (text !== undefined && text !== "null") return `the provider holds the history (${key})`;
  }
  return compactsItself(members.get("context_management")) ? COMPACTS_ITSELF : undefined;
}
