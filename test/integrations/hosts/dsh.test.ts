/** The engine for the DeepSeek Harness, over a base that answers as the harness's own does where its model is asked. */
import { describe, expect, it } from "vitest";
import { apply, createEngine, inject, name, registerTools } from "../../../src/integrations/dsh/index.ts";
import { depotOf, says, TURNS } from "../past-window.ts";

class Basic {
  async summarize() {
    return { summary: [{ type: "text", text: "by the model" }] as const, provider: "deepseek", model: "v4" };
  }
}

const RULE = "Never change the archive folder.";
const text = (value: string) => [{ type: "text", text: value }];
const said = (role: "user" | "assistant", value: string) => ({
  id: value,
  role,
  content: text(value),
  source: { kind: role },
});
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

/** What the harness's log has of messages that were said, and of a checkpoint. */
const event = (message: object, surfaceOp: unknown = "append") => ({
  type: "role" in message && message.role === "assistant" ? "assistant/message" : "user/message",
  data: message,
  surfaceOp,
});

function engine() {
  const own = new (createEngine(Basic))();
  type Messages = Parameters<typeof own.summarize>[0]["messages"];
  const events: ReturnType<typeof event>[] = [];
  const session = { events };
  return {
    session,
    summarize: async (messages: Messages) => {
      const agent = { session, options: { provider: "deepseek", model: "v4" } };
      const { summary: blocks } = await own.summarize({ messages }, agent);
      const summary = blocks[0]!.text;
      events.push(event(checkpoint(summary), { op: "replace", start: 0, end: events.length - 1 }));
      return summary;
    },
    say: (messages: Messages) => void events.push(...messages.map((message) => event(message))),
  };
}

describe("the engine for the DeepSeek Harness", () => {
  it("writes a checkpoint, in which no reminder is taken for the user's words", async () => {
    const summary = await engine().summarize([...turns(0, TURNS), reminder]);
    expect(summary).toMatch(/^\[precis handoff 1\]/);
    expect(summary).toContain(RULE);
    expect(summary).not.toContain('newest user message: "Current runtime');
    expect(summary).toContain(depotOf(TURNS - 1));
  });

  it("writes the next one from the originals, which the harness's log has", async () => {
    const { summarize, say } = engine();
    say(turns(0, TURNS));
    const first = await summarize(turns(0, TURNS));
    say(turns(TURNS, 2 * TURNS));
    const second = await summarize([checkpoint(first), ...turns(TURNS, 2 * TURNS)]);
    expect(second.match(/\[precis handoff 1\]/g)).toHaveLength(1);
    expect(second).toContain(RULE);
    expect(second).not.toContain("compacted-summary");
    expect(second).not.toContain(first);
  });

  it.each([false, true])(
    "has a tool that reads what a checkpoint removed, also after a restart: %s",
    async (restarts) => {
      const { summarize, say, session } = engine();
      say(turns(0, TURNS));
      await summarize(turns(0, TURNS));
      const tools: Parameters<Parameters<typeof registerTools>[0]["tools"]["register"]>[0][] = [];
      registerTools({ tools: { register: (tool) => tools.push(tool) } });
      expect(tools.map(({ name: tool }) => tool)).toEqual(["precis_recall"]);
      const agent = { session: restarts ? { events: [...session.events] } : session, options: {} };
      const [, line] = says(3).split("\n");
      const answer = await tools[0]!.execute({ query: line }, { agent });
      expect(answer).toContain(line);
      expect(tools[0]!.output.render({}, answer)).toEqual([{ type: "text", text: answer }]);
    },
  );

  it("is a plugin that waits for the harness's services, and says what it lacks outside of one", async () => {
    expect([name, inject]).toEqual(["precis", ["llm", "tokenMeter", "sessions", "tools"]]);
    await expect(apply({ plugin: () => undefined, tools: { register: () => undefined } })).rejects.toThrow(
      "dsh-compaction-basic",
    );
  });

  it("leaves what cannot be made smaller to the harness's own model", async () => {
    expect(await engine().summarize([said("user", "Hello.")])).toBe("by the model");
  });
});
