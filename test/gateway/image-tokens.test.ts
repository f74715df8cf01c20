/** `models.*.image_tokens` is what an image of that model is counted as. */
import { expect, it } from "vitest";
import { registryOf } from "../../src/models/index.ts";
import { createProvider } from "../../provider/src/index.ts";
import { atEnd, front } from "./support/standing.ts";

const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const IMAGES = 20;
const WINDOW_TOKENS = 20_000;
const messages = [
  { role: "user", content: "compare the screens" },
  ...Array.from({ length: IMAGES }, (_, at) => [
    { role: "assistant", content: `Looking at screen ${at}. ${"It shows the list of orders. ".repeat(10)}` },
    { role: "user", content: [{ type: "text", text: `screen ${at + 1}` }, IMAGE] },
  ]).flat(),
];

async function messagesSent(image_tokens: number): Promise<number> {
  const sent: string[] = [];
  const provider = createProvider({ onRequest: ({ body }) => void sent.push(body) });
  const { url, close } = await provider.listen();
  atEnd(close);
  const gateway = await front(url, {
    contextLength: WINDOW_TOKENS,
    registry: registryOf({ models: { "gpt-5": { image_tokens } } }),
  });
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k", "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-5", messages }),
  });
  expect(response.status).toBe(200);
  await response.text();
  return (JSON.parse(sent.at(-1)!) as { readonly messages: readonly unknown[] }).messages.length;
}

it("compacts by it: few tokens an image leave a conversation alone, many do not", async () => {
  expect(await messagesSent(100)).toBe(messages.length);
  expect(await messagesSent(1_600)).toBeLessThan(messages.length);
});
