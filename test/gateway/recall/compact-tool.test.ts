/** A model behind the gateway that has its conversation compacted: the call is answered here, and the client sees nothing of it. */
import { describe, expect, it } from "vitest";
import type { Answer } from "../../../provider/src/answers.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "../support/asking.ts";
import { stand } from "../support/standing.ts";
import { agentOf } from "./support/agents.ts";
import { longSession, scripted } from "./support/scene.ts";
import { SDK_PROTOCOLS } from "./support/sdk-protocols.ts";

const COMPACTS: Answer = { calls: [{ name: "precis_compact", arguments: { focus: "the harbour" } }] };
const GATEWAY = { contextLength: 120_000, compactTool: { tool: "on", fromShare: 0.2 } } as const;
const CASES = SDK_PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream })));

describe.each(CASES)("$protocol, streamed $stream", ({ protocol, stream }) => {
  it("compacts the next request, and shows the client an answer without the call", async () => {
    const script = scripted(COMPACTS, { text: "The phase is done." }, { text: "Next." }, { text: "And next." });
    const { provider, url, events } = await stand({ provider: { script }, gateway: GATEWAY });
    const agent = agentOf({ url, protocol, history: longSession(), stream });
    agent.says("Finish this phase.");
    expect(await agent.ask()).toMatchObject({ text: "The phase is done.", calls: [] });
    expect(JSON.stringify(agent.list)).not.toContain("precis_compact");
    expect(provider.requests[1]!.body).toContain("before your next turn");
    expect(events.filter(({ kind }) => kind === "compaction")).toEqual([]);

    agent.says("Begin the next one.");
    expect(await agent.ask()).toMatchObject({ text: "Next." });
    expect(events.filter(({ kind }) => kind === "compaction")).toMatchObject([
      { reason: "explicit", because: expect.stringContaining("model") },
    ]);
    expect(provider.requests[2]!.body.length).toBeLessThan(provider.requests[1]!.body.length * 0.7);

    agent.says("Go on.");
    await agent.ask();
    expect(events.filter(({ kind }) => kind === "compaction").length).toBe(1);
    expect(provider.account().total.rejected).toEqual({});
  });
});

describe("precis_compact behind the gateway", () => {
  it("is refused below its share, and the turn goes on", async () => {
    const script = scripted(COMPACTS, { text: "Not yet, then." }, { text: "Next." });
    const { provider, url, events } = await stand({
      provider: { script },
      gateway: { ...GATEWAY, compactTool: { tool: "on", fromShare: 1 } },
    });
    const agent = agentOf({ url, protocol: "anthropic-messages", history: longSession(), stream: true });
    agent.says("Finish this phase.");
    expect(await agent.ask()).toMatchObject({ text: "Not yet, then." });
    expect(provider.requests[1]!.body).toContain("Not now");
    agent.says("Go on.");
    await agent.ask();
    expect(events.filter(({ kind }) => kind === "compaction")).toEqual([]);
    expect(events.filter(({ kind }) => kind === "recall")).toMatchObject([{ tool: "precis_compact", found: false }]);
  });

  it.each(PROTOCOLS)("is declared from the first request on where it is switched on, %s", async (protocol) => {
    const tools = {
      "anthropic-messages": [{ name: "read", input_schema: { type: "object" } }],
      "openai-chat": [{ type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } }],
      "openai-responses": [{ type: "function", name: "read", parameters: { type: "object", properties: {} } }],
      "google-gemini": [{ functionDeclarations: [{ name: "read", parameters: { type: "object", properties: {} } }] }],
    }[protocol];
    const declared = async (gateway: object): Promise<boolean> => {
      const { provider, url } = await stand({ gateway: { contextLength: 200_000, ...gateway } });
      const body = bodyOf(protocol, worked("short", 1), {
        tools,
        ...(protocol === "openai-responses" ? { store: false } : {}),
      });
      expect((await ask(url, { protocol, body })).status).toBe(200);
      return provider.requests[0]!.body.includes("precis_compact");
    };
    expect(await declared({})).toBe(false);
    expect(await declared({ compactTool: { tool: "on" } })).toBe(true);
    expect(await declared({ compactTool: { tool: "on" }, recall: { offer: "off" } })).toBe(true);
    expect(await declared({ compactTool: { tool: "on" }, mode: "observe" })).toBe(false);
  });
});
