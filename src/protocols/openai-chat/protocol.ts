/** OpenAI Chat Completions, and the many servers that speak it. */
import { neverJoins } from "../decode.ts";
import { overflowOf } from "../overflow.ts";
import { protocolOf } from "../protocol-of.ts";
import { chatUsage } from "../usage.ts";
import { wireRules } from "../wire-rules.ts";
import { readMessage } from "./read.ts";
import { attaches, writeRun } from "./write.ts";

/** "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40" (OpenAI). */
const MAX_CALL_ID_CHARS = 40;

export const openaiChat = protocolOf(
  {
    name: "openai-chat",
    rules: wireRules["openai-chat"],
    ids: { pattern: /^[\s\S]+$/, maxChars: MAX_CALL_ID_CHARS, unique: false },
    listKey: "messages",
    systemKey: undefined,
    maxTokensKeys: ["max_completion_tokens", "max_tokens"],
    toolKeys: ["tools", "functions"],
    joins: neverJoins,
    read: readMessage,
    readSystem: () => undefined,
    lockOf: () => undefined,
    attaches,
    write: writeRun,
    writeSystem: () => undefined,
    systemInKey: () => false,
  },
  { usage: chatUsage, overflow: overflowOf },
);
