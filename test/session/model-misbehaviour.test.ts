/**
 * Models that write badly, over real HTTP: whatever they answer, the handoff that is applied is right by the oracle, keeps the person's words, shows no secret, and says what was wrong with the answer; what may be true stands.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompactionReport } from "../../src/core/compaction/compaction.ts";
import { redact } from "../../src/core/redaction/redact.ts";
import { parseHandoff, type ParsedHandoff } from "../../src/core/handoff/write.ts";
import { contentText, type Transcript } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { measure } from "../support/compacting.ts";
import { careful, forgetful, sectionsFor, written } from "../support/model-answers.ts";
import { answer, startEndpoint, type ScriptedEndpoint, type Text } from "../support/scripted-endpoint.ts";
import { CONSTRAINTS, EDITED, FAILING, FIRST_REQUEST, INVENTED, READ, SECRET, shopTalk } from "../support/shop-talk.ts";
import { writerAt } from "../support/writers.ts";

const WINDOW = 40_000;
/** As documented: a fifth of the threshold, and at most that. */
const HANDOFF_TOKENS_MAX = 6_000;

let endpoint: ScriptedEndpoint;
beforeAll(async () => void (endpoint = await startEndpoint()));
afterAll(() => endpoint.close());

interface Applied {
  readonly sent: Transcript;
  readonly handoff: string;
  readonly parsed: ParsedHandoff;
  readonly report: CompactionReport;
}

async function appliedWith(text: Text, transcript = shopTalk()): Promise<Applied> {
  endpoint.play(answer(text));
  const runtime = createRuntime({
    settings: { contextLength: WINDOW },
    writers: { auxiliary: writerAt(endpoint, "poor-1") },
  });
  const { transcript: sent, compaction } = await runtime.prepare(transcript);
  const handoff = contentText(sent.messages.find(({ origin }) => origin === "summary")!.parts);
  return { sent, handoff, parsed: parseHandoff(handoff)!, report: compaction!.report };
}

/** What holds of every handoff, whoever wrote it. */
function expectRight({ sent, handoff, parsed, report }: Applied): void {
  expect(violationsOf(sent)).toEqual([]);
  expect(measure.text(handoff)).toBeLessThanOrEqual(HANDOFF_TOKENS_MAX);
  expect(report.tokens.after).toBeLessThan(report.tokens.before);
  const all = sent.messages.map(({ parts }) => contentText(parts)).join("\n");
  for (const words of [FIRST_REQUEST, ...CONSTRAINTS]) expect(all).toContain(words);
  expect(all).not.toContain(SECRET);
  expect(redact(handoff).count).toBe(0);
  expect(parsed.sections.get("state")!.join("\n")).toContain(FAILING);
  expect(parsed.sections.get("files")!.join("\n")).toContain(`edit_file`);
  expect(handoff).toContain(EDITED);
}

const adding =
  (heading: string, ...items: string[]): Text =>
  ({ user }) => {
    const sections = sectionsFor(user);
    return written(new Map([...sections, [heading, [...(sections.get(heading) ?? []), ...items]]]));
  };
const only =
  (heading: string, ...items: string[]): Text =>
  ({ user }) =>
    written(new Map([...sectionsFor(user).keys()].map((one) => [one, one === heading ? items : []])));

describe("an answer that cannot be taken at all", () => {
  const REFUSED: readonly (readonly [string, Text, RegExp])[] = [
    ["nothing but praise", "What a wonderful session! The assistant did an excellent job throughout.", /sections/],
    [
      "the same praise in every section",
      ({ user }) => written(new Map([...sectionsFor(user).keys()].map((heading) => [heading, ["Excellent work!"]]))),
      /1 of at least 2 items/,
    ],
    ["an echo of the prompt", ({ user, system }) => `${system}\n${user}`, /copies what it was given/],
    ["an echo of the session below a heading", ({ user }) => `## Goal\n${user}`, /copies what it was given/],
    ["obedience to what a tool's output says", "The audit is complete.", /sections/],
    ["a refusal", "I'm sorry, but I can't assist with that request.", /refusal/],
    ["headings without content", only("## Goal"), /empty/],
    ["a story", "Once the assistant had read the code, it edited src/checkout.ts and ran pytest.", /sections/],
  ];

  it.each(REFUSED)("%s: code writes, and the report says why", async (_, text, because) => {
    const applied = await appliedWith(text);
    expectRight(applied);
    const { summary, degraded } = applied.report;
    expect(summary).toMatchObject({ by: "ledger", steps: [{ model: "poor-1", outcome: "rejected" }] });
    expect(summary!.steps[0]!.because).toMatch(because);
    expect(degraded.join("\n")).toMatch(because);
    const alone = await createRuntime({ settings: { contextLength: WINDOW } }).prepare(shopTalk());
    expect(applied.sent).toEqual(alone.transcript);
  });
});

describe("an answer that code cannot prove false", () => {
  it.each<readonly [kind: string, heading: string, item: string]>([
    ["names a file to come", "## Remaining Work", `The discount rules are to go to ${INVENTED}.`],
    ["names a function to come", "## Key Decisions", "The totals go through applyDiscount from now on."],
    ["shortens a name", "## Completed Actions", "Committed as 9f8e7d6; `Checkout` rounds halves to even."],
    ["says what was left alone", "## Active State", `${READ} was left unchanged.`],
    ["says what has to pass", "## Remaining Work", "The checkout tests must pass before the release."],
    ["has a figure of its own", "## Critical Context", "Together that is 41 tests in 3.21 s, 0.08 s each."],
    ["says little of the session", "## Goal", "The user wants it done well."],
  ])("stands: one that %s", async (_, heading, item) => {
    const applied = await appliedWith(adding(heading, item));
    expectRight(applied);
    expect(applied.handoff).toContain(item);
    expect(applied.report.summary).toMatchObject({ by: "model", items: { dropped: [] } });
    expect(applied.report.degraded).toEqual([]);
  });

  it.each<readonly [kind: string, lines: string, stands: string]>([
    ["a section of its own", "## Root Cause\n- The pipe was closed early.", "The pipe was closed early."],
    ["a bold line", "**The size of a batch**\n- 240 rows a batch.", "240 rows a batch."],
    ["a comment in code", "```sh\n# all of them\npytest tests\n```\n- 240 rows a batch.", "# all of them"],
  ])("stands whole: one with %s", async (_, lines, stands) => {
    const applied = await appliedWith(({ user }) => `${written(sectionsFor(user))}\n\n${lines}`);
    expectRight(applied);
    expect(applied.handoff).toContain(stands);
    expect(applied.report.summary).toMatchObject({ by: "model", items: { dropped: [] } });
  });

  it("stands without any of the headings asked for, where it says enough", async () => {
    const steps = Array.from(
      { length: 8 },
      (_, at) => `- src/module_${at}.ts was read because the total is wrong there.`,
    );
    const { handoff, report } = await appliedWith(
      ["## What happened", ...steps, "", "## What is left", "- Halves."].join("\n"),
    );
    expect(report.summary!.by).toBe("model");
    expect(handoff).toContain(steps.join("\n  "));
    expect(handoff).toContain("- ## What is left\n  - Halves.");
  });
});

describe("a secret", () => {
  it("does not reach the model, whatever the transcript holds", async () => {
    const from = endpoint.requests.length;
    await appliedWith(({ user }) => careful(user));
    const [asked] = endpoint.requests.slice(from);
    expect(asked!.user).toContain("OPENAI_API_KEY");
    expect(JSON.stringify(asked!.body)).not.toContain(SECRET);
    expect(redact(asked!.user).count).toBe(0);
  });

  it("that a model writes all the same is masked before anything is kept", async () => {
    const applied = await appliedWith(adding("## Critical Context", `REGION=eu-west-1, OPENAI_API_KEY=${SECRET}`));
    expectRight(applied);
    expect(JSON.stringify(applied.report)).not.toContain(SECRET);
    expect(applied.report.degraded).toContain("secrets in the answer of poor-1 were masked");
  });

  it("does not come back from a model that repeats its whole input", async () => {
    expectRight(await appliedWith(({ user }) => user));
  });
});

describe("a forgetful model", () => {
  it("is made good for: what is likely to be needed stands in lines of the original", async () => {
    expectRight(await appliedWith(({ user }) => forgetful(user)));
  });

  it("that is cut off loses no more than its last item", async () => {
    const shelves = Array.from({ length: 60 }, (_, at) => `\n- Shelf ${at} holds the plums of the order ${at}.`);
    endpoint.play(answer(({ user }) => `${careful(user)}${shelves.join("")}`, { finish: "length" }));
    const runtime = createRuntime({
      settings: { contextLength: WINDOW },
      writers: { auxiliary: writerAt(endpoint, "poor-1") },
    });
    const { compaction } = await runtime.prepare(shopTalk());
    expect(compaction!.report.summary!.by).toBe("model");
    expect(compaction!.report.degraded).toEqual([
      "the answer of poor-1 was cut off at its end: its last line is left out",
    ]);
    expect(compaction!.report.summary!.items!.dropped).toEqual([{ because: "the answer was cut off in it", count: 1 }]);
  });

  it("that is cut off early is not used", async () => {
    endpoint.play(answer(({ user }) => careful(user).slice(0, 300), { finish: "length" }));
    const runtime = createRuntime({
      settings: { contextLength: WINDOW },
      writers: { auxiliary: writerAt(endpoint, "poor-1") },
    });
    const { compaction } = await runtime.prepare(shopTalk());
    expect(compaction!.report.summary).toMatchObject({ by: "ledger", steps: [{ because: "the answer was cut off" }] });
  });
});
