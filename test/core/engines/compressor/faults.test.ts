/** Weaknesses measured in other agents' compaction, each a case that the default engine must not have. */
import { describe, expect, it } from "vitest";
import { callsOf, contentText, resultOf, type Message } from "../../../../src/core/transcript/message.ts";
import { estimateText } from "../../../../src/core/transcript/estimate.ts";
import { redact } from "../../../../src/core/redaction/redact.ts";
import { compacted, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";

const work = (count: number, tokens = 2_000): Message[] =>
  Array.from({ length: count }, (_, at) => [
    says(`Looking at part ${at} next.`),
    ...ran("read_file", { path: `src/part_${at}.ts` }, filler(tokens, `part${at}`)),
  ]).flat();

describe("faults that the default engine does not have", () => {
  it("evidence comes from original results: failing tests of an old run reach the handoff", async () => {
    const failing = Array.from({ length: 24 }, (_, at) => `test_checkout_rounds_case_${at}`);
    const output = [
      ...failing.map((name) => `FAILED tests/test_checkout.py::${name} - assert 1 == 2`),
      "24 failed, 300 passed in 9.41s",
    ];
    const log = Array.from({ length: 600 }, (_, at) => `tests/test_other.py::test_case_${at} PASSED`);
    const transcript = talk(
      user("Make the checkout tests pass."),
      says("I'll look around first."),
      work(2),
      ran("terminal", { command: "pytest tests" }, [...log, ...output].join("\n")),
      work(60),
    );
    const { text } = await compacted(transcript, {}, { contextLength: 100_000 });
    const held = failing.filter((name) => text.includes(name));
    expect(held.length).toBeGreaterThanOrEqual(12);
    expect(text).toMatch(/24 failed/);
  });

  it("no stub points at a copy that is itself gone", async () => {
    const same = filler(1_500, "same");
    const copies = Array.from({ length: 8 }, (_, at) =>
      ran("read_file", { path: "src/same.ts" }, same, `call_same_${at}`),
    ).flat();
    const { result, compaction } = await compacted(talk(user("Go."), work(4), copies, work(10)), { budget: 9_000 });
    for (const message of result.messages) {
      if (message.origin !== "stub" && message.origin !== "digest") continue;
      const ids = contentText(message.parts).match(/\br[0-9a-f]{16}\b/g) ?? [];
      expect(ids.length).toBeGreaterThan(0);
      for (const id of ids) expect(compaction.evicted.map((one) => one.id)).toContain(id);
      expect(contentText(message.parts)).not.toMatch(/more recent|later copy/i);
    }
  });

  it("protected head results are left as they are", async () => {
    const head = [user("Fix the import."), ...ran("read_file", { path: "src/main.ts" }, filler(3_000, "head"))];
    const transcript = talk(head, work(60));
    const { result } = await compacted(transcript, {}, { contextLength: 100_000 });
    expect(result.messages.slice(0, 3)).toEqual(transcript.messages.slice(0, 3));
    expect(result.messages[2]).toBe(transcript.messages[2]);
  });

  it("a head that takes much of the room is kept without its long results, each with a recall id", async () => {
    const head = [user("Fix the import."), ...ran("read_file", { path: "src/main.ts" }, filler(9_000, "head"))];
    const transcript = talk(head, work(60));
    const { result, compaction } = await compacted(transcript, {}, { contextLength: 100_000 });
    expect(result.messages.slice(0, 2)).toEqual(transcript.messages.slice(0, 2));
    const [id] = contentText(result.messages[2]!.parts).match(/\br[0-9a-f]{16}\b/) ?? [];
    expect(compaction.evicted.map((one) => one.id)).toContain(id);
    expect(measure.message(result.messages[2]!)).toBeLessThan(1_500);
  });

  it("the handoff is a message of its own, never part of an assistant's", async () => {
    const { result } = await compacted(talk(user("Go."), work(60)), {}, { contextLength: 100_000 });
    const summaries = result.messages.filter(({ origin }) => origin === "summary");
    expect(summaries).toHaveLength(1);
    expect(summaries[0]!.role).toBe("user");
    expect(summaries[0]!.parts.map(({ kind }) => kind)).toEqual(["text"]);
  });

  it("redaction of one unbroken run costs about what ordinary text costs", () => {
    const time = (text: string): number => {
      const start = performance.now();
      redact(text);
      return performance.now() - start;
    };
    const ordinary = filler(30_000).slice(0, 100_000);
    const unbroken = "a1B2c3D4".repeat(12_500);
    time(ordinary);
    time(unbroken);
    // A quadratic rule takes thousands of times longer here; the bound only has to tell linear from that.
    expect(time(unbroken)).toBeLessThan(time(ordinary) * 50 + 50);
  });

  it("shortened arguments cannot be taken for content", async () => {
    const content = filler(4_000, "written");
    const written = ran("write_file", { path: "src/out.ts", content }, "ok");
    const { result } = await compacted(talk(work(6), user("Write it."), written), { budget: 1_500 });
    const call = result.messages.flatMap(callsOf).find(({ name }) => name === "write_file")!;
    const leaves = JSON.stringify(JSON.parse(call.arguments));
    expect(leaves).not.toContain(content.slice(0, 200));
    expect(leaves).not.toMatch(/\.\.\.|\[truncated\]/);
    expect(leaves).toMatch(/recall r[0-9a-f]{16}/);
  });

  it("Chinese and base64 are not counted as English", () => {
    const chinese = "上下文窗口是有限的，长时间的会话会超出它，因此需要压缩。".repeat(50);
    const perCharacter = estimateText(chinese) / chinese.length;
    expect(perCharacter).toBeGreaterThan(0.45);
    expect(perCharacter).toBeLessThan(1.1);
    const base64 = Buffer.from(filler(3_000)).toString("base64");
    expect(estimateText(base64) / base64.length).toBeGreaterThan(0.4);
    const image: Message = {
      role: "user",
      parts: [{ kind: "image", source: { type: "data", mediaType: "image/png", data: base64.repeat(100) } }],
    };
    expect(measure.message(image)).toBeLessThan(2_000);
  });

  it("a last result that alone exceeds the budget is digested, not a dead end", async () => {
    const transcript = talk(
      user("What is in the log?"),
      work(3),
      ran("terminal", { command: "cat server.log" }, filler(60_000, "log")),
    );
    const { result, compaction } = await compacted(transcript, { budget: 6_000 });
    expect(measure.transcript(result)).toBeLessThanOrEqual(6_000);
    expect(compaction.report.irreducible).toBeUndefined();
    const last = result.messages.at(-1)!;
    expect(resultOf(last)?.callId).toBe(resultOf(transcript.messages.at(-1)!)?.callId);
  });
});
