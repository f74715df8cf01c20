/** When each message was recorded: the caches of providers forget, so that whoever replays a session needs its pauses. */
import { describe, expect, it } from "vitest";
import { readLog } from "../../src/logs/read.ts";
import { corpusText, hasCorpus } from "../support/corpus.ts";
import { jsonl } from "./reading.ts";

const START_MS = Date.parse("2026-01-01T00:00:00.000Z");
const at = (seconds: number): string => new Date(START_MS + seconds * 1_000).toISOString();

function secondsOf(log: ReturnType<typeof readLog>): readonly (number | undefined)[] {
  expect(log.timesMs).toHaveLength(log.transcript.messages.length);
  return log.timesMs.map((time) => (time === undefined ? undefined : (time - START_MS) / 1_000));
}

describe("times of messages", () => {
  it("are those of a Claude Code file's lines, each result's its own", () => {
    const call = (id: string) => ({ type: "tool_use", id, name: "run", input: {} });
    const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "done" });
    const line = (type: string, seconds: number, content: unknown, reply?: string) => ({
      type,
      uuid: `u${seconds}`,
      parentUuid: seconds === 0 ? null : undefined,
      timestamp: at(seconds),
      message: { role: type, content, ...(reply === undefined ? {} : { id: reply }) },
    });
    const records = [
      line("user", 0, "begin"),
      line("assistant", 2, [call("a")], "r1"),
      line("assistant", 3, [call("b")], "r1"),
      line("user", 9, [result("b")]),
      line("user", 14, [result("a")]),
      line("assistant", 20, [{ type: "text", text: "both done" }], "r2"),
    ];
    expect(secondsOf(readLog(jsonl(records), "claude-code"))).toEqual([0, 2, 9, 14, 20]);
  });

  it("are those of a Codex rollout's items, and unknown where a line says none", () => {
    const item = (seconds: number | undefined, payload: object) => ({
      ...(seconds === undefined ? {} : { timestamp: at(seconds) }),
      type: "response_item",
      payload,
    });
    const records = [
      item(1, { type: "message", role: "user", content: [{ type: "input_text", text: "begin" }] }),
      item(undefined, { type: "function_call", name: "run", arguments: "{}", call_id: "c" }),
      item(8, { type: "function_call_output", call_id: "c", output: "done" }),
    ];
    expect(secondsOf(readLog(jsonl(records), "codex"))).toEqual([1, undefined, 8]);
  });

  it("are read from dates, seconds and milliseconds alike", () => {
    const entry = (id: number, timestamp: unknown) => ({
      type: "message",
      id: String(id),
      parentId: id === 0 ? null : String(id - 1),
      timestamp,
      message: { role: "user", provider: "x", content: `word ${id}` },
    });
    const records = [entry(0, at(5)), entry(1, START_MS + 6_000), entry(2, START_MS / 1_000 + 7), entry(3, "soon")];
    expect(secondsOf(readLog(jsonl(records), "pi"))).toEqual([5, 6, 7, undefined]);
  });

  it("are those of a Gemini chat's records", () => {
    const messages = [
      { id: "1", timestamp: at(0), type: "user", content: "begin" },
      { id: "2", timestamp: at(4), type: "gemini", content: "done" },
    ];
    expect(secondsOf(readLog(JSON.stringify({ sessionId: "s", projectHash: "p", messages }), "gemini"))).toEqual([
      0, 4,
    ]);
  });

  it.skipIf(!hasCorpus)("stand in files as agents wrote them, given the corpus", () => {
    const text = corpusText("raw/pi/before-compaction.jsonl");
    const known = readLog(text, "pi", { history: "all" }).timesMs.filter((time) => time !== undefined);
    expect(known.length).toBeGreaterThan(900);
    expect(known).toEqual(known.toSorted((one, other) => one - other));
  });
});
