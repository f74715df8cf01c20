/** An agent of the OpenAI Agents SDK with our input filter, against the strict provider. */
import {
  Agent,
  MemorySession,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
  type Model,
} from "@openai/agents";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createPrecis } from "../../../src/integrations/openai-agents/index.ts";
import { depotOf, says, smallProvider, WINDOW_TOKENS } from "../past-window.ts";

setTracingDisabled(true);

const TURNS = 30;
const settings = { contextLength: WINDOW_TOKENS };

const MODELS: Readonly<Record<string, (client: OpenAI) => Model>> = {
  "Chat Completions": (client) => new OpenAIChatCompletionsModel(client as never, "gpt-5.4"),
  Responses: (client) => new OpenAIResponsesModel(client as never, "gpt-5.4"),
};

const lookUp = tool({
  name: "lookUp",
  description: "Looks up the orders of a day.",
  parameters: z.object({ day: z.number() }),
  execute: ({ day }) => says(day),
});

function agentAt(url: string, modelOf: (client: OpenAI) => Model, tools: Agent["tools"] = []): Agent {
  const client = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 });
  const modelSettings = { maxTokens: 500, store: false };
  return new Agent({
    name: "orders",
    instructions: "You look orders up.",
    model: modelOf(client),
    modelSettings,
    tools: [lookUp, ...tools],
  });
}

describe.each(Object.entries(MODELS))("%s", (_, modelOf) => {
  it.each([false, true])("goes on past its window, streamed: %s", async (stream) => {
    const { provider, url } = await smallProvider();
    const { callModelInputFilter, observe, report } = createPrecis({ settings });
    const agent = agentAt(url, modelOf);
    const session = new MemorySession();
    for (let turn = 0; turn < TURNS; turn++) {
      if (stream) {
        const result = await run(agent, says(turn), { session, callModelInputFilter, stream: true });
        await result.completed;
        observe(result.rawResponses.at(-1)!.usage);
      } else {
        const result = await run(agent, says(turn), { session, callModelInputFilter });
        observe(result.rawResponses.at(-1)!.usage);
      }
    }
    expect(provider.account().total).toMatchObject({ answered: TURNS, rejected: {} });
    expect(report().compactions).toBeGreaterThan(0);
    expect((await session.getItems()).length).toBe(2 * TURNS);
    expect(JSON.stringify(await session.getItems())).toContain(depotOf(0));
    const { body } = provider.requests.at(-1)!;
    expect([body.includes(depotOf(TURNS - 1)), body.includes("You look orders up.")]).toEqual([true, true]);
  });

  it("compacts what its session keeps, and what left it can be recalled", async () => {
    const { provider, url } = await smallProvider();
    const precis = createPrecis({ settings });
    const agent = agentAt(url, modelOf);
    const kept = new MemorySession();
    const session = precis.session(kept);
    for (let turn = 0; turn < TURNS; turn++) await run(agent, says(turn), { session });
    expect(provider.account().total).toMatchObject({ answered: TURNS, rejected: {} });
    expect((await kept.getItems()).length).toBeLessThan(TURNS);
    const [hit] = await precis.recall(depotOf(5));
    expect(hit!.text).toContain(depotOf(5));
    expect(await session.runCompaction({ force: true })).toMatchObject({ usage: expect.anything() });
  });

  it("is refused without it", async () => {
    const { url } = await smallProvider();
    const agent = agentAt(url, modelOf);
    const session = new MemorySession();
    const converse = async (): Promise<void> => {
      for (let turn = 0; turn < TURNS; turn++) await run(agent, says(turn), { session });
    };
    await expect(converse()).rejects.toThrow(/context|too long|exceed/i);
  });

  it("goes on in a tool loop of one run", async () => {
    const script = ({ index }: { readonly index: number }) =>
      index < TURNS ? { calls: [{ name: "lookUp", arguments: { day: index } }] } : { text: "Done." };
    const { provider, url } = await smallProvider({ script });
    const { callModelInputFilter } = createPrecis({ settings });
    const given = { callModelInputFilter, maxTurns: TURNS + 2 };
    const { finalOutput } = await run(agentAt(url, modelOf), "Look every day up, from 0 on.", given);
    expect([finalOutput, provider.account().total.rejected]).toEqual(["Done.", {}]);
  });

  it("answers the model's recall with what left", async () => {
    const script = ({ index }: { readonly index: number }) =>
      index === TURNS ? { calls: [{ name: "precis_recall", arguments: { query: depotOf(1) } }] } : { text: "Noted." };
    const { provider, url } = await smallProvider({ script });
    const { callModelInputFilter, tools } = createPrecis({ settings });
    const agent = agentAt(url, modelOf, tools());
    const session = new MemorySession();
    for (let turn = 0; turn < TURNS; turn++) await run(agent, says(turn), { session, callModelInputFilter });
    const { newItems } = await run(agent, "What was the depot of day 1?", { session, callModelInputFilter });
    expect(JSON.stringify(newItems.find(({ type }) => type === "tool_call_output_item"))).toContain(depotOf(1));
    expect(provider.account().total.rejected).toEqual({});
  });
});
