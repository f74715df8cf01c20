/** The operator is told of a client that leaves out the reasoning before a call, in both protocols and both forms, and of no other. */
import { describe, expect, it } from "vitest";
import { agentOf } from "../recall/support/agents.ts";
import { scripted } from "../recall/support/scene.ts";
import { textMessage } from "../../../src/core/transcript/message.ts";
import { fieldsOf, listOf } from "../../../src/protocols/fields.ts";
import { stand } from "../support/standing.ts";

const call = { name: "read", arguments: { path: "a.ts" } };
const HISTORY = { system: [], messages: [textMessage("user", "Read a.ts.")] };
const isReasoning = (value: unknown): boolean => ["reasoning", "thinking"].includes(String(fieldsOf(value)["type"]));

/** Takes the reasoning out of all that the agent has, as such a client does. */
function dropReasoning(list: unknown[]): void {
  const kept = list
    .filter((item) => !isReasoning(item))
    .map((item) => {
      const { content } = fieldsOf(item);
      if (!Array.isArray(content)) return item;
      return { ...fieldsOf(item), content: listOf(content).filter((block) => !isReasoning(block)) };
    });
  list.splice(0, list.length, ...kept);
}

const bodies = {
  "anthropic-messages": {
    model: "claude-opus-4-5",
    thinking: { type: "enabled", budget_tokens: 1_024 },
    max_tokens: 2_000,
  },
  "openai-responses": { store: false, include: ["reasoning.encrypted_content"] },
} as const;

describe.each(["anthropic-messages", "openai-responses"] as const)("%s", (protocol) => {
  it.each([
    { stream: true, drops: true },
    { stream: false, drops: true },
    { stream: true, drops: false },
    { stream: false, drops: false },
  ])("stream: $stream, dropped: $drops", async ({ stream, drops }) => {
    const thinks = { thinking: "I have to read it first.", calls: [call] };
    const script = scripted(thinks, thinks, thinks, { text: "Done." });
    const { url, events, provider } = await stand({ provider: { script } });
    const agent = agentOf({ url, protocol, history: HISTORY, stream, body: bodies[protocol] });
    for (let step = 0; step < 3; step++) {
      const { calls } = await agent.ask().catch(() => ({ calls: [] }));
      agent.results(calls, "x = 1");
      if (drops) dropReasoning(agent.list);
    }
    await agent.ask().catch(() => undefined);
    expect(provider.requests.length).toBeGreaterThan(2);
    const notices = events.filter((event) => event.kind === "notice" && event.code === "reasoning_dropped");
    expect(notices).toHaveLength(drops ? 1 : 0);
  });
});
