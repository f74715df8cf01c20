/** Anthropic Messages as the vendor's server has it: requests judged and rendered, errors in its words. */
import { countOf, fieldsOf, listOf, textOf, blocksOf, type Fields } from "../../../src/protocols/fields.ts";
import { type Block, type Prompt } from "../contract.ts";
import { invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import type { Memory } from "../memory.ts";
import type { Sealer } from "../seals.ts";
import { MODEL_CREATED_MS, type ModelTraits } from "../traits.ts";
import { CALL_TOKENS, canonical, MESSAGE_TOKENS, promptOf, RESULT_TOKENS, textTokens, weighContent } from "../weigh.ts";
import { bearerOf } from "../openai-words.ts";
import { checkReturnedThinking } from "../../../src/protocols/request-form/form.ts";
import {
  isRefusal,
  type AcceptedRequest,
  type FaultWords,
  type JudgeRequest,
  type ModelListForm,
  type Wire,
  BODY_FORM,
  wordsOf,
} from "../wire.ts";
import {
  asksCompaction,
  checkCompaction,
  compactionOf,
  readFrom,
  signatureOf,
  thresholdCompaction,
} from "./compaction.ts";
import { checkMarkers, markerOf, rendered, topMarked } from "./markers.ts";
import {
  checkShape,
  checkCharacters,
  isDeferred,
  messagesOf,
  placed,
  BODY_BYTES_MAX,
  TOO_LARGE,
  checkPictures,
} from "../../../src/protocols/request-form/anthropic.ts";
import { checkPairs } from "./pairing.ts";
import { streamMessage, streamMessageError, messageReply } from "./reply.ts";
import { checkThinkingBlocks, checkThinkingUse } from "./thinking.ts";
import { wholeRequest } from "./threads.ts";

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

const FAULT_WORDS: FaultWords = {
  "rate-limit": {
    status: 429,
    message:
      "This request would exceed your organization's rate limit. Please reduce the prompt length or try again later.",
  },
  "server-error": { status: 500, message: "Internal server error" },
  overloaded: { status: 529, message: "Overloaded" },
};

const MODELS: ModelListForm = {
  entry: (models, id) => {
    const traits = models.find(id);
    return {
      type: "model",
      id,
      display_name: id,
      created_at: new Date(MODEL_CREATED_MS).toISOString(),
      max_input_tokens: traits?.windowTokens,
      max_tokens: traits?.maxOutputTokens,
    };
  },
  list: (data) => ({ data, has_more: false, first_id: data[0]?.["id"] ?? null, last_id: data.at(-1)?.["id"] ?? null }),
};

export const anthropicWire: Wire = {
  protocol: "anthropic-messages",
  keyless: { status: 401, reason: "authentication", message: "x-api-key header is required" },
  notJson: (why) => invalid("json", `The request body is not valid JSON: ${why}`),
  keyOf: (headers) => headers.get("x-api-key") ?? bearerOf(headers),
  isKeyed: (headers) => headers.has("x-api-key"),
  request: {
    ...BODY_FORM,
    lastSaid: (body) => wordsOf(fieldsOf(listOf(body["messages"]).at(-1))),
    answeredCalls: (body) =>
      blocksOf(fieldsOf(listOf(body["messages"]).at(-1))["content"]).flatMap(
        (block) => textOf(block["tool_use_id"]) ?? [],
      ),
  },
  models: MODELS,
  faultWords: FAULT_WORDS,
  bodyBytesMax: BODY_BYTES_MAX,
  tooLarge: TOO_LARGE,
  callIdLead: "toolu",
  cacheOf: () => "marked",
  errorEvent: "error",
  counted: (inputTokens) => ({ input_tokens: inputTokens }),
  render,
  judge,
  noModel: (name) =>
    typeof name === "string"
      ? { status: 404, reason: "model", message: `model: ${name}` }
      : invalid("shape", "model: Field required"),
  errorBody: ({ status, type, message, details }, requestId) => ({
    type: "error",
    error: {
      type: type ?? ERROR_TYPES[status] ?? "api_error",
      message,
      ...(details === undefined ? {} : { details }),
    },
    request_id: requestId,
  }),
  overflow,
  requestHeaders: (requestId) => ({ "request-id": requestId }),
  replyBody: messageReply,
  stream: streamMessage,
  streamedError: streamMessageError,
  streamsOverflow: false,
};

function judge({ incoming, model, traits, sealer, counting, memory, nowMs }: JudgeRequest): Refusal | AcceptedRequest {
  const { headers } = incoming;
  const whole = wholeRequest(incoming.body, headers, { threads: memory.threads, nowMs });
  if (isRefusal(whole)) return whole;
  const { body } = whole;
  const wrong =
    (headers.get("anthropic-version") === null
      ? invalid("version", "anthropic-version: header is required")
      : undefined) ??
    checkCharacters(body) ??
    checkShape(body, { counting, systemTurns: traits.systemTurns }) ??
    checkMarkers(body) ??
    checkPairs(body) ??
    (traits.returnsReasoning === true ? checkReturnedThinking(body) : undefined) ??
    checkPictures(body, traits.windowTokens) ??
    checkCompaction(body, headers, sealer) ??
    (asksCompaction(body) ? undefined : (checkThinkingUse(body, headers, memory) ?? checkEnd(body, traits)));
  if (wrong !== undefined) return wrong;
  const signs = traits.returnsReasoning !== true;
  const found = checkThinkingBlocks({ body, headers, model, binds: traits.bindsThinking, signs, sealer });
  if (isRefusal(found)) return found;
  const { dropped, transformations, prefix, last } = found;
  const prompt = render(body, traits, dropped);
  return {
    prompt,
    ...(counting ? {} : thresholdCompaction(body, prompt.inputTokens)),
    transformations,
    seal: (id, text) => sealer.sign({ id, after: last, text, model, prefix: prefix() }),
    ...(asksCompaction(body) && !counting ? onRequest(body, sealer) : {}),
    answered: (answer) => {
      rememberThought(fieldsOf(answer), memory);
      whole.answered(fieldsOf(answer));
    },
  };
}

function onRequest(body: Fields, sealer: Sealer): Pick<AcceptedRequest, "own" | "signCompaction"> {
  return { own: compactionOf(body), signCompaction: (block) => signatureOf(block, sealer) };
}

function rememberThought({ content }: Fields, memory: Memory): void {
  const blocks = blocksOf(content);
  if (!blocks.some(({ type }) => type === "thinking")) return;
  for (const { type, id } of blocks) if (type === "tool_use") memory.thoughtOver.set(String(id), true);
}

/** A last message of the assistant is the beginning of the answer; the newest models take none. */
function checkEnd(body: Fields, { bindsThinking }: ModelTraits): Refusal | undefined {
  const last = messagesOf(body).at(-1)!;
  if (last["role"] !== "assistant") return undefined;
  if (bindsThinking)
    return invalid(
      "roles",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  const text = textOf(blocksOf(last["content"]).at(-1)?.["text"]);
  return text !== undefined && text !== text.trimEnd()
    ? invalid("empty", "messages: final assistant content cannot end with trailing whitespace")
    : undefined;
}

function render(body: Fields, traits: ModelTraits, dropped: ReadonlySet<string> = new Set()): Prompt {
  const all = stillRead(rendered(body), readFrom(body));
  const top = topMarked(body, all);
  const weigh = weigher(traits.imageTokens);
  const roles = messagesOf(body).map(({ role }) => String(role));
  const starts = new Set(messagesOf(body).map((message, at) => placed(message, at)[0]?.path));
  const blocks = all
    .filter(({ block, path }) => !dropped.has(path) && !(path.startsWith("tools.") && isDeferred(block)))
    .map((one): Block => {
      const { block, path } = one;
      const section = path.slice(0, path.indexOf(".")) as Block["section"];
      const marker = one === top ? markerOf(body) : markerInside(block);
      return {
        section,
        text: section === "messages" ? `${roles[Number(path.split(".", 2)[1])]} ${canonical(block)}` : canonical(block),
        tokens: weigh(block) + (starts.has(path) || path === "system.0" ? MESSAGE_TOKENS : 0),
        ...(marker === undefined ? {} : { marker }),
      };
    });
  const { type, budget_tokens: budget } = fieldsOf(body["thinking"]);
  return promptOf(blocks, traits, {
    messageSettings: JSON.stringify([body["tool_choice"], type, budget]),
    maxOutputTokens: countOf(body["max_tokens"]),
  });
}

/** Tools and system prompt, and of the messages what the latest compaction leaves. */
function stillRead(all: ReturnType<typeof rendered>, from: string | undefined): ReturnType<typeof rendered> {
  if (from === undefined) return all;
  const start = all.findIndex(({ path }) => path === from);
  return all.filter(({ path }, at) => at >= start || !path.startsWith("messages."));
}

/** A marker inside of a result holds for the result: nothing shorter than a block is cached here. */
function markerInside(block: Fields): Block["marker"] {
  return (
    markerOf(block) ??
    blocksOf(block["content"])
      .map(markerOf)
      .find((marker) => marker !== undefined)
  );
}

function weigher(imageTokens: number) {
  const content = weighContent(imageTokens);
  return (block: Fields): number => {
    switch (block["type"]) {
      case "tool_use":
        return CALL_TOKENS + textTokens(textOf(block["name"]) ?? "") + textTokens(JSON.stringify(block["input"]));
      case "tool_result":
        return RESULT_TOKENS + blocksOf(block["content"]).reduce((sum, one) => sum + content(one), 0);
      case "thinking":
        return textTokens(textOf(block["thinking"]) ?? "");
      case "redacted_thinking":
        return 0;
      default:
        return content(block);
    }
  };
}

function overflow({ inputTokens, maxOutputTokens = 0 }: Prompt, windowTokens: number): Refusal | undefined {
  if (inputTokens > windowTokens)
    return invalid("window", `prompt is too long: ${inputTokens} tokens > ${windowTokens} maximum`);
  if (inputTokens + maxOutputTokens <= windowTokens) return undefined;
  return invalid(
    "window",
    `input length and \`max_tokens\` exceed context limit: ${inputTokens} + ${maxOutputTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
  );
}
