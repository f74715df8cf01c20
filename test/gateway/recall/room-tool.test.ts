/** A model behind the gateway that asks how much room it has: off unless asked for, answered here, unseen by the client. */
import { expect, it } from "vitest";
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
