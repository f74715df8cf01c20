/** The Gemini API as Google's server has it: requests judged and rendered, errors in its words. */
import { countOf, fieldsOf, isFields, textOf, type Fields } from "../../../src/protocols/fields.ts";
import { requestedIn } from "../../../src/protocols/gemini/protocol.ts";
import { type Block, type Prompt } from "../contract.ts";
import { invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import type { ModelTraits } from "../traits.ts";
import { CALL_TOKENS, canonical, MESSAGE_TOKENS, promptOf, RESULT_TOKENS, textTokens, toolBlocks } from "../weigh.ts";
import { acceptedAs, type AcceptedRequest, type FaultWords, type JudgeRequest, type Wire } from "../wire.ts";
import {
  BODY_BYTES_MAX,
  checkContents,
  contentsOf,
  partsOf,
  TOO_LARGE,
} from "../../../src/protocols/request-form/gemini.ts";
import { errorBody, streamGemini, streamGeminiError, geminiReply } from "./reply.ts";

const FAULT_WORDS: FaultWords = {
  "rate-limit": { status: 429, message: "Resource has been exhausted (e.g. check quota)." },
  "server-error": {
    status: 500,
    message:
      "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  },
  overloaded: { status: 503, message: "The model is overloaded. Please try again later." },
};

export const geminiWire: Wire = {
  protocol: "google-gemini",
  keyOf: (headers, url) => headers.get("x-goog-api-key") ?? url.searchParams.get("key") ?? "",
  isKeyed: (headers) => headers.has("x-goog-api-key"),
  request: {
    modelOf: (_, path) => requestedIn(path)?.model,
    isStreamed: (_, url) => url.pathname.endsWith(":streamGenerateContent"),
    lastSaid: (body) =>
      partsOf(contentsOf(body).at(-1) ?? {})
        .flatMap((part) => textOf(part["text"]) ?? JSON.stringify(fieldsOf(part["functionResponse"])["response"] ?? ""))
        .join("\n"),
    answeredCalls: (body) =>
      partsOf(contentsOf(body).at(-1) ?? {}).flatMap((part) => textOf(fieldsOf(part["functionResponse"])["id"]) ?? []),
  },
  models: {
    entry: (models, name) => ({
      name: `models/${name}`,
      inputTokenLimit: models.find(name)?.windowTokens,
      outputTokenLimit: models.find(name)?.maxOutputTokens,
      supportedGenerationMethods: ["generateContent", "countTokens"],
    }),
    list: (models) => ({ models }),
  },
  faultWords: FAULT_WORDS,
  bodyBytesMax: BODY_BYTES_MAX,
  tooLarge: TOO_LARGE,
  callIdLead: "call",
  cacheOf: () => "automatic",
  counted: (totalTokens) => ({ totalTokens }),
  keyless: {
    status: 403,
    reason: "authentication",
    message:
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  },
  notJson: (why) => invalid("json", `Invalid JSON payload received. ${why}`),
  render,
  judge,
  noModel: (name) => ({
    status: 404,
    reason: "model",
    message: `models/${String(name)} is not found for API version v1beta, or is not supported for generateContent.`,
  }),
  errorBody,
  overflow,
  requestHeaders: () => ({ "server-timing": "gfet4t7; dur=1" }),
  replyBody: geminiReply,
  stream: streamGemini,
  streamedError: streamGeminiError,
  streamsOverflow: false,
};

function judge({ incoming, traits, sealer, counting }: JudgeRequest): Refusal | AcceptedRequest {
  const inner = fieldsOf(incoming.body["generateContentRequest"]);
  const body = counting && isFields(incoming.body["generateContentRequest"]) ? inner : incoming.body;
  const wrong = checkContents(body);
  if (wrong !== undefined) return wrong;
  return acceptedAs(render(body, traits), sealer);
}

function render(body: Fields, traits: ModelTraits): Prompt {
  const tools = toolBlocks(body["tools"]);
  const system = partsOf(fieldsOf(body["systemInstruction"])).map((part, at): Block => ({
    section: "system",
    text: canonical(part),
    tokens: weighPart(part, traits) + (at === 0 ? MESSAGE_TOKENS : 0),
  }));
  const contents = contentsOf(body).flatMap((content) => renderContent(content, traits));
  return promptOf([...tools, ...system, ...contents], traits, {
    messageSettings: "",
    maxOutputTokens: countOf(fieldsOf(body["generationConfig"])["maxOutputTokens"]),
  });
}

function renderContent(content: Fields, traits: ModelTraits): readonly Block[] {
  const parts = partsOf(content);
  return parts.map((part, at) => ({
    section: "messages",
    text: `${String(content["role"])} ${canonical(part)}`,
    tokens: weighPart(part, traits) + (at === 0 ? MESSAGE_TOKENS : 0),
    ...(at === parts.length - 1 ? { ends: true as const } : {}),
  }));
}

function weighPart(part: Fields, { imageTokens }: ModelTraits): number {
  const { text, functionCall: call, functionResponse: response } = part;
  if (typeof text === "string") return textTokens(text);
  if (isFields(call))
    return CALL_TOKENS + textTokens(JSON.stringify(call["args"] ?? {})) + textTokens(String(call["name"]));
  if (isFields(response)) return RESULT_TOKENS + textTokens(JSON.stringify(response["response"] ?? {}));
  return isFields(part["inlineData"]) || isFields(part["fileData"]) ? imageTokens : textTokens(canonical(part));
}

/** Only the input has to fit: what is written is bounded by a limit of its own. */
function overflow({ inputTokens }: Prompt, windowTokens: number): Refusal | undefined {
  if (inputTokens <= windowTokens) return undefined;
  return invalid(
    "window",
    `The input token count (${inputTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`,
  );
}
