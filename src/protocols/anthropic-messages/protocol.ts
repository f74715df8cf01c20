/** Anthropic Messages. */
import { neverJoins } from "../decode.ts";
import { fixedRoutes, type ProtocolDefinition, type ProtocolMarks } from "../definition.ts";
import { fieldsOf, parsed, textOf, isFields, listOf } from "../fields.ts";
import { flatFollowUp } from "../follow-up-form.ts";
import { COMPACTS_ITSELF, compactsItself } from "../held.ts";
import { anthropicUsage } from "../usage.ts";
import { anthropicAnswers } from "./answers.ts";
import { anthropicMediaLimits } from "./limits.ts";
import { anthropicOwnAnswer } from "./own-answer.ts";
import { anthropicPrompt } from "./prompt.ts";
import { readMessage, readSystem, wantsThinking } from "./read.ts";
import { anthropicScreen, anthropicWhole } from "./screen.ts";
import { anthropicThreads } from "./threads.ts";
import { anthropic } from "./vendor.ts";
import { attaches, writeRun, writeSystem } from "./write.ts";
import { declarationsIn, described, oneToolEach } from "../tools.ts";
import { plain, textOfBlocks, type PlainAnswer } from "../answers/plain.ts";
import type { Fields } from "../dialect.ts";

/** How bodies of Anthropic Messages are recognised. */
const anthropicMarks: ProtocolMarks = {
  request: (request) =>
    "system" in request ||
    "anthropic_version" in request ||
    listOf(request["tools"]).some((tool) => "input_schema" in fieldsOf(tool)),
  message: () => false,
  blocks: ["tool_use", "tool_result", "thinking", "redacted_thinking", "document", "image", "server_tool_use"],
  block: (block) => isFields(block["source"]) || "cache_control" in block,
  certain: { message: () => false, blocks: ["tool_use", "tool_result", "redacted_thinking"] },
};

/** `pause_turn`: a tool of the provider's own is still at work. */
const MESSAGE_CALLS: ReadonlySet<string> = new Set(["tool_use", "pause_turn"]);

/** A whole answer that was to be plain text. */
function readAnthropicAnswer(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["content"])) return undefined;
  const blocks = answer["content"].map(fieldsOf);
  const stop = String(answer["stop_reason"]);
  const calls = MESSAGE_CALLS.has(stop) || blocks.some(({ type }) => /tool_(?:use|result)$/.test(String(type)));
  return plain(textOfBlocks(blocks, "text"), { calls, refused: stop === "refusal", length: stop === "max_tokens" });
}

/** Tools of Anthropic Messages: declarations with an `input_schema`, and the provider's own, whose types end in a date. */
const anthropicTools = oneToolEach({
  isOwn: (tool) => "input_schema" in tool || /_\d{8}$/.test(textOf(tool["type"]) ?? ""),
  read: (tool) => declarationsIn(tool, ["input_schema"]),
  tool: (declaration) => ({ ...described(declaration), input_schema: declaration.schema }),
});

/** The provider names the pattern in its error and sets no length; this one keeps ids readable. */
const MAX_CALL_ID_CHARS = 128;

export const anthropicMessages: ProtocolDefinition = {
  vendor: anthropic,
  dialect: {
    name: "anthropic-messages",
    rules: {
      protocol: "anthropic-messages",
      // The provider joins neighbours of one role itself; it refuses a conversation that an assistant opens.
      consecutiveRoles: "allowed",
      resultsInUserMessage: true,
      opensWithUser: true,
      systemInConversation: "behind_user",
    },
    ids: { pattern: /^[a-zA-Z0-9_-]+$/, maxChars: MAX_CALL_ID_CHARS, unique: true },
    listKey: "messages",
    systemKeys: ["system"],
    maxTokensKeys: ["max_tokens"],
    toolKeys: ["tools"],
    joins: neverJoins,
    read: readMessage,
    readsAlike: (model, other) => wantsThinking(model) === wantsThinking(other),
    readSystem,
    lockOf,
    attaches,
    write: writeRun,
    writeSystem,
    systemInKey: () => true,
  },
  usage: anthropicUsage,
  routes: fixedRoutes({
    "/messages": { asks: "answer", label: "messages" },
    "/messages/count_tokens": { asks: "count", label: "count_tokens" },
  }),
  marks: anthropicMarks,
  tools: anthropicTools,
  answers: anthropicAnswers,
  plainAnswer: readAnthropicAnswer,
  ownAnswer: anthropicOwnAnswer,
  screen: anthropicScreen,
  wholeScreen: anthropicWhole,
  recall: {
    // What the provider keeps goes on without the calls that were hidden.
    isOpen: (member) => anthropicThreads.useOf(member) === undefined,
    answerForms: (member) => [member("output_format"), member("output_config")],
  },
  followUp: flatFollowUp({ type: undefined }),
  threads: anthropicThreads,
  asksSummary: (member) => textOf(fieldsOf(member("compaction"))["type"]) !== undefined,
  cachePrompt: anthropicPrompt,
  markers: "native",
  mediaLimits: anthropicMediaLimits,
  textBlock: "text",
};

function lockOf(members: ReadonlyMap<string, string>): string | undefined {
  const use = anthropicThreads.useOf((key) => parsed(members.get(key)));
  if (use?.kind === "continue") return "the provider holds the history (thread)";
  return compactsItself(members.get("context_management")) ? COMPACTS_ITSELF : undefined;
}
