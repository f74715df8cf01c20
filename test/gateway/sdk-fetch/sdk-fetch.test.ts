/** A `fetch` for the official SDKs: retries, requests that ask no model, options and aborts. */
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { createFetch, type SdkFetchOptions } from "../../../src/gateway/sdk-fetch.ts";
import { closing, says, smallProvider, WINDOW_TOKENS } from "../../integrations/past-window.ts";

const kept = (options: SdkFetchOptions = {}) => closing(createFetch({ contextLength: WINDOW_TOKENS, ...options }));

it("keeps a conversation through the SDK's own retries", async () => {
  const { provider, url } = await smallProvider({ faults: { "server-error": 0.15 }, seed: 7 });
  const client = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 8, fetch: kept() });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  for (let turn = 0; turn < 18; turn++) {
    messages.push({ role: "user", content: says(turn) });
    const asked = { model: "gpt-5.4", messages: [...messages], max_completion_tokens: 500 };
    const { choices } = await client.chat.completions.create(asked);
    messages.push(choices[0]!.message);
  }
  expect(provider.account().total).toMatchObject({ answered: 18, rejected: {} });
}, 60_000);

it("serves whatever is not a request for an answer as the platform's fetch does", async () => {
  const { url } = await smallProvider();
  const models = await kept()(`${url}/v1/models`, { headers: { authorization: "Bearer any" } });
  expect([models.status, models.headers.get("x-precis")]).toEqual([200, null]);
});

it("takes a Request, and a base URL with a path before the version", async () => {
  const { url } = await smallProvider();
  const body = JSON.stringify({ model: "gpt-5.4", messages: [{ role: "user", content: "Hello." }] });
  const headers = { authorization: "Bearer any", "content-type": "application/json" };
  const ask = (address: string) => kept()(new Request(address, { method: "POST", headers, body }));
  const answer = await ask(`${url}/v1/chat/completions`);
  expect([answer.status, answer.headers.get("x-precis")]).toEqual([200, "unchanged"]);
  // The strict provider serves no such path; that it says so shows that the path reached it whole.
  const elsewhere = await ask(`${url}/team/v1/chat/completions`);
  expect([elsewhere.status, await elsewhere.text()]).toEqual([
    404,
    expect.stringContaining("/team/v1/chat/completions"),
  ]);
});

it("refuses options that it does not know, before any request", () => {
  expect(() => createFetch({ windowTokens: 1 } as unknown as SdkFetchOptions)).toThrow(/windowTokens/);
});

it("ends a request that its caller gives up", async () => {
  const { url } = await smallProvider({ script: { text: "Slow.", fault: { kind: "stall", at: 0.5, ms: 60_000 } } });
  const client = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0, fetch: kept() });
  const asked = { model: "gpt-5.4", messages: [{ role: "user" as const, content: "Hello." }] };
  await expect(client.chat.completions.create(asked, { signal: AbortSignal.timeout(200) })).rejects.toThrow(/abort/i);
});

describe("a caller that gives up", () => {
  const asked = { model: "gpt-5.4", messages: [{ role: "user", content: "Hello." }] };
  const headers = { authorization: "Bearer any", "content-type": "application/json" };
  const stalled = (at: number) =>
    smallProvider({ script: { text: "Slow ".repeat(50), fault: { kind: "stall", at, ms: 60_000 } } });

  it.each(["before", "while"])("sees its own reason, as behind the platform's fetch (%s it waits)", async (when) => {
    const { url } = await stalled(0);
    const reason = new Error("not any more");
    const giving = new AbortController();
    if (when === "before") giving.abort(reason);
    else setTimeout(() => giving.abort(reason), 50);
    const init = { method: "POST", headers, body: JSON.stringify(asked), signal: giving.signal };
    await expect(kept()(`${url}/v1/chat/completions`, init)).rejects.toBe(reason);
  });

  it("sees it in the middle of an answer too", async () => {
    const { url } = await stalled(0.5);
    const reason = new Error("not any more");
    const giving = new AbortController();
    const response = await kept()(`${url}/v1/chat/completions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ ...asked, stream: true }),
      signal: giving.signal,
    });
    const reading = response.text();
    setTimeout(() => giving.abort(reason), 50);
    await expect(reading).rejects.toBe(reason);
  });

  it.each(["OpenAI", "Anthropic"])("is retried by its SDK where its time is over, and told so (%s)", async (name) => {
    const { provider, url } = await stalled(0);
    const own = kept();
    const ended: string[] = [];
    const noting: typeof fetch = (input, init) =>
      own(input as string, init).catch((error: unknown) => {
        ended.push((error as Error).name);
        throw error;
      });
    const options = { apiKey: "any", timeout: 100, maxRetries: 1, fetch: noting };
    const messages = [{ role: "user" as const, content: "Hello." }];
    const call =
      name === "OpenAI"
        ? new OpenAI({ ...options, baseURL: `${url}/v1` }).chat.completions.create({ model: "gpt-5.4", messages })
        : new Anthropic({ ...options, baseURL: url }).messages.create({
            model: "claude-sonnet-5",
            max_tokens: 9,
            messages,
          });
    await expect(call).rejects.toThrow(
      name === "OpenAI" ? OpenAI.APIConnectionTimeoutError : Anthropic.APIConnectionTimeoutError,
    );
    expect(ended).toEqual(["AbortError", "AbortError"]);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("is told by its SDK that it aborted", async () => {
    const { url } = await stalled(0);
    const client = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, fetch: kept() });
    const messages = [{ role: "user" as const, content: "Hello." }];
    const call = client.chat.completions.create({ model: "gpt-5.4", messages }, { signal: AbortSignal.timeout(50) });
    await expect(call).rejects.toThrow(OpenAI.APIUserAbortError);
  });
});
