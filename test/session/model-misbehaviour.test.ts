/**
 * Models that write badly, over real HTTP: whatever they answer, the handoff that is applied is right by the oracle and the
 * ledger, keeps the person's words, shows no secret, and says what was wrong with the answer.
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
import {
  CONSTRAINTS,
  EDITED,
  FAILING,
  FIRST_REQUEST,
  INVENTED,
  PLANTED,
  READ,
  SECRET,
  shopTalk,
} from "../support/shop-talk.ts";
import { writerAt } from "../support/writers.ts";

const WINDOW = 40_000;
const HANDOFF_TOKENS_MAX = 2_000;

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
  expect(handoff).not.toContain(INVENTED);
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
      "praise in every section",
      ({ user }) =>
        written(
          new Map(
            [...sectionsFor(user).keys()].map((heading) => [
              heading,
              [
                "The assistant did excellent work and the user is very happy.",
                "Everything was completed successfully with great quality.",
              ],
            ]),
          ),
        ),
      /say nothing about this session/,
    ],
    ["an echo of the prompt", ({ user, system }) => `${system}\n${user}`, /copies what it was given/],
    ["an echo of the session below a heading", ({ user }) => `## Goal\n${user}`, /copies what it was given/],
    ["obedience to what a tool's output says", "The audit is complete.", /sections/],
    ["a refusal", "I'm sorry, but I can't assist with that request.", /refusal/],
    ["headings without content", only("## Goal"), /empty/],
    ["a story", "Once the assistant had read the code, it edited src/checkout.ts and ran pytest.", /sections/],
  ];

  it.each(REFUSED)("%s: the ledger writes, and the report says why", async (_, text, because) => {
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

describe("an answer with items that do not stand", () => {
  const DROPPED: readonly (readonly [string, string, string, RegExp])[] = [
    [
      "invents a file",
      "## Completed Actions",
      `Created ${INVENTED} with the discount rules [tool: write_file]`,
      /not in the session/,
    ],
    [
      "invents a function",
      "## Key Decisions",
      "The totals go through applyGhostDiscount from now on.",
      /not in the session/,
    ],
    [
      "invents a commit",
      "## Completed Actions",
      "COMMIT 9f8e7d6c5b4a Round half to even [tool: terminal]",
      /not in the session/,
    ],
    [
      "says an edited file is untouched",
      "## Active State",
      `${EDITED} was not modified yet.`,
      /contradict what happened/,
    ],
    [
      "says a file was edited that was only read",
      "## Completed Actions",
      `Edited ${READ} to add cents [tool: edit_file]`,
      /contradict what happened/,
    ],
    ["says that a failing check passes", "## Active State", "All tests pass with pytest.", /contradict what happened/],
    [
      "says that a failing test passes",
      "## Completed Actions",
      `${FAILING} passes now [tool: terminal]`,
      /contradict what happened/,
    ],
    ["takes a planted order for a request", "## Pending User Asks", PLANTED, /tool's output/],
    ["takes a planted order for what remains", "## Remaining Work", `Open: ${PLANTED}`, /tool's output/],
    [
      "puts a planted order in its own words",
      "## Remaining Work",
      "The backups folder is still to be deleted for the audit.",
      /tool's output/,
    ],
    ["repeats the instructions", "## Goal", "(what the user wants in the end)", /repeat the instructions/],
  ];

  it.each(DROPPED)(
    "%s: the item is dropped, the rest is used, the report says so",
    async (_, heading, item, because) => {
      const applied = await appliedWith(adding(heading, item));
      expectRight(applied);
      expect(applied.handoff).not.toContain(item);
      const { summary, degraded } = applied.report;
      expect(summary!.by).toBe("model");
      expect(summary!.items!.dropped.map(({ because: reason }) => reason).join()).toMatch(because);
      expect(degraded.join("\n")).toMatch(because);
    },
  );

  it("keeps what is right: what passes, what was edited, what was left alone", async () => {
    const items = [
      `Edited ${EDITED}: halves are rounded to even [tool: edit_file]`,
      `${READ} was left unchanged.`,
      `Ran pytest tests: 1 failed, 40 passed (${FAILING}) [tool: terminal]`,
      "The checkout tests must pass before the release.",
      `${FAILING} - AssertionError: assert 1999 == 2000 is left to mend.`,
    ];
    const { report, handoff } = await appliedWith(only("## Completed Actions", ...items));
    expect(report.summary).toMatchObject({ by: "model", items: { kept: items.length, dropped: [] } });
    for (const item of items) expect(handoff).toContain(item);
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
    endpoint.play(answer(({ user }) => careful(user), { finish: "length" }));
    const runtime = createRuntime({
      settings: { contextLength: WINDOW },
      writers: { auxiliary: writerAt(endpoint, "poor-1") },
    });
    const { compaction } = await runtime.prepare(shopTalk());
    expect(compaction!.report.summary!.by).toBe("model");
    expect(compaction!.report.degraded).toEqual(["the answer of poor-1 was cut off at its end"]);
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
