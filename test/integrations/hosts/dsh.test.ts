/** The engine for the DeepSeek Harness, over a base that answers as the harness's own does where its model is asked. */
import { describe, expect, it } from "vitest";
import { apply, createEngine, inject, name } from "../../../src/integrations/dsh/index.ts";
import { depotOf, says, TURNS } from "../past-window.ts";

class Basic {
  async summarize() {
    return { summary: [{ type: "text", text: "by the model" }] as const, provider: "deepseek", model: "v4" };
  }
}

const RULE = "Never change the archive folder.";
const text = (value: string) => [{ type: "text", text: value }];
const said = (role: "user" | "assistant", value: string) => ({ role, content: text(value), source: { kind: role } });
const turns = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index).flatMap((turn) => [
    said("user", turn === 0 ? RULE : `Look up day ${turn}.`),
    {
      role: "assistant",
      content: [{ type: "tool-call", id: `c${turn}`, name: "lookUp", arguments: `{"day":${turn}}` }],
      source: { kind: "model" },
    },
    {
      role: "user",
      content: [{ type: "tool-result", toolCallId: `c${turn}`, content: text(says(turn)) }],
      source: { kind: "tool" },
    },
    said("assistant", `Day ${turn} is looked up.`),
  ]);
const checkpoint = (summary: string) => ({
  role: "user",
  content: text(`A checkpoint.\n\n<compacted-summary>\n${summary}\n</compacted-summary>`),
  source: { kind: "plugin" },
});
const reminder = { role: "user", content: text("Current runtime context."), source: { kind: "plugin" } };

function engine() {
  const own = new (createEngine(Basic))();
  const agent = { session: {}, options: { provider: "deepseek", model: "v4" } };
  return async (messages: Parameters<typeof own.summarize>[0]["messages"], session = agent.session) =>
    (await own.summarize({ messages }, { ...agent, session })).summary[0]!.text;
}

describe("the engine for the DeepSeek Harness", () => {
  it("writes a checkpoint, in which no reminder is taken for the user's words", async () => {
    const summary = await engine()([...turns(0, TURNS), reminder]);
    expect(summary).toMatch(/^\[precis handoff 1\]/);
    expect(summary).toContain(RULE);
    expect(summary).not.toContain('newest user message: "Current runtime');
    expect(summary).toContain(depotOf(TURNS - 1));
  });

  it("writes the next one from the originals, and after a restart from the checkpoint", async () => {
    const summarize = engine();
    const first = await summarize(turns(0, TURNS));
    const next = [checkpoint(first), ...turns(TURNS, 2 * TURNS)];
    for (const session of [undefined, {}]) {
      const second = await summarize(next, session);
      expect(second.match(/\[precis handoff 1\]/g)).toHaveLength(1);
      expect(second).toContain(RULE);
      expect(second).not.toContain("compacted-summary");
    }
  });

  it("is a plugin that waits for the harness's services, and says what it lacks outside of one", async () => {
    expect([name, inject]).toEqual(["precis", ["llm", "tokenMeter", "sessions"]]);
    await expect(apply({ plugin: () => undefined })).rejects.toThrow("dsh-compaction-basic");
  });

  it("leaves what cannot be made smaller to the harness's own model", async () => {
    expect(await engine()([said("user", "Hello.")])).toBe("by the model");
  });
});
