/** The context engine for OpenClaw, called as OpenClaw calls it: with its history, and with what was made of that before. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createPlugin } from "../../../src/integrations/openclaw/index.ts";
import { depotOf, says, TURNS, WINDOW_TOKENS } from "../past-window.ts";

type Api = Parameters<ReturnType<typeof createPlugin>["register"]>[0];
type Engine = ReturnType<Parameters<Api["registerContextEngine"]>[1]>;
type Tool = ReturnType<Parameters<Api["registerTool"]>[0]>[number];

const SESSION = { sessionId: "one" };
const user = (turn: number) => ({ role: "user", content: says(turn), timestamp: turn });
const noted = (turn: number) => ({ role: "assistant", content: [{ type: "text", text: "Noted." }], timestamp: turn });
const history = (turns: number) => Array.from({ length: turns }, (_, turn) => [user(turn), noted(turn)]).flat();

function openclaw() {
  let engine: Engine | undefined;
  let tool: Tool | undefined;
  createPlugin().register({
    registerContextEngine: (_, make) => (engine = make()),
    registerTool: (make) => ([tool] = make(SESSION)),
  });
  return { engine: engine!, tool: tool! };
}

describe("the engine for OpenClaw", () => {
  it("goes on from its history, however often and when that was assembled", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { engine, tool } = openclaw();
    const assemble = async (messages: Parameters<Engine["assemble"]>[0]["messages"]) => {
      vi.advanceTimersByTime(1_000);
      return (await engine.assemble({ ...SESSION, messages, tokenBudget: WINDOW_TOKENS, model: "gpt-5.4" })).messages;
    };
    const first = await assemble(history(TURNS));
    await assemble(history(TURNS));
    // What it assembled first comes back, with what was said since.
    const next = await assemble([...first, user(TURNS), noted(TURNS)]);
    expect(next.slice(0, first.length).map(({ role }) => role)).toEqual(first.map(({ role }) => role));
    const { content } = await tool.execute("call", { query: "Fact 3 depot day 3" });
    expect(content[0]!.text).toContain(depotOf(3));
  });
});
