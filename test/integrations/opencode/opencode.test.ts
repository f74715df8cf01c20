/** The plugin's hooks on messages as OpenCode keeps them. `npm run e2e:hosts` runs OpenCode itself with it. */
import { describe, expect, it } from "vitest";
import { createPlugin } from "../../../src/integrations/opencode/index.ts";
import type { OpenCodeMessage } from "../../../src/integrations/opencode/messages.ts";
import { depotOf, says, TURNS, WINDOW_TOKENS } from "../past-window.ts";

const sessionID = "session";
const model = { providerID: "vendor", modelID: "gpt-5.4" };
const limit = { context: WINDOW_TOKENS, output: 1_000 };
const client = {
  config: { providers: async () => ({ data: { providers: [{ id: "vendor", models: { "gpt-5.4": { limit } } }] } }) },
};

const user = (turn: number): OpenCodeMessage => ({
  info: { id: `user${turn}`, role: "user", sessionID, model },
  parts: [{ type: "text", text: `Look up day ${turn}.` }],
});
const answer = (turn: number): OpenCodeMessage => ({
  info: { id: `answer${turn}`, role: "assistant", sessionID },
  parts: [
    { type: "step-start" },
    {
      type: "tool",
      callID: `call${turn}`,
      tool: "lookUp",
      state: { status: "completed", input: { day: turn }, output: says(turn) },
    },
    { type: "step-finish" },
  ],
});
const conversation = (turns: number): OpenCodeMessage[] =>
  Array.from({ length: turns }, (_, turn) => [user(turn), answer(turn)]).flat();

describe("in OpenCode 1.18", () => {
  const transformed = async (turns: number) => {
    const hooks = await createPlugin().server({ client });
    const messages = conversation(turns);
    await hooks["experimental.chat.messages.transform"]({}, { messages });
    return { hooks, messages };
  };

  it("leaves what fits as it is", async () => {
    expect((await transformed(3)).messages).toEqual(conversation(3));
  });

  it("shortens the very list that it was given, and keeps the newest messages as they are", async () => {
    const { messages } = await transformed(TURNS);
    expect(messages.length).toBeLessThan(TURNS);
    expect(JSON.stringify(messages).length).toBeLessThan(JSON.stringify(conversation(TURNS)).length / 3);
    expect(messages.at(-1)).toEqual(answer(TURNS - 1));
    expect(JSON.stringify(messages)).toContain("[precis handoff 1]");
    expect(messages.every(({ info }) => info.sessionID === sessionID)).toBe(true);
  });

  it("answers recall in what was removed, in lines that a model can read", async () => {
    const { hooks } = await transformed(TURNS);
    const text = await hooks.tool["precis_recall"]!.execute({ query: depotOf(20) }, { sessionID });
    expect(text).toContain(`Fact 20: the depot of day 20 is called ${depotOf(20)}.`);
    expect(text).toMatch(/tool \(lookUp\)/);
  });
});

describe("in OpenCode 2", () => {
  it("gives the hook a summary that stands in for every message", async () => {
    const hooks: ((event: { messages: unknown[]; result?: { summary: string } }) => Promise<void>)[] = [];
    const session = {
      hook: async (_: "compaction", run: (event: never) => Promise<void>) => void hooks.push(run as never),
    };
    await createPlugin({ settings: { contextLength: WINDOW_TOKENS } }).setup({ session });
    const messages = Array.from({ length: TURNS }, (_, turn) => [
      { role: "user", content: [{ type: "text", text: `Look up day ${turn}.` }] },
      { role: "assistant", content: [{ type: "tool-call", id: `call${turn}`, name: "lookUp", input: { day: turn } }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", id: `call${turn}`, name: "lookUp", result: { type: "text", value: says(turn) } },
        ],
      },
    ]).flat();
    const event: { messages: unknown[]; result?: { summary: string } } = { messages };
    await hooks[0]!(event);
    expect(event.result!.summary).toMatch(/^\[precis handoff 1\]/);
    expect(event.result!.summary).toContain(`Look up day ${TURNS - 1}.`);
  });
});
