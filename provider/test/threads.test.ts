/** Message threads as Anthropic keeps them: begun, continued once, gone after five minutes; with its SDK and without. */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProvider, type ProviderOptions } from "../src/index.ts";

const MODEL = "claude-sonnet-4-5";
const MINUTE_MS = 60_000;
const BETA = "message-threads-2026-08-12";

async function standing(options: ProviderOptions = {}) {
  const provider = createProvider(options);
  const { url, close } = await provider.listen();
  onTestFinished(() => void close());
  const client = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 });
  const send = async (body: object, beta = BETA) => {
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", "anthropic-beta": beta },
      body: JSON.stringify({ model: MODEL, max_tokens: 100, ...body }),
    });
    const answer = (await response.json()) as { readonly id: string; readonly error?: { readonly details?: object } };
    return { status: response.status, id: answer.id, details: answer.error?.details, answer };
  };
  return { provider, client, send };
}

const says = (content: string) => [{ role: "user", content }];
const create = { type: "create" };
const onward = (id: string) => ({ type: "continue", previous_message_id: id });

describe("a thread", () => {
  it("holds the whole conversation, its system prompt and its tools", async () => {
    const { provider, client } = await standing();
    const thread = client.beta.messages.thread({ model: MODEL, max_tokens: 100, system: "Be brief. ".repeat(50) });
    const first = await thread.send({ role: "user", content: "one ".repeat(200) });
    const second = await thread.send({ role: "user", content: "two" });
    expect(second.usage.input_tokens).toBeGreaterThan(first.usage.input_tokens);
    expect(JSON.parse(provider.requests[1]!.body)).toMatchObject({
      thread: onward(first.id),
      messages: [{ role: "user", content: "two" }],
    });
    expect(provider.account().total.rejected).toEqual({});
  });

  it("is gone five minutes after its last answer", async () => {
    let now = 0;
    const { send } = await standing({ now: () => now });
    const first = await send({ thread: create, messages: says("one") });
    now += 4 * MINUTE_MS;
    const second = await send({ thread: onward(first.id), messages: says("two") });
    now += 4 * MINUTE_MS;
    const third = await send({ thread: onward(second.id), messages: says("three") });
    now += 5 * MINUTE_MS;
    const late = await send({ thread: onward(third.id), messages: says("four") });
    expect([second.status, third.status, late.status]).toEqual([200, 200, 404]);
    expect(late.details).toEqual({ error_code: "thread_not_found" });
  });

  it.each([
    ["an answer that was continued", { messages: says("again") }, "thread_already_continued"],
    ["an answer that nobody gave", { thread: onward("msg_none"), messages: says("x") }, "thread_not_found"],
    ["its tools once more", { tools: [], messages: says("x") }, "thread_fingerprint_mismatch"],
    ["context management", { context_management: { edits: [] }, messages: says("x") }, "thread_unsupported_request"],
  ])("is refused with %s", async (_what, body, code) => {
    const { send } = await standing();
    const { id } = await send({ thread: create, messages: says("one") });
    const other = await send({ thread: onward(id), messages: says("two") });
    expect(other.status).toBe(200);
    expect((await send({ thread: onward(id), ...body })).details).toMatchObject({ error_code: code });
  });

  it("needs its beta header, and belongs to one key", async () => {
    const { send } = await standing();
    expect((await send({ thread: create, messages: says("one") }, "none")).status).toBe(400);
  });
});
