/**
 * A request that its provider finds too large: sent once more, compacted, without the client seeing any of it, in every
 * shape in which providers say so; what the client has seen the beginning of is passed on as it is.
 */
import { describe, expect, it, vi } from "vitest";
import type { Transcript } from "../../src/core/transcript/message.ts";
import { GATEWAY_LIMITS } from "../../src/gateway/limits.ts";
import type { ProtocolName } from "../../src/core/protocols.ts";
import { ask, bodyOf, MAX_OUTPUT_TOKENS, PROTOCOLS, worked, type Told } from "./support/asking.ts";
import { front, stand } from "./support/standing.ts";
import { EVENT_STREAM, upstreamOf, type Reply } from "./support/upstream.ts";
import { spread } from "../support/cases.ts";

/** Smaller than what the gateway believes, larger than what a compaction leaves. */
const WINDOW_TOKENS = 16_000;
const BELIEVED_TOKENS = 200_000;
const STEPS = 40;
const REWRITTEN = /^rewritten; before=\d+; after=\d+; fresh$/;
const SAID = "The file says hello.";

const sse = (events: readonly unknown[]): readonly string[] =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);

const named = (events: readonly { readonly type: string; readonly [field: string]: unknown }[]): readonly string[] =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

/** All there is to a streamed answer is its text. */
const textIn = ({ text }: Told): string =>
  text.includes(SAID)
    ? SAID
    : [...text.matchAll(/"(?:text|content|delta)":"([^"]*)"/g)].map(([, piece]) => piece).join("");

describe.each(spread(PROTOCOLS, 2))("%s", (protocol) => {
  describe.each([false, true])("streamed: %s", (stream) => {
    const large = (steps = STEPS): string => bodyOf(protocol, worked("big", steps), { stream });

    it("is recovered where the window is smaller than believed, and the window is learnt", async () => {
      const { provider, url, events } = await stand({
        provider: { every: { windowTokens: WINDOW_TOKENS }, script: { text: SAID } },
        gateway: { contextLength: BELIEVED_TOKENS },
      });
      const told = await ask(url, { protocol, body: large() });
      expect([told.status, told.treatment]).toEqual([200, expect.stringMatching(REWRITTEN)]);
      expect(textIn(told)).toContain(SAID);
      expect(told.text).not.toMatch(/maximum|context_length|too long/);
      expect(provider.requests.map(({ outcome }) => outcome)).toEqual(["refused", "answered"]);
      await vi.waitFor(() =>
        expect(events).toContainEqual(expect.objectContaining({ kind: "request", retried: true, outcome: "answered" })),
      );
      await vi.waitFor(() =>
        expect(events).toContainEqual(expect.objectContaining({ kind: "notice", code: "window_learned" })),
      );
      // From now on a request is compacted before it is sent, in this conversation and in another.
      const next = await ask(url, { protocol, body: large(STEPS + 25) });
      const other = await ask(url, { protocol, body: bodyOf(protocol, worked("other", STEPS), { stream }) });
      expect([next.status, other.status, other.treatment]).toEqual([200, 200, expect.stringMatching(REWRITTEN)]);
      expect(provider.account().total.rejected).toEqual({ window: 1 });
    });

    // Google bounds what is read and what is written each by itself.
    it.runIf(protocol !== "google-gemini")("is recovered from where only the answer's room is missing", async () => {
      const fits = await sizeOf(protocol, worked("big", STEPS));
      const { provider, url } = await stand({
        provider: { every: { windowTokens: fits + MAX_OUTPUT_TOKENS - 1 }, script: { text: SAID } },
        gateway: { contextLength: BELIEVED_TOKENS },
      });
      const told = await ask(url, { protocol, body: large() });
      expect([told.status, told.treatment]).toEqual([200, expect.stringMatching(REWRITTEN)]);
      expect(provider.account().total).toMatchObject({ rejected: { window: 1 }, answered: 1 });
    });

    it("is recovered where an error before any content says so", async () => {
      let asked = 0;
      const { provider, url } = await stand({
        provider: {
          script: () => (asked++ === 0 ? { text: SAID, fault: { kind: "overflow" } } : { text: SAID }),
        },
        gateway: { contextLength: BELIEVED_TOKENS },
      });
      const told = await ask(url, { protocol, body: large() });
      expect([told.status, told.treatment, asked]).toEqual([200, expect.stringMatching(REWRITTEN), 2]);
      expect(textIn(told)).toContain(SAID);
      expect(provider.requests[1]!.body.length).toBeLessThan(provider.requests[0]!.body.length);
    });

    it("is sent again within a bound, smaller each time: the last refusal is the client's", async () => {
      const refusal = refusalOf(protocol);
      const { url: upstream, got } = await upstreamOf(() => refusal);
      const { url, events } = await front(upstream, { contextLength: BELIEVED_TOKENS });
      const told = await ask(url, { protocol, body: large() });
      expect([told.status, told.text]).toEqual([refusal.status, refusal.pieces.join("")]);
      expect(got.length).toBeGreaterThan(1);
      expect(got.length).toBeLessThanOrEqual(1 + GATEWAY_LIMITS.refusalRetries);
      const sizes = got.map(({ bytes }) => bytes);
      expect(sizes).toEqual([...new Set(sizes)].toSorted((one, other) => other - one));
      await vi.waitFor(() =>
        expect(events).toContainEqual(expect.objectContaining({ kind: "request", outcome: "refused", retried: true })),
      );
    });

    it("is not sent again for an error of another kind", async () => {
      const { provider, url } = await stand({
        provider: { script: { fault: { kind: "rate-limit", retryAfterSeconds: 7 } } },
        gateway: { contextLength: BELIEVED_TOKENS },
      });
      const told = await ask(url, { protocol, body: large() });
      expect([told.status, told.headers.get("retry-after"), provider.requests.length]).toEqual([429, "7", 1]);
    });

    it("too large in bytes is sent again without its pictures", async () => {
      const { provider, url } = await stand({
        provider: { limits: { bodyBytes: 300_000 }, script: { text: SAID } },
        gateway: { contextLength: BELIEVED_TOKENS },
      });
      const told = await ask(url, { protocol, body: bodyOf(protocol, withPictures(), { stream }) });
      expect([told.status, told.treatment]).toEqual([200, expect.stringMatching(REWRITTEN)]);
      // Google says so with a 400 (https://github.com/google-gemini/deprecated-generative-ai-android/issues/26).
      const refused = protocol === "google-gemini" ? 400 : 413;
      expect(provider.requests.map(({ status }) => status)).toEqual([refused, 200]);
      const again = await ask(url, { protocol, body: bodyOf(protocol, withPictures("Another word."), { stream }) });
      expect([again.status, provider.requests.length]).toEqual([200, 3]);
    });
  });

  it("is passed on where content came before it", async () => {
    const pieces = contentThenOverflow(protocol);
    const { url: upstream, got } = await upstreamOf(() => ({ headers: EVENT_STREAM, pieces }));
    const { url } = await front(upstream, { contextLength: BELIEVED_TOKENS });
    const told = await ask(url, { protocol, body: bodyOf(protocol, worked("big", STEPS), { stream: true }) });
    expect([told.status, told.text, got.length]).toEqual([200, pieces.join(""), 1]);
  });

  it("is recovered where the error comes after a while, in pieces cut anywhere", async () => {
    const refused = overflowInStream(protocol).join("");
    const fine = answered(protocol);
    const { url: upstream, got } = await upstreamOf((at) =>
      at === 0
        ? { headers: EVENT_STREAM, pieces: [refused.slice(0, 7), refused.slice(7, 40), refused.slice(40)] }
        : { headers: EVENT_STREAM, pieces: fine },
    );
    const { url } = await front(upstream, { contextLength: BELIEVED_TOKENS });
    const told = await ask(url, { protocol, body: bodyOf(protocol, worked("big", STEPS), { stream: true }) });
    expect([told.status, told.text, got.length]).toEqual([200, fine.join(""), 2]);
    expect(told.treatment).toMatch(REWRITTEN);
  });
});

it.each([40_000, 20_000])(
  "no later request fails at a server that takes %d bytes and never says so",
  async (bytesMax) => {
    const refused = { status: 400, pieces: ['{"message":"Input is too long for requested model."}'] };
    const { url: upstream, got } = await upstreamOf((_, { bytes }) =>
      bytes > bytesMax ? refused : { pieces: [JSON.stringify(chatAnswer(Math.round(bytes / 4)))] },
    );
    const { url } = await front(upstream, { contextLength: BELIEVED_TOKENS });
    const statuses: number[] = [];
    for (let steps = STEPS; steps < STEPS + 16; steps++) {
      const told = await ask(url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("big", steps)) });
      statuses.push(told.status);
    }
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(got.length).toBeLessThan(2 * statuses.length);
  },
);

function chatAnswer(inputTokens: number): object {
  const message = { role: "assistant", content: SAID };
  const usage = { prompt_tokens: inputTokens, completion_tokens: 5, total_tokens: inputTokens + 5 };
  return {
    id: "c",
    object: "chat.completion",
    model: "m",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage,
  };
}

describe("Anthropic's answer that the window was full", () => {
  it.each([false, true])("is recovered, streamed: %s", async (stream) => {
    let asked = 0;
    const { url } = await stand({
      provider: { script: () => (asked++ === 0 ? { fault: { kind: "window-stop" } } : { text: SAID }) },
      gateway: { contextLength: BELIEVED_TOKENS },
    });
    const protocol = "anthropic-messages";
    const told = await ask(url, { protocol, body: bodyOf(protocol, worked("big", STEPS), { stream }) });
    expect([told.status, told.treatment, asked]).toEqual([200, expect.stringMatching(REWRITTEN), 2]);
    expect(told.text).not.toContain("model_context_window_exceeded");
  });
});

async function sizeOf(protocol: ProtocolName, transcript: Transcript): Promise<number> {
  const { provider, providerUrl } = await stand({ provider: { script: { text: SAID } } });
  await ask(providerUrl, { protocol, body: bodyOf(protocol, transcript) });
  return provider.requests.at(-1)!.use!.inputTokens;
}

function withPictures(last = "What do they show?"): Transcript {
  const data = Buffer.alloc(60_000, 7).toString("base64");
  const picture = { kind: "image", source: { type: "data", mediaType: "image/png", data } } as const;
  const { system, messages } = worked("pictures", 4, 40);
  const asked = Array.from({ length: 5 }, (_, at) => [
    { role: "user", parts: [{ kind: "text", text: `Picture ${at}.` }, picture] } as const,
    { role: "assistant", parts: [{ kind: "text", text: `It shows ${at}.` }] } as const,
  ]);
  return {
    system,
    messages: [
      ...messages,
      { role: "assistant", parts: [{ kind: "text", text: "Read." }] },
      ...asked.flat(),
      { role: "user", parts: [{ kind: "text", text: last }] },
    ],
  };
}

const TOO_LONG = "prompt is too long: 213462 tokens > 200000 maximum";
const OPENAI_ERROR = {
  message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
  type: "invalid_request_error",
  param: "messages",
  code: "context_length_exceeded",
};

function refusalOf(protocol: ProtocolName): Reply & { readonly status: number } {
  const error =
    protocol === "anthropic-messages"
      ? { type: "error", error: { type: "invalid_request_error", message: TOO_LONG } }
      : { error: OPENAI_ERROR };
  return { status: 400, pieces: [JSON.stringify(error)] };
}

function overflowInStream(protocol: ProtocolName): readonly string[] {
  switch (protocol) {
    case "openai-chat":
      return sse([{ error: OPENAI_ERROR }]);
    case "openai-responses":
      return named([
        { type: "response.created", response: { id: "resp_1", status: "in_progress" } },
        { type: "response.failed", response: { id: "resp_1", status: "failed", error: OPENAI_ERROR } },
      ]);
    case "anthropic-messages":
      return named([{ type: "error", error: { type: "invalid_request_error", message: TOO_LONG } }]);
    case "google-gemini":
      return sse([{ error: { code: 400, message: TOO_LONG, status: "INVALID_ARGUMENT" } }]);
  }
}

function opened(protocol: ProtocolName): readonly string[] {
  switch (protocol) {
    case "openai-chat":
      return sse([{ id: "c", choices: [{ index: 0, delta: { role: "assistant", content: SAID } }] }]);
    case "openai-responses":
      return named([
        { type: "response.created", response: { id: "resp_1", status: "in_progress" } },
        { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: SAID },
      ]);
    case "anthropic-messages":
      return named([
        { type: "message_start", message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 5 } } },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: SAID } },
      ]);
    case "google-gemini":
      return sse([{ candidates: [{ content: { role: "model", parts: [{ text: SAID }] }, index: 0 }] }]);
  }
}

function contentThenOverflow(protocol: ProtocolName): readonly string[] {
  return [...opened(protocol), ...overflowInStream(protocol)];
}

function answered(protocol: ProtocolName): readonly string[] {
  switch (protocol) {
    case "openai-chat":
      return [
        ...opened(protocol),
        ...sse([{ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }, "[DONE]"]),
      ];
    case "openai-responses":
      return [
        ...opened(protocol),
        ...named([{ type: "response.completed", response: { id: "resp_1", status: "completed" } }]),
      ];
    case "anthropic-messages":
      return [...opened(protocol), ...named([{ type: "content_block_stop", index: 0 }, { type: "message_stop" }])];
    case "google-gemini":
      return [...opened(protocol), ...sse([{ candidates: [{ finishReason: "STOP", index: 0 }] }])];
  }
}
