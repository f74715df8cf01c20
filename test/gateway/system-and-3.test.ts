/** `prompt_caching.strategy: system_and_3` on the wire: the system prompt and the last three messages (Hermes Agent docs). */
import { describe, expect, it } from "vitest";
import type { ProtocolName } from "../../src/core/protocols.ts";
import { createProvider } from "../../provider/src/index.ts";
import { atEnd, front } from "./support/standing.ts";

const EPHEMERAL = { cache_control: { type: "ephemeral" } };
const text = (value: string, marker: object = {}) => [{ type: "text", text: value, ...marker }];

/** The body that the provider got. */
async function sent(protocol: ProtocolName, body: object): Promise<Readonly<Record<string, unknown>>> {
  const bodies: string[] = [];
  const provider = createProvider({ onRequest: (request) => void bodies.push(request.body) });
  const { url, close } = await provider.listen();
  atEnd(close);
  const gateway = await front(url, {
    upstreams: { router: { url, caching: protocol === "openai-chat" ? "openrouter" : "auto" } },
    caching: { strategy: "system_and_3" },
  });
  const path = protocol === "openai-chat" ? "/v1/chat/completions" : "/v1/messages";
  const response = await fetch(`${gateway.url}/upstreams/router${path}`, {
    method: "POST",
    headers: { authorization: "Bearer k", "content-type": "application/json", "anthropic-version": "2023-06-01" },
    body: JSON.stringify(body),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  return JSON.parse(bodies.at(-1)!) as Readonly<Record<string, unknown>>;
}

const call = (id: string) => ({ id, type: "function", function: { name: "read", arguments: "{}" } });

describe("system_and_3", () => {
  it("marks four places of Claude's own API, a short system prompt among them", async () => {
    const body = {
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      system: "Be brief.",
      messages: [
        { role: "user", content: "One." },
        { role: "assistant", content: "Two." },
        { role: "user", content: "Three." },
        { role: "assistant", content: "Four." },
        { role: "user", content: "Five." },
      ],
    };
    expect(await sent("anthropic-messages", body)).toEqual({
      ...body,
      system: text("Be brief.", EPHEMERAL),
      messages: [
        ...body.messages.slice(0, 2),
        { role: "user", content: text("Three.", EPHEMERAL) },
        { role: "assistant", content: text("Four.", EPHEMERAL) },
        { role: "user", content: text("Five.", EPHEMERAL) },
      ],
    });
  });

  it("marks four places through OpenRouter, passing over what only Anthropic's own API takes", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "One." },
      { role: "assistant", content: "Two." },
      { role: "user", content: "Read both." },
      { role: "assistant", content: null, tool_calls: [call("a"), call("b")] },
      { role: "tool", tool_call_id: "a", content: "first" },
      { role: "tool", tool_call_id: "b", content: "second" },
    ];
    const body = { model: "anthropic/claude-sonnet-4.5", messages };
    expect((await sent("openai-chat", body))["messages"]).toEqual([
      { role: "system", content: text("Be brief.", EPHEMERAL) },
      { role: "user", content: text("One.", EPHEMERAL) },
      { role: "assistant", content: text("Two.", EPHEMERAL) },
      { role: "user", content: text("Read both.", EPHEMERAL) },
      ...messages.slice(4),
    ]);
  });

  it("does not count a system message between as one of the three", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "One." },
      { role: "assistant", content: "Two." },
      { role: "user", content: "Three." },
      { role: "system", content: "The time is four." },
      { role: "assistant", content: "Four." },
      { role: "user", content: "Five." },
    ];
    const marked = (await sent("openai-chat", { model: "anthropic/claude-sonnet-4.5", messages }))["messages"];
    const places = (marked as readonly { content: unknown }[]).map(({ content }) => Array.isArray(content));
    expect(places).toEqual([true, false, false, true, false, true, true]);
  });
});
