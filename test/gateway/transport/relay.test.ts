/** What goes through the transport comes out as it went in, both ways. */
import { request as undiciRequest } from "undici";
import { describe, expect, test } from "vitest";
import { createProvider } from "../../../src/lab/provider/index.ts";
import { gatewayTo } from "./standing.ts";

const CHAT = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Say it again." }] });
const KEYED = { authorization: "Bearer sk-test", "content-type": "application/json" };

describe("a provider behind the gateway", () => {
  test.each([false, true])("answers as it does itself (streamed: %s)", async (stream) => {
    const provider = createProvider({ seed: 7, now: () => 1_000_000 });
    const twin = createProvider({ seed: 7, now: () => 1_000_000 });
    const [far, near] = [await provider.listen(), await twin.listen()];
    const gateway = await gatewayTo(far.url);
    const body = CHAT.replace("{", `{"stream":${stream},`);
    const [through, direct] = await Promise.all(
      [gateway.url, near.url].map(async (url) => {
        const answer = await undiciRequest(`${url}/v1/chat/completions`, { method: "POST", headers: KEYED, body });
        const { date: _d, "keep-alive": _k, ...headers } = answer.headers;
        return { status: answer.statusCode, headers, text: await answer.body.text() };
      }),
    );
    expect(through).toEqual(direct);
    expect(through!.status).toBe(200);
    expect(provider.requests[0]!.body).toBe(body);
    await Promise.all([far.close(), near.close()]);
  });
});
