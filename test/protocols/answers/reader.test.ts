/** What is read of an answer while it is relayed, against the strict provider's own account of it. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAnswerReader, openingOf, type AnswerState } from "../../../src/protocols/answers/reader.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";
import { again, answered, PROTOCOLS, type Answered } from "./asked.ts";
import { expectLinear } from "../../support/linear.ts";

const encoder = new TextEncoder();
const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const LONG = "说中文 👩‍👩‍👧, and a bit of English too. ".repeat(20);
const ANSWER = { thinking: "hm, 让我想想", text: LONG, calls: [{ name: "read", arguments: { path: "文件.ts" } }] };

interface Reading {
  readonly streamed: boolean;
  readonly status?: number;
  /** Sizes of the pieces, over and over; all at once by default. */
  readonly pieces?: readonly number[];
  readonly eventBytesMax?: number;
}

function read(protocol: ProtocolName, bytes: Uint8Array, reading: Reading): AnswerState {
  const { streamed, status = 200, pieces = [bytes.length], eventBytesMax } = reading;
  const reader = createAnswerReader(protocol, {
    streamed,
    status,
    ...(eventBytesMax === undefined ? {} : { eventBytesMax }),
  });
  for (let from = 0, piece = 0; from < bytes.length; piece++) {
    const size = Math.max(1, pieces[piece % pieces.length]!);
    reader.push(bytes.subarray(from, from + size));
    from += size;
  }
  reader.end();
  return reader.state;
}

const says = (text: string): Uint8Array => encoder.encode(text);
const sse = (...events: unknown[]): Uint8Array =>
  says(events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join(""));

function expectUsage({ usage }: AnswerState, { provider }: Answered): void {
  const { tokens } = provider.account().total;
  expect(usage).toMatchObject({
    input: tokens.input,
    output: tokens.output,
    cacheRead: tokens.cacheRead,
  });
}

describe.each(PROTOCOLS)("%s", (protocol) => {
  it.each([true, false])("tells usage, content and the end (streamed: %s)", async (stream) => {
    const told = await answered(protocol, { stream }, { script: ANSWER });
    const state = read(protocol, told.bytes, { streamed: stream });
    expect(state).toMatchObject({ began: true, complete: true, failed: false, overflow: undefined });
    expectUsage(state, told);
    expect(state.usage!.input).toBeGreaterThan(0);
    expect(state.usage!.output).toBeGreaterThan(50);
  });

  it.each([true, false])("tells what was read from the cache (streamed: %s)", async (stream) => {
    const text = "The same long beginning. ".repeat(700);
    const more = protocol === "anthropic-messages" ? { cache_control: { type: "ephemeral" } } : {};
    const first = await answered(protocol, { stream, text, more }, { script: { text: "ok" } });
    const written = read(protocol, first.bytes, { streamed: stream }).usage!;
    const second = await again(first.provider, protocol, { stream, text, more });
    const usage = read(protocol, second.bytes, { streamed: stream }).usage!;
    expect(usage.cacheRead).toBeGreaterThan(1_000);
    expect(usage.input).toBe(written.input);
    if (protocol === "anthropic-messages") expect(written.cacheWrite).toBeGreaterThan(1_000);
  });

  it("says the same wherever the bytes are cut", async () => {
    const whole = await answered(protocol, { stream: true }, { script: ANSWER });
    const plain = await answered(protocol, { stream: false }, { script: ANSWER });
    const expected = [
      read(protocol, whole.bytes, { streamed: true }),
      read(protocol, plain.bytes, { streamed: false }),
    ];
    const crlf = says(new TextDecoder().decode(whole.bytes).replaceAll("\n", "\r\n"));
    const cr = says(new TextDecoder().decode(whole.bytes).replaceAll("\n", "\r"));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 }), (pieces) => {
        expect(read(protocol, whole.bytes, { streamed: true, pieces })).toEqual(expected[0]);
        expect(read(protocol, crlf, { streamed: true, pieces })).toEqual(expected[0]);
        expect(read(protocol, cr, { streamed: true, pieces })).toEqual(expected[0]);
        expect(read(protocol, plain.bytes, { streamed: false, pieces })).toEqual(expected[1]);
      }),
      { numRuns: Math.ceil(RUNS / 20) },
    );
  });

  it.each([true, false])("knows an overflow (streamed: %s)", async (stream) => {
    const over = await answered(protocol, { stream, text: LONG.repeat(20) }, { every: { windowTokens: 2_000 } });
    const state = read(protocol, over.bytes, { streamed: stream && over.status === 200, status: over.status });
    expect(state.overflow).toMatchObject({ kind: "context", limitTokens: 2_000 });
    expect(openingOf(state)).toBe("overflow");
  });

  it("knows an overflow inside of a stream, before content", async () => {
    const over = await answered(protocol, { stream: true }, { script: { fault: { kind: "overflow" } } });
    expect(over.status).toBe(200);
    const state = read(protocol, over.bytes, { streamed: true });
    expect(state).toMatchObject({ overflow: { kind: "context" }, failed: true, began: false, complete: false });
    expect(openingOf(state)).toBe("overflow");
  });

  it("knows an error in the middle of a stream from an overflow", async () => {
    const broken = await answered(
      protocol,
      { stream: true },
      { script: { ...ANSWER, fault: { kind: "stream-error" } } },
    );
    const state = read(protocol, broken.bytes, { streamed: true });
    expect(state).toMatchObject({ failed: true, overflow: undefined, began: true });
    expect(openingOf(state)).toBe("content");
  });

  it("knows that an answer breaks off, and reads on behind an event that is no JSON", async () => {
    const cut = await answered(protocol, { stream: true }, { script: { ...ANSWER, fault: { kind: "cut" } } });
    expect(read(protocol, cut.bytes, { streamed: true })).toMatchObject({ began: true, complete: false });
    const bad = await answered(protocol, { stream: true }, { script: { ...ANSWER, fault: { kind: "malformed" } } });
    expect(read(protocol, bad.bytes, { streamed: true }).complete).toBe(true);
    const half = await answered(protocol, { stream: false }, { script: { ...ANSWER, fault: { kind: "malformed" } } });
    expect(read(protocol, half.bytes, { streamed: false })).toMatchObject({ began: false, complete: false });
  });

  it("decides on the opening with the first event of content, and never before", async () => {
    const whole = await answered(protocol, { stream: true }, { script: ANSWER });
    const events = new TextDecoder().decode(whole.bytes).split(/(?<=\n\n)/);
    const reader = createAnswerReader(protocol, { streamed: true, status: 200 });
    const verdicts = events.map((event) => {
      reader.push(says(event));
      return openingOf(reader.state);
    });
    const first = verdicts.indexOf("content");
    expect(verdicts.slice(0, first)).toEqual(Array(first).fill("undecided"));
    expect(new Set(verdicts.slice(first))).toEqual(new Set(["content"]));
    expect(events[first]).toMatch(FIRST_CONTENT[protocol]);
    expect(first).toBe(
      { "openai-chat": 1, "openai-responses": 2, "anthropic-messages": 2, "google-gemini": 0 }[protocol],
    );
  });

  it("survives anything", () => {
    const junk = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: "grapheme", maxLength: 80 }).map(says),
      fc.json().map((json) => says(`event: message_start\ndata: ${json}\n\n`)),
      fc.json().map((json) => says(`data: {"type":"response.failed","response":${json}}\n\ndata: ${json}\n\n`)),
      fc.json().map(says),
    );
    fc.assert(
      fc.property(
        fc.array(junk, { maxLength: 6 }),
        fc.boolean(),
        fc.constantFrom(200, 400, 500),
        (pieces, streamed, status) => {
          const reader = createAnswerReader(protocol, { streamed, status });
          for (const piece of pieces) reader.push(piece);
          reader.end();
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("skips an event that is too large and reads the next, whatever its pieces", async () => {
    const whole = await answered(protocol, { stream: true }, { script: ANSWER });
    const text = new TextDecoder().decode(whole.bytes);
    const at = text.indexOf("\n\n", text.length / 2) + 2;
    for (const huge of [
      `data: {"type":"x","a":"${"y".repeat(20_000)}"}\n\n`,
      `data: a\n`.repeat(4_000) + "\n",
      `data: {"usage":{"prompt_tokens":9e9,"input_tokens":9e9},"a":"${"y".repeat(20_000)}"}\r\n\r\n`,
    ]) {
      const bytes = says(text.slice(0, at) + huge + text.slice(at));
      for (const pieces of [[7], [1_000], [8_191, 1], [bytes.length]]) {
        const state = read(protocol, bytes, { streamed: true, pieces, eventBytesMax: 4_096 });
        expect(state.complete).toBe(true);
        expect(state.usage!.output).toBe(read(protocol, whole.bytes, { streamed: true }).usage!.output);
        expect(state.usage!.input).toBeLessThan(1_000);
      }
    }
  });

  it("costs no more than the length of what it is fed", { timeout: 20_000 }, () => {
    const chunk = says("y".repeat(1_000));
    expectLinear(50_000, (chunks) => () => {
      const reader = createAnswerReader(protocol, { streamed: true, status: 200 });
      reader.push(says('data: {"type":"z","a":"'));
      for (let at = 0; at < chunks; at++) reader.push(chunk);
      reader.push(sse("", ...endOf(protocol)));
      expect(reader.state.complete).toBe(true);
    });
  });
});

const FIRST_CONTENT: Readonly<Record<ProtocolName, RegExp>> = {
  "openai-chat": /reasoning_content/,
  "openai-responses": /response\.output_item\.added/,
  "anthropic-messages": /content_block_start/,
  "google-gemini": /"parts"/,
};

function endOf(protocol: ProtocolName): readonly unknown[] {
  switch (protocol) {
    case "openai-chat":
      return ["[DONE]"];
    case "openai-responses":
      return [{ type: "response.completed", response: {} }];
    case "anthropic-messages":
      return [{ type: "message_stop" }];
    case "google-gemini":
      return [{ candidates: [{ finishReason: "STOP" }] }];
  }
}

describe("shapes that servers are seen to send", () => {
  const context = { kind: "context" };

  it.each<readonly [string, ProtocolName, Uint8Array, Partial<AnswerState>]>([
    [
      "Anthropic: the window ends the answer, before content",
      "anthropic-messages",
      sse(
        { type: "message_start", message: { usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: "ping" },
        {
          type: "message_delta",
          delta: { stop_reason: "model_context_window_exceeded" },
          usage: { output_tokens: 1 },
        },
        { type: "message_stop" },
      ),
      { overflow: context, began: false, complete: true },
    ] as never,
    [
      "Anthropic: the window ends the answer, after content",
      "anthropic-messages",
      sse(
        { type: "message_start", message: {} },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "message_delta", delta: { stop_reason: "model_context_window_exceeded" } },
      ),
      { overflow: context, began: true },
    ] as never,
    [
      "Anthropic: keys in another order, no event names",
      "anthropic-messages",
      sse(
        { message: { usage: { input_tokens: 5, cache_read_input_tokens: 7 } }, type: "message_start" },
        { error: { type: "overloaded_error", message: "Overloaded" }, type: "error" },
      ),
      { failed: true, began: false, overflow: undefined, usage: { input: 12, output: 0, cacheRead: 7, cacheWrite: 0 } },
    ],
    [
      "Responses: an error larger than what is looked at, behind long tools",
      "openai-responses",
      sse(
        { type: "response.created", response: { tools: ["t".repeat(30_000)], error: null } },
        {
          type: "response.failed",
          response: {
            instructions: "i".repeat(30_000),
            error: {
              code: "context_length_exceeded",
              message: "This model's maximum context length is 128000 tokens.",
            },
          },
        },
      ),
      { overflow: { kind: "context", limitTokens: 128_000 }, failed: true, began: false },
    ],
    [
      "Responses: an error event",
      "openai-responses",
      sse({
        type: "error",
        code: "context_length_exceeded",
        message: "Your input exceeds the context window.",
        param: "input",
      }),
      { overflow: context, failed: true },
    ] as never,
    [
      "Chat: llama.cpp's error, a field of its own",
      "openai-chat",
      says(
        'error: {"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}\n\n',
      ),
      { overflow: { kind: "context", limitTokens: 8_192, requestedTokens: 9_000 }, failed: true },
    ],
    [
      "Anthropic: another server's error, an event without a name",
      "anthropic-messages",
      sse({ error: { message: "Please reduce the length of the messages or completion." } }),
      { overflow: { kind: "context" }, failed: true, began: false },
    ],
    [
      "Responses: another server's error, an event without a name",
      "openai-responses",
      sse({ object: "error", message: "Please reduce the length of the messages or completion." }),
      { overflow: { kind: "context" }, failed: true, began: false },
    ],
    [
      "Chat: vLLM's error, an object of its own",
      "openai-chat",
      sse({ object: "error", message: "This model's maximum context length is 8192 tokens.", code: 400 }, "[DONE]"),
      { overflow: { kind: "context", limitTokens: 8_192 }, failed: true },
    ],
    [
      "Chat: a role and Azure's prompt filter are no content",
      "openai-chat",
      sse(
        { choices: [], prompt_filter_results: [] },
        { choices: [{ index: 0, delta: { role: "assistant", content: "", refusal: null } }], usage: null },
      ),
      { began: false, complete: false, failed: false },
    ],
    [
      "Chat: words in a text that look like a report",
      "openai-chat",
      sse(
        { choices: [{ delta: { content: "a" } }] },
        { choices: [{ delta: { content: '"error" "prompt_tokens": 9 "finish_reason": "stop"' } }] },
      ),
      { began: true, complete: false, failed: false, usage: undefined },
    ],
    [
      "Chat: the last line has no end",
      "openai-chat",
      says('data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\ndata: [DONE]'),
      { complete: true, usage: { input: 3, output: 1, cacheRead: 0, cacheWrite: 0 } },
    ],
  ])("%s", (_, protocol, bytes, expected) => {
    expect(read(protocol, bytes, { streamed: true })).toMatchObject(expected);
  });

  it("a whole answer of Anthropic's that the window ended is an overflow until there is content", () => {
    const body = (content: unknown): Uint8Array =>
      says(JSON.stringify({ content, stop_reason: "model_context_window_exceeded", usage: { input_tokens: 9 } }));
    const empty = read("anthropic-messages", body([]), { streamed: false });
    expect([openingOf(empty), empty.usage?.input]).toEqual(["overflow", 9]);
    expect(openingOf(read("anthropic-messages", body([{ type: "text" }]), { streamed: false }))).toBe("content");
  });

  it("a body larger than its limit says nothing, and a 413 of any text is one", () => {
    const reader = createAnswerReader("openai-chat", { streamed: false, status: 200, bodyBytesMax: 10 });
    reader.push(says('{"usage":{"prompt_tokens":1}}'));
    reader.end();
    expect(reader.state).toMatchObject({ usage: undefined, complete: false });
    expect(read("openai-chat", says("<html>too large</html>"), { streamed: true, status: 413 }).overflow).toEqual({
      kind: "payload",
    });
  });
});
