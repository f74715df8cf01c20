/** The Gemini API (`generateContent`), as Google's servers and Vertex AI have it. */
import type { MediaLimits } from "../media-limits.ts";
import { neverJoins } from "../decode.ts";
import type { ProtocolDefinition, ProtocolMarks } from "../definition.ts";
import { OPENS_FREELY } from "../wire-rules.ts";
import { geminiAnswers } from "./answers.ts";
import { formOf, geminiFollowUp } from "./follow-up.ts";
import { geminiOwnAnswer } from "./own-answer.ts";
import { geminiPrompt } from "./prompt.ts";
import { readContent, readSystem } from "./read.ts";
import { requestedIn } from "./routes.ts";
import { geminiScreen, geminiWhole } from "./screen.ts";
import { geminiTools } from "./tools.ts";
import { geminiUsage } from "./usage.ts";
import { google } from "./vendor.ts";
import { attaches, writeRun, writeSystem } from "./write.ts";
import { plain, type PlainAnswer } from "../answers/plain.ts";
import type { Fields } from "../dialect.ts";
import { fieldsOf, isFields, listOf, textOf } from "../fields.ts";

/** Other formats have parts as well; theirs are tagged with a type. */
const isContent = ({ parts, ...message }: Fields): boolean =>
  Array.isArray(parts) && !("content" in message) && !parts.some((part) => fieldsOf(part)["type"] === "text");

const ROLES: ReadonlySet<unknown> = new Set([undefined, "user", "model", "function", "system"]);

/** Contents have parts, and nobody else's messages do. */
const geminiMarks: ProtocolMarks = {
  request: ({ contents }) => Array.isArray(contents) && contents.every((one) => isContent(fieldsOf(one))),
  message: isContent,
  standalone: (message) => isContent(message) && ROLES.has(message["role"]),
  blocks: [],
  certain: { message: isContent, blocks: [] },
};

/** A whole answer of the Gemini API that was to be plain text. */
const REFUSED = new Set(["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"]);

/** A whole answer that was to be plain text. */
function readGeminiAnswer(answer: Fields): PlainAnswer | undefined {
  if (!Array.isArray(answer["candidates"]) && !isFields(answer["promptFeedback"])) return undefined;
  const candidate = fieldsOf(listOf(answer["candidates"])[0]);
  const parts = listOf(fieldsOf(candidate["content"])["parts"]).map(fieldsOf);
  const said = parts.flatMap((part) => (part["thought"] === true ? [] : (textOf(part["text"]) ?? [])));
  const reason = String(candidate["finishReason"]);
  return plain(said.join(""), {
    calls: parts.some((part) => "functionCall" in part || "executableCode" in part),
    refused: REFUSED.has(reason) || fieldsOf(answer["promptFeedback"])["blockReason"] !== undefined,
    length: reason === "MAX_TOKENS",
  });
}

/** The API sets no length; this one keeps ids readable. */
const MAX_CALL_ID_CHARS = 128;

/** Google scales pictures down: it has no limit of sides (https://ai.google.dev/gemini-api/docs/image-understanding, …/file-input-methods, 2026-11). */
export const GEMINI_MEDIA_LIMITS: MediaLimits = Object.freeze({
  bodyBytes: 100 * 1024 * 1024,
  images: 3_600,
  imageSide: Infinity,
  manyImages: Infinity,
  manyImageSide: Infinity,
});

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
  mediaLimits: () => GEMINI_MEDIA_LIMITS,
  textBlock: "text",
};

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== "null" && text !== '""';
}
