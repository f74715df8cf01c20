/** The Gemini API (`generateContent`), as Google's servers and Vertex AI have it. */
import type { MediaLimits } from "../media-limits.ts";
import { neverJoins } from "../decode.ts";
import {
  type ProtocolDefinition,
  type ProtocolMarks,
  type RequestedAnswer,
  type VendorDefinition,
  CALL_DEMANDED,
  JSON_DEMANDED,
  type FollowUpForm,
} from "../definition.ts";
import { OPENS_FREELY } from "../dialect.ts";
import { type Fields, fieldsOf, isFields, listOf, textOf, parsed, countOf } from "../fields.ts";
import { readContent, readSystem, attaches, writeRun, writeSystem, geminiTools } from "./parts.ts";
import { geminiScreen, geminiWhole } from "./screen.ts";
import {
  plain,
  type PlainAnswer,
  streamedBody,
  wholeBody,
  type WriteOwnAnswer,
  failure,
  isFilled,
  type AnswerDialect,
  type AnswerSignal,
} from "../answers/own-answer.ts";
import type { Usage } from "../../core/engines/contract.ts";

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

const REFUSED = new Set(["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"]);

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

const geminiAnswers: AnswerDialect = {
  event: ({ data }) => {
    const response = fieldsOf(parsed(data));
    return response["error"] === undefined ? readResponse(response) : failure(data);
  },
  whole: (members) => {
    const error = members.get("error");
    if (isFilled(error)) return failure(`{"error":${error}}`);
    const usage = geminiUsage({ usageMetadata: parsed(members.get("usageMetadata")) });
    return { usage, ends: true, ...(isFilled(members.get("candidates")) ? { begins: true } : {}) };
  },
};

const geminiFollowUp: FollowUpForm = {
  element: (_, text) => `{"role":"user","parts":[{"text":${JSON.stringify(text)}}]}`,
  thinking: (member) => {
    const thinking = readSettings(member)["thinkingConfig"];
    const budget = countOf(fieldsOf(thinking)["thinkingBudget"]);
    return { asks: isFields(thinking) && budget !== 0, budgetTokens: budget };
  },
  changes: (member, outputTokens) => {
    const { stopSequences: _, candidateCount: __, ...settings } = readSettings(member);
    if (!isFields(member("generationConfig"))) return {};
    return { generationConfig: JSON.stringify({ ...settings, maxOutputTokens: outputTokens }) };
  },
  obstacle: (member) => {
    const { mode } = fieldsOf(fieldsOf(member("toolConfig"))["functionCallingConfig"]);
    if (mode === "ANY") return CALL_DEMANDED;
    return demandedForm(member) === undefined ? undefined : JSON_DEMANDED;
  },
  wholeAnswerPath,
};

const geminiOwnAnswer: WriteOwnAnswer = ({ id, model, text }, { target }) => {
  const candidate = { content: { parts: [{ text }], role: "model" }, finishReason: "STOP", index: 0 };
  const response = { candidates: [candidate], usageMetadata: USAGE, modelVersion: model, responseId: id };
  if (!target.includes(":streamGenerateContent")) return wholeBody(response);
  if (/[?&]alt=sse(?:&|$)/.test(target)) return streamedBody([{ data: response }]);
  // Without that, a stream is one JSON array.
  return { ...wholeBody([response]), streamed: true };
};

const google: VendorDefinition = {
  name: "google",
  url: "https://generativelanguage.googleapis.com",
  telemetryName: "gcp.gemini",
  isAddressed: (path, header) => requestedIn(path) !== undefined || header("x-goog-api-key") !== undefined,
  errorBody: ({ status, code, message }) => ({
    error: { code: status, message, status: statusName(status), details: [{ reason: code }] },
  }),
};

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
      const type = demandedForm(member);
      return [type === undefined ? undefined : { type }];
    },
  },
  followUp: geminiFollowUp,
  markers: undefined,
  mediaLimits: () => GEMINI_MEDIA_LIMITS,
  textBlock: "text",
};

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== "null" && text !== '""';
}

function readResponse(response: Fields): AnswerSignal {
  const candidates = listOf(response["candidates"]).map(fieldsOf);
  const begins = candidates.some(({ content }) => listOf(fieldsOf(content)["parts"]).length > 0);
  const ends = candidates.some(({ finishReason }) => finishReason !== undefined);
  const blocked = fieldsOf(response["promptFeedback"])["blockReason"] !== undefined;
  return {
    usage: geminiUsage(response),
    ...(begins || ends || blocked ? { begins: true } : {}),
    ...(ends || blocked ? { ends: true } : {}),
  };
}

type Member = (key: string) => unknown;

function readSettings(member: Member): Fields {
  return fieldsOf(member("generationConfig"));
}

/** The form that answers are demanded in; undefined for plain text. */
function demandedForm(member: Member): string | undefined {
  const { responseMimeType: type } = readSettings(member);
  return type === undefined || type === "text/plain" ? undefined : (textOf(type) ?? "unknown");
}

const USAGE = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };

const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** The names of Google's error model (google.rpc.Code). */
export function statusName(status: number): string {
  return STATUS_NAMES[status] ?? "INVALID_ARGUMENT";
}

const METHODS = { generateContent: "answer", streamGenerateContent: "answer", countTokens: "count" } as const;

const PATH =
  /^(?:\/v1[a-z0-9]*)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?(?:publishers\/[^/]+\/)?(?:models|tunedModels)\/([^/:]+):([A-Za-z]+)$/;

export function requestedIn(path: string): RequestedAnswer | undefined {
  const [, model, method] = PATH.exec(path) ?? [];
  if (model === undefined || method === undefined || !Object.hasOwn(METHODS, method)) return undefined;
  return { asks: METHODS[method as keyof typeof METHODS], model: decodeURIComponent(model), label: method };
}

/** The path that gives the same answer whole. */
function wholeAnswerPath(path: string): string {
  return path
    .replace(":streamGenerateContent", ":generateContent")
    .replace(/([?&])alt=sse(&|$)/, (_, before: string, after: string) => (after === "" ? "" : before));
}

function geminiUsage(response: unknown): Usage | undefined {
  const usage = fieldsOf(response)["usageMetadata"];
  if (!isFields(usage) || countOf(usage["promptTokenCount"]) === undefined) return undefined;
  const count = (key: string): number => countOf(usage[key]) ?? 0;
  return {
    input: count("promptTokenCount") + count("toolUsePromptTokenCount"),
    output: count("candidatesTokenCount") + count("thoughtsTokenCount"),
    cacheRead: count("cachedContentTokenCount"),
    cacheWrite: 0,
  };
}
