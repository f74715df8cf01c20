/** What providers answer: tokens used, and errors that mean the request was too large. */
import { describe, expect, test } from "vitest";
import { OVERFLOW_ERROR_NAMES, OVERFLOW_ERRORS } from "../../provider/src/overflow-errors.ts";
import { mergeUsage, protocols } from "../../src/protocols/index.ts";
import { type Overflow } from "../../src/protocols/protocol.ts";
import { expectLinear } from "../support/linear.ts";

describe("usage", () => {
  test("Anthropic's input gets its cache counts back", () => {
    const { usage } = protocols["anthropic-messages"];
    const counts = {
      input_tokens: 10,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 30,
      output_tokens: 4,
    };
    const expected = { input: 240, output: 4, cacheRead: 200, cacheWrite: 30 };
    expect(usage({ usage: counts })).toEqual(expected);
    const start = usage({ type: "message_start", message: { usage: { ...counts, output_tokens: 1 } } })!;
    const delta = usage({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } })!;
    expect(mergeUsage(start, delta)).toEqual(expected);
  });

  test("OpenAI's input holds the cached tokens already", () => {
    const chat = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 64 } };
    expect(protocols["openai-chat"].usage({ choices: [], usage: chat })).toEqual({
      input: 100,
      output: 7,
      cacheRead: 64,
      cacheWrite: 0,
    });
    const responses = {
      input_tokens: 100,
      output_tokens: 7,
      input_tokens_details: { cached_tokens: 64, cache_write_tokens: 20 },
    };
    const expected = { input: 100, output: 7, cacheRead: 64, cacheWrite: 20 };
    expect(protocols["openai-responses"].usage({ usage: responses })).toEqual(expected);
    expect(protocols["openai-responses"].usage({ type: "response.completed", response: { usage: responses } })).toEqual(
      expected,
    );
  });

  test("an answer without counts has no usage", () => {
    for (const protocol of Object.values(protocols)) {
      for (const answer of [{}, null, "x", [], { usage: null }, { choices: [{ delta: {} }] }])
        expect(protocol.usage(answer)).toBeUndefined();
    }
  });
});

describe("overflow", () => {
  /** What a conversation about language models may say. */
  const SAID = "This model's maximum context length is 4097 tokens, however you requested 9999 tokens.";
  const error = (message: string, more: object = {}): string => JSON.stringify({ error: { message, ...more } });
  const context = (limitTokens?: number, requestedTokens?: number): Overflow => ({
    kind: "context",
    ...(limitTokens === undefined ? {} : { limitTokens }),
    ...(requestedTokens === undefined ? {} : { requestedTokens }),
  });

  test.each<[string, number, string, Overflow]>([
    [
      "Anthropic",
      400,
      error("prompt is too long: 213462 tokens > 200000 maximum", { type: "invalid_request_error" }),
      context(200_000, 213_462),
    ],
    [
      "Anthropic, with output",
      400,
      error("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length"),
      { ...context(200_000, 209_573), outputTokens: 21_333 },
    ],
    [
      "Anthropic, bytes",
      413,
      error("Request exceeds the maximum size", { type: "request_too_large" }),
      { kind: "payload" },
    ],
    [
      "Anthropic, after 200",
      200,
      JSON.stringify({ type: "message_delta", delta: { stop_reason: "model_context_window_exceeded" } }),
      context(),
    ],
    [
      "OpenAI",
      400,
      error(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 140123 tokens. Please reduce the length of the messages.",
        { code: "context_length_exceeded" },
      ),
      context(128_000, 140_123),
    ],
    [
      "OpenAI, newer",
      400,
      error("Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in 305,127 tokens.", {
        code: "context_length_exceeded",
      }),
      context(272_000, 305_127),
    ],
    [
      "OpenAI, stream",
      200,
      JSON.stringify({
        type: "response.failed",
        response: {
          error: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." },
        },
      }),
      context(),
    ],
    [
      "OpenAI, one long string",
      400,
      error("Invalid 'input[0].content': string too long.", { code: "string_above_max_length" }),
      { kind: "payload" },
    ],
    [
      "vLLM",
      400,
      JSON.stringify({
        object: "error",
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
        type: "BadRequestError",
      }),
      { ...context(4096, 5000), outputTokens: 1000 },
    ],
    [
      "OpenRouter",
      400,
      error("Provider returned error", {
        metadata: { raw: '{"error":{"message":"prompt is too long: 5000 tokens > 4000 maximum"}}' },
      }),
      context(4000, 5000),
    ],
    [
      "Gemini",
      400,
      error("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
      context(1_048_575, 1_196_265),
    ],
    [
      "xAI",
      400,
      error("This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
      context(131_072, 537_812),
    ],
    [
      "Moonshot",
      400,
      error("Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)"),
      context(131_072, 140_000),
    ],
    ["Bedrock", 400, '{"message":"Input is too long for requested model."}', context()],
    [
      "llama.cpp",
      400,
      error("the request exceeds the available context size, try increasing it", {
        type: "exceed_context_size_error",
        n_prompt_tokens: 9000,
        n_ctx: 8192,
      }),
      context(8192, 9000),
    ],
    [
      "a window that cannot be one",
      400,
      error("This model's maximum context length is 7 tokens. However, your messages resulted in 9 tokens."),
      context(),
    ],
    [
      "Ollama, which names a difference",
      400,
      error("prompt too long; exceeded max context length by 100918 tokens"),
      context(),
    ],
    [
      "LiteLLM, which quotes its provider's error",
      400,
      error(
        `litellm.BadRequestError: Error code: 400 - {'error': {'message': "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.", 'code': 400}}`,
      ),
      context(128_000, 140_000),
    ],
    [
      "LiteLLM, which quotes its provider's bytes",
      400,
      error(
        'AnthropicException - b\'{"type":"error","error":{"message":"prompt is too long: 5000 tokens > 4000 maximum"}}\'',
      ),
      context(4000, 5000),
    ],
    [
      "FastAPI, whose errors have a detail",
      400,
      JSON.stringify({ detail: "prompt is too long: 5000 tokens > 4000 maximum" }),
      context(4000, 5000),
    ],
    ["nginx", 413, "<html><body>413 Request Entity Too Large</body></html>", { kind: "payload" }],
  ])("%s", (_, status, body, expected) => {
    for (const protocol of Object.values(protocols)) expect(protocol.overflow(status, body)).toEqual(expected);
  });

  test.each(OVERFLOW_ERROR_NAMES)("%s, in the words that the strict provider has of it", (name) => {
    const { status, body } = OVERFLOW_ERRORS[name];
    const counts = { limit: 16_000, input: 20_000, output: 500, requested: 20_500 };
    const said = body.replaceAll(/\{(\w+)\}/g, (_, count: keyof typeof counts) => String(counts[count]));
    const names = (count: string): boolean => body.includes(`{${count}}`);
    const sums = names("requested") || (names("input") && names("output"));
    const requestedTokens = sums ? counts.requested : counts.input;
    const expected = {
      kind: "context",
      ...(names("limit") ? { limitTokens: counts.limit } : {}),
      ...(names("requested") || names("input") ? { requestedTokens } : {}),
      ...(names("output") ? { outputTokens: counts.output } : {}),
    };
    const overflow = protocols["openai-chat"].overflow(status, said);
    expect(overflow).toEqual(name === "nginx" ? { kind: "payload" } : expected);
  });

  test("a text of a megabyte that nearly says so, over and over, is read at once", () => {
    const nearly = [
      "request too large for ",
      "prompt contains 1 tokens ",
      "trying to keep the first 1 tokens when ",
      "9,",
      '"',
      "'",
      "'a",
      "message  ",
    ];
    expectLinear(1_000_000, (chars) => () => {
      for (const words of nearly)
        expect(protocols["openai-chat"].overflow(400, error(words.repeat(chars / words.length)))).toBeUndefined();
    });
  });

  test.each<[string, number, string]>([
    [
      "a rate limit under 413",
      413,
      error("Request too large for model: TPM limit 6000, requested 7000", { code: "rate_limit_exceeded" }),
    ],
    [
      "another bad request",
      400,
      error("messages.1: tool_use ids were found without tool_result blocks", { type: "invalid_request_error" }),
    ],
    ["a failure of the server", 500, "upstream failed"],
    [
      "an answer that quotes an overflow",
      200,
      JSON.stringify({ choices: [{ message: { content: "prompt is too long: 5 tokens > 4 maximum" } }] }),
    ],
    // https://github.com/continuedev/continue/issues/10920
    [
      "a rate limit of a day",
      429,
      error(
        "Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_x` service tier `on_demand` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.",
        { type: "tokens", code: "rate_limit_exceeded" },
      ),
    ],
    [
      "a minute's rate limit that waiting cures",
      429,
      error("Request too large for m in organization o on tokens per min (TPM): Limit 30000, Requested 20000."),
    ],
    [
      "Anthropic's rate limit, which speaks of the prompt's length",
      429,
      error(
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.",
        { type: "rate_limit_error" },
      ),
    ],
    [
      "a quota",
      429,
      error("You exceeded your current quota, please check your plan and billing details.", {
        code: "insufficient_quota",
      }),
    ],
    // https://github.com/CherryHQ/cherry-studio/issues/4377
    [
      "DeepSeek's range of max_tokens",
      400,
      error("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", { code: "invalid_request_error" }),
    ],
    // https://github.com/anomalyco/models.dev/issues/5824
    [
      "Cloudflare's and OpenAI's most output tokens",
      400,
      error("max_completion_tokens is too large: 1298829. This model supports at most 1048576 completion tokens"),
    ],
    ...[0, 100_000].map((more): [string, number, string] => [
      `FastAPI's validation error, with the client's own input and ${more} characters more`,
      422,
      JSON.stringify({
        detail: [
          { type: "extra_forbidden", loc: ["body", "messages", 3], input: `${SAID}${" ".repeat(more)}`, msg: "Extra" },
        ],
      }),
    ]),
    [
      "vLLM's validation error, with the client's own input",
      400,
      JSON.stringify({
        object: "error",
        message: `[{'type': 'literal_error', 'loc': ('body', 'messages', 3), 'msg': 'Input should be', 'input': {'role': 'x', 'content': "${SAID}"}}]`,
        type: "BadRequestError",
      }),
    ],
    [
      "a validation error of Pydantic in text",
      422,
      `1 validation error: content Extra inputs are not permitted [type=extra_forbidden, input_value=${SAID}, input_type=str]`,
    ],
    ["words in double quotes", 400, error(`messages[3].content: unexpected text "${SAID}" in tool result`)],
    ["words in single quotes", 400, error(`messages[3].content: unexpected text '${SAID}' in tool result`)],
    // https://github.com/charmbracelet/crush/issues/946
    [
      "Bedrock's most output tokens",
      400,
      JSON.stringify({ message: "The maximum tokens you requested exceeds the model limit of 32768" }),
    ],
    // https://github.com/databricks/databricks-sdk-go/issues/1183
    [
      "Databricks' most output tokens",
      400,
      JSON.stringify({
        error_code: "BAD_REQUEST",
        message:
          "Bad request: rpc error: code = InvalidArgument desc = max_tokens (10000) cannot exceed 8192. Please reduce the length of max output tokens generated.",
      }),
    ],
    [
      "Anthropic's most output tokens",
      400,
      error("max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5"),
    ],
    // https://github.com/huggingface/transformers/issues/28523
    ["TGI's most output tokens", 422, '{"error":"Input validation error: `max_new_tokens` must be <= 192"}'],
    [
      "a name that is too long",
      400,
      error(
        "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 70.",
        {
          code: "string_above_max_length",
        },
      ),
    ],
  ])("%s is none", (_, status, body) => {
    for (const protocol of Object.values(protocols)) expect(protocol.overflow(status, body)).toBeUndefined();
  });
});
