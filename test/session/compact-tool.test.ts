/** A model that has its own conversation compacted: when it may, what it is told, and that it happens once. */
import { describe, expect, it } from "vitest";
import { createSession } from "../../src/index.ts";
import { type SessionOptions } from "../../src/session/contract.ts";

const settings = { contextLength: 40_000, maxOutputTokens: 1_000 };
const line = "a line of output that somebody once looked at\n";

const body = (turns: number) => ({
  model: "gpt-5.4",
  messages: Array.from({ length: turns }, (_, turn) => [
    { role: "user", content: `Task ${turn}: look at the vouchers.` },
    { role: "assistant", content: `Looked at number ${turn}. ${line.repeat(60)}` },
  ])
    .flat()
    .concat({ role: "user", content: "Go on." }),
});
const call = (focus?: string) => ({ name: "precis_compact", arguments: JSON.stringify({ focus }) });
const started = (options: SessionOptions = {}) => createSession({ settings, compactTool: { tool: "on" }, ...options });

describe("precis_compact", () => {
  it("is offered only where it is switched on, from the beginning", () => {
    expect(createSession({ settings }).tools()).toEqual([]);
    expect(JSON.stringify(started().tools())).toContain("precis_compact");
    expect(started({ enabled: false }).tools()).toEqual([]);
  });

  it("is refused below its share of the threshold, with the figure", async () => {
    const session = started();
    await session.prepare(body(4));
    const answer = await session.callTool(call("vouchers"));
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("from 10000 on") });
    expect((await session.prepare(body(5))).compaction).toBeUndefined();
  });

  it("has the next request compacted with its focus, and no other", async () => {
    const session = started();
    const { tokens } = await session.prepare(body(20));
    expect(tokens).toBeLessThan(session.report().thresholdTokens);
    expect(await session.callTool(call("the vouchers of task 3"))).not.toHaveProperty("isError");
    const { compaction } = await session.prepare(body(21));
    expect(compaction?.report).toMatchObject({ reason: "explicit", because: expect.stringContaining("model") });
    expect(compaction!.report.tokens.after).toBeLessThan(compaction!.report.tokens.before * 0.75);
    expect((await session.prepare(body(22))).compaction).toBeUndefined();
    expect(session.report().compactions).toBe(1);
  });

  it("takes another share, and arguments as models write them", async () => {
    const session = started({ compactTool: { tool: "on", fromShare: 0 } });
    await session.prepare(body(8));
    const answer = await session.callTool({ name: "precis_compact", arguments: '"the next phase"' });
    expect(answer.text).toContain("the next phase");
    expect(() => createSession({ compactTool: { tool: "on", fromShare: 2 } })).toThrow(/fromShare/);
  });

  it("answers with words where it was never offered", async () => {
    const session = createSession({ settings });
    await session.prepare(body(20));
    expect(await session.callTool(call())).toMatchObject({ isError: true });
    expect((await session.prepare(body(21))).compaction).toBeUndefined();
  });
});
