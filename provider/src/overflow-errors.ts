/**
 * How servers answer a request that does not fit their window, each with where that was seen: for the strict provider to
 * answer in their words. `{limit}`, `{requested}`, `{input}` and `{output}` stand for counts of the request.
 */
import type { Prompt } from "./contract.ts";
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";

export interface OverflowError {
  readonly status: number;
  /** The body, mostly JSON. */
  readonly body: string;
  /** Public: a page, or a thread of the server's or of a client's repository. */
  readonly origin: string;
}

const GITHUB = "https://github.com";
const PI = `${GITHUB}/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts`;

const error = (message: string, more: object = {}): string => JSON.stringify({ error: { message, ...more } });
const invalidRequest = { type: "invalid_request_error", param: null, code: "invalid_request_error" };
const LENGTH_EXCEEDED = { type: "invalid_request_error", param: "messages", code: "context_length_exceeded" };
const REQUESTED =
  "This model's maximum context length is {limit} tokens. However, you requested {requested} tokens ({input} in the messages, {output} in the completion). Please reduce the length of the messages or completion.";
const RESULTED =
  "This model's maximum context length is {limit} tokens. However, your messages resulted in {input} tokens. Please reduce the length of the messages.";
const TOO_LONG = "prompt is too long: {input} tokens > {limit} maximum";
const GEMINI = "The input token count ({input}) exceeds the maximum number of tokens allowed ({limit}).";

export const OVERFLOW_ERRORS = Object.freeze({
  openai: { status: 400, body: error(RESULTED, LENGTH_EXCEEDED), origin: `${GITHUB}/chathub-dev/chathub/issues/126` },
  "openai-responses": {
    status: 400,
    body: error("Your input exceeds the context window of this model. Please adjust your input and try again.", {
      ...LENGTH_EXCEEDED,
      param: "input",
    }),
    origin: PI,
  },
  "openai-tpm": {
    status: 429,
    body: error(
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit {limit}, Requested {requested}. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.",
      { type: "tokens", param: null, code: "rate_limit_exceeded" },
    ),
    origin: `${GITHUB}/fork-dev/TrackerWin/issues/2595`,
  },
  azure: {
    status: 400,
    body: error(
      "Input tokens exceed the configured limit of {limit} tokens. Your messages resulted in {input} tokens. Please reduce the length of the messages.",
      LENGTH_EXCEEDED,
    ),
    origin: `${GITHUB}/BerriAI/litellm/issues/15968`,
  },
  "azure-output": {
    status: 400,
    body: error(REQUESTED, LENGTH_EXCEEDED),
    origin: `${GITHUB}/Azure/azure-sdk-for-net/issues/41892`,
  },
  anthropic: {
    status: 400,
    body: JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: TOO_LONG } }),
    origin: `${GITHUB}/earendil-works/pi/issues/102`,
  },
  "anthropic-output": {
    status: 400,
    body: JSON.stringify({
      type: "error",
      error: {
        type: "invalid_request_error",
        message:
          "input length and `max_tokens` exceed context limit: {input} + {output} > {limit}, decrease input length or `max_tokens` and try again",
      },
    }),
    origin: `${GITHUB}/kortix-ai/suna/issues/172`,
  },
  "anthropic-unnamed": {
    status: 400,
    body: JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "Prompt is too long" } }),
    origin: `${GITHUB}/NanmiCoder/cc-haha/issues/860`,
  },
  bedrock: {
    status: 400,
    body: JSON.stringify({ message: "Input is too long for requested model." }),
    origin: `${GITHUB}/anthropics/claude-code/issues/760`,
  },
  "bedrock-converse": {
    status: 400,
    body: JSON.stringify({ message: `The model returned the following errors: ${TOO_LONG}` }),
    origin: `${GITHUB}/daisuke-awaji/moca/issues/254`,
  },
  gemini: {
    status: 400,
    body: JSON.stringify([{ error: { code: 400, message: GEMINI, status: "INVALID_ARGUMENT" } }]),
    origin: `${GITHUB}/google-gemini/gemini-cli/issues/12098`,
  },
  vertex: {
    status: 400,
    body: error("The input token count exceeds the maximum number of tokens allowed ({limit}).", {
      code: 400,
      status: "INVALID_ARGUMENT",
    }),
    origin: `${GITHUB}/arkavo-org/arkavo-edge/issues/371`,
  },
  groq: {
    status: 400,
    body: error("Please reduce the length of the messages or completion.", {
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    }),
    origin: PI,
  },
  "groq-tpm": {
    status: 413,
    body: error(
      "Request too large for model llama-3.1-8b-instant in organization org_x service tier on_demand on tokens per minute (TPM): Limit {limit}, Requested {requested}, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
    origin: `${GITHUB}/HunorLaczko/ha-groq-cloud-api/issues/27`,
  },
  mistral: {
    status: 400,
    body: JSON.stringify({
      object: "error",
      message:
        "Prompt contains {input} tokens and 0 draft tokens, too large for model with {limit} maximum context length",
      type: "invalid_request_prompt",
      code: "3051",
    }),
    origin: PI,
  },
  cohere: {
    status: 400,
    body: JSON.stringify({
      message:
        "too many tokens: total number of tokens (prompt and prediction) cannot exceed {limit} - received {requested}. Try using a shorter prompt or a smaller max_tokens value.",
    }),
    origin: `${GITHUB}/cohere-ai/sandbox-topically/issues/4`,
  },
  fireworks: {
    status: 400,
    body: JSON.stringify({
      error: {
        object: "error",
        type: "invalid_request_error",
        code: "invalid_request_error",
        message: "The prompt is too long: {input}, model maximum context length: {limit}",
      },
    }),
    origin: `${GITHUB}/fw-ai/cookbook/issues/134`,
  },
  together: {
    status: 400,
    body: error(
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= {limit}. Given: {input} `inputs` tokens and {output} `max_new_tokens`",
      { type: "invalid_request_error", param: "max_tokens", code: null },
    ),
    origin: `${GITHUB}/BerriAI/litellm/issues/4934`,
  },
  cerebras: {
    status: 400,
    body: JSON.stringify({
      message:
        "Please reduce the length of the messages or completion. Current length is {input} while limit is {limit}",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    }),
    origin: `${GITHUB}/cline/cline/issues/5140`,
  },
  deepseek: {
    status: 400,
    body: error(REQUESTED, invalidRequest),
    origin: `${GITHUB}/evalstate/fast-agent/issues/621`,
  },
  xai: {
    status: 400,
    body: JSON.stringify({
      code: "invalid-argument",
      error: "This model's maximum prompt length is {limit} but the request contains {input} tokens.",
    }),
    origin: PI,
  },
  zhipu: {
    status: 400,
    body: error("Prompt exceeds max length", { code: "1261" }),
    origin: `${GITHUB}/zeroclaw-labs/zeroclaw/issues/4124`,
  },
  moonshot: {
    status: 400,
    body: error("Invalid request: Your request exceeded model token limit: {limit} (requested: {input})", {
      type: "invalid_request_error",
    }),
    origin: `${GITHUB}/MoonshotAI/kimi-cli/issues/2011`,
  },
  qwen: {
    status: 400,
    body: error("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, {limit}]", {
      type: "invalid_request_error",
      param: null,
      code: "invalid_parameter_error",
    }),
    origin: `${GITHUB}/agentscope-ai/QwenPaw/issues/6255`,
  },
  minimax: {
    status: 400,
    body: JSON.stringify({
      type: "error",
      error: { type: "invalid_request_error", message: "invalid params, context window exceeds limit (2013)" },
    }),
    origin: `${GITHUB}/MiniMax-AI/MiniMax-M2/issues/119`,
  },
  vllm: {
    status: 400,
    body: JSON.stringify({ object: "error", message: REQUESTED, type: "BadRequestError", param: null, code: 400 }),
    origin: `${GITHUB}/vllm-project/vllm/issues/20409`,
  },
  "vllm-prompt": {
    status: 400,
    body: JSON.stringify({
      object: "error",
      message:
        "The decoder prompt (length {input}) is longer than the maximum model length of {limit}. Make sure that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens.",
      type: "BadRequestError",
      param: null,
      code: 400,
    }),
    origin: `${GITHUB}/Gabesarch/grounded-rl/issues/16`,
  },
  sglang: {
    status: 400,
    body: JSON.stringify({
      object: "error",
      message: "The input ({input} tokens) is longer than the model's context length ({limit} tokens).",
      type: "BadRequestError",
      param: null,
      code: 400,
    }),
    origin: `${GITHUB}/QwenLM/Qwen3/issues/1321`,
  },
  "sglang-memory": {
    status: 400,
    body: JSON.stringify({
      object: "error",
      message: "Input length ({input} tokens) exceeds the maximum allowed length ({limit} tokens).",
      type: "BadRequestError",
      param: null,
      code: 400,
    }),
    origin: `${GITHUB}/sgl-project/sglang/issues/4048`,
  },
  tgi: {
    status: 422,
    body: JSON.stringify({
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= {limit}. Given: {input} `inputs` tokens and {output} `max_new_tokens`",
      error_type: "validation",
    }),
    origin: `${GITHUB}/barun-saha/slide-deck-ai/issues/44`,
  },
  "llama.cpp": {
    status: 400,
    body: error("request ({input} tokens) exceeds the available context size ({limit} tokens), try increasing it", {
      code: 400,
      type: "exceed_context_size_error",
    }),
    origin: `${GITHUB}/ItzCrazyKns/Vane/issues/1011`,
  },
  "llama-cpp-python": {
    status: 400,
    body: error("Requested tokens ({input}) exceed context window of {limit}", {
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    }),
    origin: `${GITHUB}/abetlen/llama-cpp-python/issues/416`,
  },
  "lm-studio": {
    status: 400,
    body: JSON.stringify({
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: {input}>= n_ctx: {limit}). Try to load the model with a larger context length, or provide a shorter input.",
    }),
    origin: `${GITHUB}/Gitlawb/openclaude/issues/353`,
  },
  "lm-studio-older": {
    status: 400,
    body: JSON.stringify({
      error:
        "Trying to keep the first {input} tokens when context the overflows. However, the model is loaded with context length of only {limit} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
    }),
    origin: `${GITHUB}/lmstudio-ai/lmstudio-bug-tracker/issues/546`,
  },
  ollama: {
    status: 400,
    body: error("prompt too long; exceeded max context length by 4096 tokens", { type: "invalid_request_error" }),
    origin: PI,
  },
  "mlx-serve": {
    status: 400,
    body: error("Prompt exceeds maximum context length", { type: "invalid_request_error" }),
    origin: `${GITHUB}/ddalcu/mlx-serve/issues/66`,
  },
  litellm: {
    status: 400,
    body: error(
      "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: the provider refused the request.",
      { type: null, param: null, code: "400" },
    ),
    origin: `${GITHUB}/BerriAI/litellm/blob/main/litellm/litellm_core_utils/exception_mapping_utils.py`,
  },
  "litellm-openrouter": {
    status: 400,
    body: error(
      'litellm.BadRequestError: OpenrouterException - This endpoint\'s maximum context length is {limit} tokens. However, you requested about {requested} tokens ({input} of text input, {output} in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
      { type: null, param: null, code: "400" },
    ),
    origin: `${GITHUB}/OpenHands/OpenHands/issues/8149`,
  },
  openrouter: {
    status: 400,
    body: error(
      'This endpoint\'s maximum context length is {limit} tokens. However, you requested about {input} tokens ({input} of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
      { code: 400, metadata: { provider_name: null } },
    ),
    origin: `${GITHUB}/topoteretes/cognee/issues/1061`,
  },
  "github-copilot": {
    status: 400,
    body: error("prompt token count of {input} exceeds the limit of {limit}", {
      code: "model_max_prompt_tokens_exceeded",
    }),
    origin: `${GITHUB}/microsoft/copilot-intellij-feedback/issues/94`,
  },
  "github-models": {
    status: 413,
    body: error("Request body too large for gpt-4o model. Max size: {limit} tokens.", {
      code: "tokens_limit_reached",
      details: "Request body too large for gpt-4o model. Max size: {limit} tokens.",
    }),
    origin: `${GITHUB}/eslint/tsc-meetings/pull/593`,
  },
  nvidia: {
    status: 400,
    body: error(
      "You passed {input} input tokens and requested {output} output tokens. However, the model's context length is only {limit} tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value={input})",
      { type: "BadRequestError", param: "input_tokens", code: 400 },
    ),
    origin: `${GITHUB}/Kilo-Org/kilocode/issues/8698`,
  },
  cloudflare: {
    status: 400,
    body: error(
      "AiError: Requested token count exceeds the model's maximum context length of {limit} tokens. You requested a total of {requested} tokens: {input} tokens from the input messages and {output} tokens for the completion.",
    ),
    origin: `${GITHUB}/anomalyco/models.dev/pull/4422`,
  },
  "cloudflare-vllm": {
    status: 400,
    body: error(
      "AiError: This model's maximum context length is {limit} tokens. However, you requested {output} output tokens and your prompt contains at least {input} input tokens, for a total of at least {requested} tokens. Please reduce the length of the input prompt or reduce max_tokens.",
    ),
    origin: `${GITHUB}/cloudflare/cloudflare-docs/issues/29731`,
  },
  nginx: {
    status: 413,
    body: "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body></body>\r\n</html>",
    origin: `${GITHUB}/anomalyco/opencode/issues/14064`,
  },
} satisfies Readonly<Record<string, OverflowError>>);

export type OverflowErrorName = keyof typeof OVERFLOW_ERRORS;

export const OVERFLOW_ERROR_NAMES = Object.keys(OVERFLOW_ERRORS) as readonly OverflowErrorName[];

/** The same refusal in the words of another server. */
export function inWordsOf(
  name: OverflowErrorName,
  refusal: Refusal,
  { prompt, windowTokens }: { readonly prompt: Prompt; readonly windowTokens: number },
): Refusal {
  const { inputTokens, maxOutputTokens = 0 } = prompt;
  const counts: Readonly<Record<string, number>> = {
    limit: windowTokens,
    requested: inputTokens + maxOutputTokens,
    input: inputTokens,
    output: maxOutputTokens,
  };
  const { status, body } = OVERFLOW_ERRORS[name];
  const text = body.replaceAll(/\{(limit|requested|input|output)\}/g, (_, count: string) => String(counts[count]));
  return { ...refusal, status, body: text };
}
