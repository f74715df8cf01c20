/** The built-in session: that it has the figures it was made from, and that what is said of these figures is true. */
import { describe, expect, it } from "vitest";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { callsOf, contentText, resultOf } from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { EXAMPLE, EXAMPLE_NOTES, exampleRecording } from "../../src/replay/example.ts";
import { replay } from "../../src/replay/replay.ts";
import { requestsOf } from "../../src/replay/requests.ts";
import { strategiesOf } from "../../src/replay/strategies.ts";
import { termsFor } from "./sessions.ts";

const { transcript, timesMs } = exampleRecording();
const { messages, system } = transcript;
const { text } = createMeasure();

const within = (share: number, figure: number, made: number): void => {
  expect(made).toBeGreaterThan(figure * (1 - share));
  expect(made).toBeLessThan(figure * (1 + share));
};

describe("the example", () => {
  it("is a valid session, the same every time", () => {
    expect(violationsOf(transcript)).toEqual([]);
    expect(exampleRecording().transcript).toEqual(transcript);
  });

  it("has the chapter's calls, by tool", () => {
    const names = messages.flatMap(callsOf).map(({ name }) => name);
    const times = (name: string): number => names.filter((one) => one === name).length;
    expect([times("file_read"), times("shell_exec"), times("python_exec")]).toEqual([24, 31, 28]);
    expect(names).toHaveLength(83);
  });

  it("has the chapter's tokens, by where they come from", () => {
    const sum = (texts: readonly string[]): number => texts.reduce((so, one) => so + text(one), 0);
    const said = (role: string): readonly string[] =>
      messages.filter((message) => message.role === role).map(({ parts }) => contentText(parts));
    within(0.01, 2_156 + 3_847, sum(system.map(({ parts }) => contentText(parts))));
    within(0.01, 8_234, sum(said("user")));
    within(0.03, 12_891 + 11_447, sum(said("assistant")));
    within(0.01, 127_000, sum(messages.flatMap((message) => contentText(resultOf(message)?.content ?? []))));
    // JSON and a path around what is given.
    within(0.3, 7_823, sum(messages.flatMap(callsOf).map((call) => call.arguments)));
    within(0.03, 174_000, createMeasure().transcript(transcript));
  });

  it("lasts as long as the chapter says", () => {
    const { spanMs, untimed } = requestsOf(exampleRecording(), {
      protocol: "anthropic-messages",
      model: EXAMPLE.model,
      gapMs: 1,
    });
    expect(spanMs / 60_000).toBeCloseTo(127, 3);
    expect(untimed).toBe(0);
    expect(timesMs).toHaveLength(messages.length);
  });
});

describe("what is said of the chapter's figures", () => {
  const notes = EXAMPLE_NOTES.join(" ");
  const figures: readonly (readonly [string, number])[] = [
    ["94,847", 2_156 + 3_847 + 8_234 + 12_891 + 11_447 + 7_823 + 48_449],
    ["174,000", 127_000 + 47_000],
    ["672,217", 24 * 12_841 + 31 * 4_127 + 28 * 8_432],
    ["14,940", 1_240_000 / 83],
    ["2,158,000", 26_000 * 83],
  ];
  it.each(figures)("%s is what they give", (shown, figure) => {
    expect(Math.round(figure).toLocaleString("en-US")).toBe(shown);
    expect(notes).toContain(shown);
  });

  it.each(["sacred-zone", "lossless"])("is compacted a few times by price, though %s leaves much", async (engine) => {
    const { runs } = await replay(exampleRecording(), {
      terms: termsFor("anthropic-messages", { windowTokens: EXAMPLE.windowTokens }),
      strategies: strategiesOf([engine], ["cost"]).slice(-1),
      gapMs: 1,
    });
    expect(runs[0]!.totals.compactions).toBeGreaterThan(0);
    expect(runs[0]!.totals.compactions).toBeLessThan(10);
  });
});
