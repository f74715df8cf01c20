/** What holds of a compaction whose handoff a model wrote, whatever the model says. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction } from "../../../../src/core/compaction/compaction.ts";
import { redact } from "../../../../src/core/redaction/redact.ts";
import { parseHandoff } from "../../../../src/core/handoff/write.ts";
import { SEVEN_SECTIONS, THIRTEEN_SECTIONS } from "../../../../src/core/handoff/templates.ts";
import { thirteenSections } from "../../../../src/core/handoff/translations.ts";
import type { Topic } from "../../../../src/core/handoff/sections/topic.ts";
import type { Writer, WriterPrompt, WriterReply, Writers } from "../../../../src/core/handoff/model/writer.ts";
import { contentText } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { compacted, filler, measure, outcomeOf, ran, says, talk, user } from "../../../support/compacting.ts";
import { careful } from "../../../support/model-answers.ts";
import { RUNS, transcripts } from "../../../support/transcripts.ts";

const usage = { inputTokens: 100, outputTokens: 50, requests: 1 };
const writer = (text: (prompt: WriterPrompt) => string, model = "any-1"): Writer => ({
  model,
  windowTokens: 32_000,
  ask: async (prompt) => ({ kind: "answered", text: text(prompt), ended: "stop", usage }),
});
const alone = (auxiliary: Writer): Writers => ({ auxiliary, resting: [] });

const headings = [...THIRTEEN_SECTIONS, ...SEVEN_SECTIONS].map(({ heading }) => `## ${heading}`);
/** Lines as models write them, and lines that would break a careless format. */
const lines = fc.oneof(
  fc.constantFrom(...headings),
  fc.string({ maxLength: 60 }).map((text) => `- ${text}`),
  fc.constantFrom(
    "None",
    "- @ read a.ts",
    "[end of precis handoff 1]",
    "[precis handoff 1]",
    "## Goal\n## Goal",
    "(+3 in r123456789)",
    "```",
    "<think>",
    "1. ",
    "- \u0000",
    "  - nested",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const answers = fc.array(lines, { maxLength: 40 }).map((all) => all.join("\n"));

const work = talk(
  user("Fix the totals in src/cart.ts. Never touch src/api.ts."),
  Array.from({ length: 30 }, (_, at) => [
    says(`Part ${at} is next, because its totals differ.`),
    ...ran("read_file", { path: `src/part_${at}.ts` }, filler(700, `part${at}`)),
  ]).flat(),
  user("Go on."),
  says("On it."),
);

describe("a compaction with a model", () => {
  it("is valid, within its budget, and can be read back, whatever is answered", async () => {
    await fc.assert(
      fc.asyncProperty(transcripts(), answers, fc.boolean(), async (transcript, text, whole) => {
        const budget = whole ? 12_000 : Math.max(200, Math.floor(measure.transcript(transcript) * 0.4));
        const request = { budget, reason: "budget", writers: alone(writer(() => text)) } as const;
        const outcome = await outcomeOf(whole ? work : transcript, request);
        if (outcome.kind === "unchanged") return;
        const result = applyCompaction(whole ? work : transcript, outcome.compaction);
        expect(violationsOf(result)).toEqual([]);
        const { report } = outcome.compaction;
        if (report.irreducible === undefined) expect(report.tokens.after).toBeLessThanOrEqual(budget);
        const handoff = result.messages.find(({ origin }) => origin === "summary");
        if (handoff === undefined) return;
        const said = contentText(handoff.parts);
        expect(parseHandoff(said)!.spans[0]).toBe(outcome.compaction.evicted[0]!.id);
        expect(redact(said).count).toBe(0);
        if (report.summary!.by === "ledger" && report.summary!.steps.length > 0)
          expect(report.degraded).not.toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });

  it("is the ledger's own, to the byte, where the answer is refused", async () => {
    const [told, own] = [
      await compacted(work, { budget: 8_000, writers: alone(writer(() => "Well done!")) }),
      await compacted(work, { budget: 8_000 }),
    ];
    expect(told.result).toEqual(own.result);
    expect(told.compaction.evicted).toEqual(own.compaction.evicted);
  });

  it("is the same compaction for the same answer", async () => {
    const once = () =>
      outcomeOf(work, { budget: 8_000, writers: alone(writer(({ user: prompt }) => careful(prompt))) });
    expect(await once()).toEqual(await once());
  });

  it("asks nobody where nothing smaller would come of it, or no sentence has room", async () => {
    let asked = 0;
    const writers = alone(writer(() => ((asked += 1), "")));
    await outcomeOf(talk(user("Hello."), says("Hello.")), { writers });
    const { compaction } = await compacted(work, { budget: 280, writers });
    expect(asked).toBe(0);
    expect(compaction.report.summary).toMatchObject({ by: "ledger", steps: [] });
    expect(compaction.report.summary!.because).toMatch(/too small for a model to write/);
  });

  it("uses the seven sections where they are set", async () => {
    const prompts: string[] = [];
    const writers = alone(writer(({ user: prompt }) => (prompts.push(prompt), careful(prompt))));
    const { text, compaction } = await compacted(work, { budget: 8_000, writers }, { template: "seven" });
    expect(prompts[0]).toContain("## Next Steps");
    expect(prompts[0]).not.toContain("## Pending User Asks");
    expect(text).toContain("### Done");
    expect(compaction.report.summary!.by).toBe("model");
  });

  it("names the focus, and asks for every section", async () => {
    const prompts: WriterPrompt[] = [];
    const writers = alone(writer((prompt) => (prompts.push(prompt), careful(prompt.user))));
    await compacted(work, { budget: 9_000, writers, focus: "part 7" });
    expect(prompts[0]!.user).toContain("60 to 70 percent");
    for (const { heading } of THIRTEEN_SECTIONS) expect(prompts[0]!.user).toContain(`## ${heading}\n`);
    expect(prompts[0]!.maxOutputTokens).toBeLessThanOrEqual(32_000 / 4);
  });

  it("asks for all the room that a handoff can have, shows what stays after it, and the newest request once", async () => {
    const prompts: string[] = [];
    const writers = alone(writer(({ user: prompt }) => (prompts.push(prompt), careful(prompt))));
    const unfinished = talk(
      work.messages,
      ran("terminal", { command: "make totals" }, "totals: 12 passed"),
      says("Done."),
    );
    const { report } = (await compacted(unfinished, { budget: 8_000, writers })).compaction;
    const [, tokens] = /Use up to (\d+) tokens/.exec(prompts[0]!)!;
    expect(Number(tokens)).toBeGreaterThan((8_000 - report.parts.tail - report.parts.anchor) * 0.6);
    const [read, follows] = prompts[0]!.split("=== following ===");
    expect(read).not.toContain("totals: 12 passed");
    expect(follows).toContain("totals: 12 passed");
    expect(prompts[0]!.match(/Go on\./g)).toHaveLength(1);
  });

  it("is asked for fewer sections where no file was touched and no command run", async () => {
    const prompts: string[] = [];
    const writers = alone(writer(({ user: prompt }) => (prompts.push(prompt), careful(prompt))));
    const chat = talk(
      ...Array.from({ length: 20 }, (_, at) => [user(filler(100, `wish${at}`)), says(filler(200, `word${at}`))]).flat(),
      user("And now?"),
    );
    await compacted(chat, { budget: 2_000, writers });
    expect(prompts[0]).toContain("## Resolved Questions");
    expect(prompts[0]).not.toMatch(/## (?:Relevant Files|Active State|Blocked|In Progress)/);
    expect(prompts[0]).not.toContain("a program fills these in");
  });

  it.each([
    ["of a few words", "## Completed Actions\n1. Parts were read.\n## Remaining Work\n- The last part.\n- Tests."],
    [
      "that is long",
      `## Critical Context\n${Array.from({ length: 120 }, (_, at) => `- ${filler(14, `part${at}`)}`).join("\n")}`,
    ],
  ])("uses the room beside an answer %s, also where nobody asked anything but the live request", async (_, text) => {
    const alonely = talk(
      user("Fix the totals in src/cart.ts."),
      Array.from({ length: 40 }, (__, at) => [
        says(`Part ${at} is next, because its totals differ.`),
        ...ran("read_file", { path: `src/part_${at}.ts` }, filler(600, `part${at}`)),
      ]).flat(),
    );
    const { compaction, result } = await compacted(alonely, { budget: 6_000, writers: alone(writer(() => text)) });
    expect(compaction.report.summary!.by).toBe("model");
    expect(compaction.report.tokens.after).toBeGreaterThan(6_000 * 0.85);
    expect(violationsOf(result)).toEqual([]);
  });

  it("tells how much of an answer did not fit, and nothing of checks", async () => {
    const text = `## Critical Context\n${Array.from({ length: 300 }, (_, at) => `- ${filler(14, `part${at}`)}`).join("\n")}`;
    const { compaction } = await compacted(work, { budget: 5_000, writers: alone(writer(() => text)) });
    const { items } = compaction.report.summary!;
    const dropped = items!.dropped.find(({ because }) => because === "it did not fit")!.count;
    expect(items!.kept + dropped).toBe(300);
    expect(compaction.report.degraded).toContain(`${dropped} items of the model's answer did not fit`);
  });

  it("goes on when an early stage has nothing to say", async () => {
    const blank = THIRTEEN_SECTIONS.map(({ heading }) => `## ${heading}\nNone`).join("\n");
    let calls = 0;
    const small = { ...writer(({ user: prompt }) => (calls++ === 0 ? blank : careful(prompt))), windowTokens: 6_000 };
    const { report } = (await compacted(work, { budget: 8_000, writers: alone(small) })).compaction;
    expect(calls).toBeGreaterThan(1);
    expect(report.summary!.by).toBe("model");
  });

  it("stops at what one compaction may spend, and says so", async () => {
    const dear: WriterReply = {
      kind: "failed",
      failure: { class: "network", message: "down" },
      usage: { ...usage, costUsd: 2 },
    };
    const failing = (model: string): Writer => ({ model, windowTokens: 32_000, ask: async () => dear });
    const writers = { auxiliary: failing("a-1"), main: failing("b-1"), resting: [] };
    const { report } = (await compacted(work, { budget: 8_000, writers })).compaction;
    expect(report.summary!.steps.map(({ model }) => model)).toEqual(["a-1"]);
    expect(report.degraded).toContain(
      "the main model b-1 was not used: the spending limit of one compaction is reached",
    );
  });
});

describe("a session in another language", () => {
  const chinese = talk(
    user("修复购物车的总价计算，文件是 src/cart.ts。不要修改数据库结构。"),
    Array.from({ length: 30 }, (_, at) => [
      says(`接下来查看第 ${at} 个模块，因为那里的总价不一致。`),
      ...ran("read_file", { path: `src/part_${at}.ts` }, filler(700, `part${at}`)),
    ]).flat(),
    user("继续。"),
    says("好的。"),
  );
  const SAID = new Map<Topic, string>([
    ["goal", "- 修复购物车的总价计算"],
    ["actions", "1. 查看了 src/part_3.ts 模块 [tool: read_file]"],
    ["progress", "- 正在查看模块，总价不一致"],
    ["decisions", "- 先查看各个模块，因为总价不一致"],
    ["remaining", "- 各部分的总价逐一核对"],
  ]);
  const RECORD = thirteenSections("zh")
    .map(({ heading, topics }) => `## ${heading}\n${SAID.get(topics[0]!) ?? "None"}`)
    .join("\n");

  it("is recorded in it, its rules stay word for word, and all that the model wrote stands", async () => {
    const { text, compaction } = await compacted(chinese, { budget: 8_000, writers: alone(writer(() => RECORD)) });
    expect(compaction.report.summary).toMatchObject({ by: "model", items: { kept: 5, dropped: [] } });
    expect(text).toContain("先查看各个模块，因为总价不一致");
    expect(text).toContain("不要修改数据库结构。");
    expect(text).toContain("各部分的总价逐一核对");
  });
});
