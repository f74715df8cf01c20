/** `models.NAME.threshold` decides when conversations of that model are compacted, behind the same gateway as others. */
import { expect, it } from "vitest";
import { registryOf } from "../../src/models/index.ts";
import { createProvider } from "../../provider/src/index.ts";
import { atEnd, front } from "./support/standing.ts";

const WINDOW_TOKENS = 40_000;
const messages = Array.from({ length: 41 }, (_, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: `Turn ${at}. ${"The depot is counted again. ".repeat(50)}`,
}));

it("compacts one model's conversation and leaves another's alone", async () => {
  const sent: string[] = [];
  const provider = createProvider({ onRequest: ({ body }) => void sent.push(body) });
  const { url, close } = await provider.listen();
  atEnd(close);
  const registry = registryOf({ models: { "gpt-5": { threshold: 0.25 } } });
  const gateway = await front(url, { contextLength: WINDOW_TOKENS, registry });
  const ask = async (model: string): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${model}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages }),
    });
    await response.text();
    return (JSON.parse(sent.at(-1)!) as { readonly messages: readonly unknown[] }).messages.length;
  };
  expect(await ask("gpt-5.4")).toBe(messages.length);
  expect(await ask("gpt-5")).toBeLessThan(messages.length);
});
