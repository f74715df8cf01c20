/** OpenAI Chat Completions, and the many servers that speak it. */
import { OPENS_FREELY } from "../wire-rules.ts";
import { neverJoins } from "../decode.ts";
import { fixedRoutes, type ProtocolDefinition } from "../definition.ts";
import { flatFollowUp } from "../follow-up-form.ts";
import { openai } from "../openai-vendor.ts";
import { chatUsage } from "../usage.ts";
import { chatAnswers } from "./answers.ts";
import { chatMarks } from "./marks.ts";
import { chatOwnAnswer } from "./own-answer.ts";
import { readChatAnswer } from "./plain.ts";
import { chatPrompt } from "./prompt.ts";
import { readMessage } from "./read.ts";
import { chatScreen, chatWhole } from "./screen.ts";
import { chatTools } from "./tools.ts";
import { attaches, writeRun } from "./write.ts";

/** "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40" (OpenAI). */
const MAX_CALL_ID_CHARS = 40;

export const openaiChat: ProtocolDefinition = {
  vendor: openai,
  dialect: {
    name: "openai-chat",
    rules: { protocol: "openai-chat", ...OPENS_FREELY },
    ids: { pattern: /^[\s\S]+$/, maxChars: MAX_CALL_ID_CHARS, unique: false },
    listKey: "messages",
    systemKeys: [],
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
  usage: chatUsage,
  routes: fixedRoutes({ "/chat/completions": { asks: "answer", label: "chat_completions" } }),
  marks: chatMarks,
  tools: chatTools,
  answers: chatAnswers,
  plainAnswer: readChatAnswer,
  ownAnswer: chatOwnAnswer,
  screen: chatScreen,
  wholeScreen: chatWhole,
  recall: {
    // Of several answers each would go on by itself; functions are what tools were before.
    isOpen: (member) => [undefined, null, 1].includes(member("n") as number) && member("functions") === undefined,
    answerForms: (member) => [member("response_format")],
  },
  followUp: flatFollowUp({ type: undefined }),
  cachePrompt: chatPrompt,
  markers: "openrouter",
  textBlock: "text",
};
