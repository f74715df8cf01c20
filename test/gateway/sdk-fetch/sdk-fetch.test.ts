/** A `fetch` for the official SDKs: retries, requests that ask no model, options and aborts. */
import OpenAI from "openai";
import { expect, it } from "vitest";
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
