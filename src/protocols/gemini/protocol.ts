/** The Gemini API (`generateContent`), as Google's servers and Vertex AI have it. */
import { neverJoins } from "../decode.ts";
import type { ProtocolDefinition } from "../definition.ts";
import { OPENS_FREELY } from "../wire-rules.ts";
import { geminiAnswers } from "./answers.ts";
import { formOf, geminiFollowUp } from "./follow-up.ts";
import { geminiMarks } from "./marks.ts";
import { geminiOwnAnswer } from "./own-answer.ts";
import { readGeminiAnswer } from "./plain.ts";
import { geminiPrompt } from "./prompt.ts";
import { readContent, readSystem } from "./read.ts";
import { requestedIn } from "./routes.ts";
import { geminiScreen, geminiWhole } from "./screen.ts";
import { geminiTools } from "./tools.ts";
import { geminiUsage } from "./usage.ts";
import { google } from "./vendor.ts";
import { attaches, writeRun, writeSystem } from "./write.ts";

/** The API sets no length; this one keeps ids readable. */
const MAX_CALL_ID_CHARS = 128;

export const gemini: ProtocolDefinition = {
  vendor: google,
  dialect: {
    name: "google-gemini",
    rules: { protocol: "google-gemini", ...OPENS_FREELY, resultsInUserMessage: true },
    ids: { pattern: /^[\s\S]+$/, maxChars: MAX_CALL_ID_CHARS, unique: false },
    listKey: "contents",
    systemKeys: ["systemInstruction", "system_instruction"],
    maxTokensKeys: ["generationConfig.maxOutputTokens", "generation_config.max_output_tokens"],
    toolKeys: ["tools"],
    joins: neverJoins,
    read: readContent,
    readSystem,
    // The cached content comes before the contents, and the request does not show it.
    lockOf: (members) =>
      isSet(members.get("cachedContent")) ? "the provider holds a part of the prompt (cachedContent)" : undefined,
    attaches,
    write: writeRun,
    writeSystem,
    systemInKey: () => true,
  },
  usage: geminiUsage,
  routes: requestedIn,
  marks: geminiMarks,
  tools: geminiTools,
  answers: geminiAnswers,
  plainAnswer: readGeminiAnswer,
  ownAnswer: geminiOwnAnswer,
  screen: geminiScreen,
  wholeScreen: geminiWhole,
  recall: {
    // With cached content a request may set no tools of its own.
    isOpen: (member) => member("cachedContent") === undefined,
    answerForms: (member) => {
      const type = formOf(member);
      return [type === undefined ? undefined : { type }];
    },
  },
  followUp: geminiFollowUp,
  cachePrompt: geminiPrompt,
  markers: undefined,
  textBlock: "text",
};

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== "null" && text !== '""';
}
