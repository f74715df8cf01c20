/** What a program has in a `catch` is understood as it is; what tells of no overflow is answered with undefined. */
import Anthropic from "@anthropic-ai/sdk";
import { APICallError, RetryError, generateText } from "ai";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { createSession } from "../../src/index.ts";
import { createOpenAI } from "@ai-sdk/openai";
import { filler } from "../support/compacting.ts";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

const LIMIT_TOKENS = 9_000;
const OPENAI_BODY = {
  error: {
    message: `This model's maximum context length is ${LIMIT_TOKENS} tokens. However, your messages resulted in 20000 tokens.`,
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  },
};
const ANTHROPIC_BODY = {
  type: "error",
  error: { type: "invalid_request_error", message: `prompt is too long: 20000 tokens > ${LIMIT_TOKENS} maximum` },
};
const REQUEST = {
  messages: [
    { role: "user" as const, content: "Tidy the modules." },
    ...Array.from({ length: 12 }, (_, at) => [
      { role: "assistant" as const, content: `Part ${at} is next.` },
      { role: "user" as const, content: filler(1_000, `part${at}`) },
    ]).flat(),
  ],
};

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function refusing(status: number, body: unknown): Promise<string> {
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((ready) => void server!.listen(0, "127.0.0.1", ready));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function caught(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

async function recovered(error: unknown): Promise<boolean> {
  const session = createSession({ settings: { contextLength: 100_000 } });
  const prepared = await session.recover(error, REQUEST);
  if (prepared === undefined) return false;
  expect(prepared.tokens).toBeLessThan(LIMIT_TOKENS);
  expect(session.state().contextLength).toBe(LIMIT_TOKENS);
  return true;
}

const apiCallError = (more: object = {}) =>
  new APICallError({
    message: OPENAI_BODY.error.message,
    url: "http://127.0.0.1",
    requestBodyValues: {},
    statusCode: 400,
    responseBody: JSON.stringify(OPENAI_BODY),
    ...more,
  });

describe("an error that tells of an overflow", () => {
  it("is understood as the OpenAI SDK throws it, and inside of it", async () => {
    const baseURL = `${await refusing(400, OPENAI_BODY)}/v1`;
    const client = new OpenAI({ apiKey: "test", baseURL, maxRetries: 0 });
    const error = await caught(() => client.chat.completions.create({ model: "gpt-5.6", ...REQUEST }));
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(await recovered(error)).toBe(true);
    const { error: inner, status } = error as InstanceType<typeof OpenAI.APIError>;
    expect(await recovered(inner)).toBe(true);
    expect(await recovered({ status, body: inner })).toBe(true);
    expect(await recovered(new Error("the agent failed", { cause: error }))).toBe(true);
  });

  it("is understood as the Anthropic SDK throws it, and inside of it", async () => {
    const client = new Anthropic({ apiKey: "test", baseURL: await refusing(400, ANTHROPIC_BODY), maxRetries: 0 });
    const error = await caught(() =>
      client.messages.create({ model: "claude-sonnet-4-5", max_tokens: 64, ...REQUEST }),
    );
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(await recovered(error)).toBe(true);
    expect(await recovered((error as InstanceType<typeof Anthropic.APIError>).error)).toBe(true);
  });

  it("is understood as the AI SDK throws it, also after retries", async () => {
    const openai = createOpenAI({ apiKey: "test", baseURL: `${await refusing(400, OPENAI_BODY)}/v1` });
    const error = await caught(() => generateText({ model: openai.chat("gpt-5.6"), prompt: "hi", maxRetries: 0 }));
    expect(APICallError.isInstance(error)).toBe(true);
    expect(await recovered(error)).toBe(true);
    const retried = new RetryError({ message: "failed", reason: "maxRetriesExceeded", errors: [error] });
    expect(await recovered(retried)).toBe(true);
    expect(await recovered(apiCallError({ responseBody: undefined, data: OPENAI_BODY }))).toBe(true);
    expect(await recovered(apiCallError({ responseBody: undefined }))).toBe(true);
  });

  it("is understood in a stream of either SDK, where it has no status", async () => {
    expect(await recovered(new OpenAI.APIError(undefined, OPENAI_BODY.error, undefined, undefined))).toBe(true);
    expect(await recovered(new Anthropic.APIError(undefined, ANTHROPIC_BODY, undefined, undefined))).toBe(true);
  });

  it("is understood in a response, which stays the caller's to read", async () => {
    const response = await fetch(await refusing(400, OPENAI_BODY));
    expect(await recovered(response)).toBe(true);
    expect(await response.json()).toEqual(OPENAI_BODY);
    expect(await recovered(response)).toBe(false);
  });

  it("is understood as a status with a body, parsed or not, and as a text", async () => {
    const text = JSON.stringify(OPENAI_BODY);
    for (const one of [
      { status: 400, body: text },
      { status: "400", body: text },
      { status: 400, body: OPENAI_BODY },
      { response: { status: 400, data: OPENAI_BODY } },
      { kind: "context", limitTokens: LIMIT_TOKENS },
      OPENAI_BODY,
      ANTHROPIC_BODY,
      text,
      OPENAI_BODY.error.message,
    ])
      expect(await recovered(one)).toBe(true);
  });
});

/** Objects that cannot be read, in part or at all. */
function unreadable() {
  const trap = (): never => {
    throw new Error("trapped");
  };
  const trapping = (...names: readonly string[]) =>
    Object.defineProperties({}, Object.fromEntries(names.map((name) => [name, { get: trap, enumerable: true }])));
  const handler = { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const odd = new Response("prompt is too long", { status: 400 });
  const names = ["kind", "status", "body", "message", "error", "cause", "usage", "prompt_tokens", "input"];
  return [
    ...names.map((name) => trapping(name)),
    trapping(...names),
    new Proxy({}, handler),
    new Proxy(() => 1, handler),
    revoked.proxy,
    { cause: revoked.proxy },
    { status: 400, body: revoked.proxy },
    { status: 400, body: { toJSON: trap } },
    { status: Symbol("odd"), message: Symbol("odd") },
    { status: 400, error: trapping("error", "message") },
    { response: trapping("status") },
    Object.assign(odd, { clone: trap }),
    Object.defineProperty(new Response("x"), "status", { get: trap }),
    new Response(new ReadableStream({ pull: trap }), { status: 400 }),
    new Response(new ReadableStream({ pull: (stream) => stream.enqueue("no bytes" as never) }), { status: 400 }),
  ];
}

describe("what cannot be read", () => {
  it("is answered with undefined", async () => {
    for (const one of unreadable()) expect(await recovered(one)).toBe(false);
  });

  it("does not hide the rest of an error", async () => {
    const trap = (): never => {
      throw new Error("trapped");
    };
    const half = { status: 400, body: JSON.stringify(OPENAI_BODY) };
    expect(await recovered(Object.defineProperty({ ...half }, "cause", { get: trap }))).toBe(true);
    expect(await recovered(Object.defineProperty({ ...half }, "data", { get: trap, enumerable: true }))).toBe(true);
  });

  it("is no usage", () => {
    const session = createSession();
    for (const one of unreadable())
      expect(() => session.observe(one as never)).toThrow(expect.objectContaining({ code: "bad_usage" }));
    expect(() => session.observe({ prompt_tokens: Number.NaN })).toThrow("prompt_tokens (NaN)");
  });
});

describe("anything else", () => {
  it("is answered with undefined", async () => {
    const circular: Record<string, unknown> = { status: 400, message: "odd" };
    circular["body"] = circular;
    const loop = new Error("a loop");
    loop.cause = loop;
    const other = [
      undefined,
      null,
      0,
      400,
      true,
      "",
      "something failed",
      [],
      {},
      () => 1,
      Symbol("odd"),
      10n,
      new TypeError("fetch failed"),
      new DOMException("aborted", "AbortError"),
      circular,
      loop,
      { status: 429, body: OPENAI_BODY },
      { kind: "context", limitTokens: Number.NaN },
      { kind: "other" },
      new OpenAI.APIConnectionError({ message: "no connection" }),
      new OpenAI.APIUserAbortError(),
      apiCallError({ statusCode: 429 }),
      new Response("ok"),
      Response.error(),
    ];
    for (const one of other) expect(await recovered(one)).toBe(false);
  });
});
