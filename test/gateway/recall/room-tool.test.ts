/**
 * A model behind the gateway that asks how much room it has: off unless asked for, answered here, unseen by the client. The client
 * reads the same figures in a header.
 */
import { describe, expect, it } from "vitest";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import { agentForms } from "../../support/agent/forms.ts";
import type { ProtocolName } from "../../../src/core/protocols.ts";
import { bodyOf, PROTOCOLS } from "../support/asking.ts";
import { stand } from "../support/standing.ts";
import { agentOf } from "./support/agents.ts";
import { longSession, scripted } from "./support/scene.ts";
import { SDK_PROTOCOLS } from "./support/sdk-protocols.ts";

const WINDOW_TOKENS = 120_000;
const ASKS = { calls: [{ name: "precis_room", arguments: {} }] };

it.each(SDK_PROTOCOLS)("%s", async (protocol) => {
  const script = scripted(ASKS, { text: "There is room." });
  const gateway = { contextLength: WINDOW_TOKENS, roomTool: { tool: "on" } } as const;
  const { provider, url, events } = await stand({ provider: { script }, gateway });
  const agent = agentOf({ url, protocol, history: longSession(), stream: true });
  agent.says("How much room is left?");
  expect(await agent.ask()).toMatchObject({ text: "There is room.", calls: [] });
  expect(JSON.stringify(agent.list)).not.toContain("precis_room");
  expect(provider.requests[1]!.body).toMatch(/About \d+ of 120000 tokens are in use; \d+ are left\. From about \d+ on/);
  expect(events.filter(({ kind }) => kind === "recall")).toMatchObject([{ tool: "precis_room", found: true }]);
});

it("is not offered by default", async () => {
  const { provider, url } = await stand({ gateway: { contextLength: WINDOW_TOKENS } });
  const agent = agentOf({ url, protocol: "openai-chat", history: longSession(), stream: false });
  agent.says("Go on.");
  await agent.ask();
  expect(provider.requests[0]!.body).not.toContain("precis_room");
});

describe("x-precis-room", () => {
  async function askFor(url: string, protocol: ProtocolName, stream: boolean): Promise<Response> {
    const agent = agentForms[protocol];
    const body = bodyOf(protocol, longSession(), protocol === "google-gemini" ? {} : { stream });
    const response = await fetch(`${url}${agent.pathOf({ model: PROTOCOL_MODELS[protocol], stream })}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...agent.credentials("key") },
      body,
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining(stream ? "text/event-stream" : "application/json"),
    ]);
    await response.text();
    return response;
  }

  const forms = PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));

  it.each(forms)("of $protocol, stream: $stream, is of the request that was sent", async ({ protocol, stream }) => {
    const gateway = { contextLength: WINDOW_TOKENS, roomTool: { tool: "on" } } as const;
    const { url, events } = await stand({ gateway });
    const { headers } = await askFor(url, protocol, stream);
    const value = /^left=(\d+); window=120000; compacts_at=(\d+)$/.exec(headers.get("x-precis-room") ?? "");
    const [, left, compactsAt] = value?.map(Number) ?? [];
    expect(left).toBeGreaterThan(60_000);
    expect(left).toBeLessThan(115_000);
    expect(events.find(({ kind }) => kind === "request")).toMatchObject({ timing: { compactsAtTokens: compactsAt } });
  });

  it.each([true, false])("is left after a compaction, stream: %s", async (stream) => {
    const gateway = { contextLength: 12_000, roomTool: { tool: "on" } } as const;
    const { url } = await stand({ gateway });
    const { headers } = await askFor(url, "openai-chat", stream);
    const after = Number(/^rewritten; .*after=(\d+)/.exec(headers.get("x-precis") ?? "")?.[1]);
    expect(headers.get("x-precis-room")).toContain(`left=${12_000 - after}; window=12000`);
  });

  it("is not there by default", async () => {
    const { url } = await stand({ gateway: { contextLength: WINDOW_TOKENS } });
    expect((await askFor(url, "openai-chat", false)).headers.get("x-precis-room")).toBeNull();
  });
});
