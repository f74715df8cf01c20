/** Anthropic Messages. */
import { neverJoins } from "../decode.ts";
import { COMPACTS_ITSELF, compactsItself } from "../held.ts";
import { overflowOf } from "../overflow.ts";
import { protocolOf } from "../protocol-of.ts";
import { anthropicUsage } from "../usage.ts";
import { wireRules } from "../wire-rules.ts";
import { readMessage, readSystem } from "./read.ts";
import { attaches, writeRun, writeSystem } from "./write.ts";

/** The provider names the pattern in its error and sets no length; this one keeps ids readable. */
const MAX_CALL_ID_CHARS = 128;

export const anthropicMessages = protocolOf(
  {
    name: "anthropic-messages",
    rules: wireRules["anthropic-messages"],
    ids: { pattern: /^[a-zA-Z0-9_-]+$/, maxChars: MAX_CALL_ID_CHARS, unique: true },
    listKey: "messages",
    systemKey: "system",
    maxTokensKeys: ["max_tokens"],
    toolKeys: ["tools"],
    joins: neverJoins,
    read: readMessage,
    readSystem,
    lockOf: (members) => (compactsItself(members.get("context_management")) ? COMPACTS_ITSELF : undefined),
    attaches,
    write: writeRun,
    writeSystem,
    systemInKey: () => true,
  },
  { usage: anthropicUsage, overflow: overflowOf },
);
