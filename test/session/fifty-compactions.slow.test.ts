/**
 * Fifty compactions of one growing session, with code alone and with a model: what a person asked and ruled stays word
 * for word, the handoff stays within its budget, and nothing oscillates.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Receipt } from "../../src/core/compaction/compaction.ts";
import type { Writers } from "../../src/core/handoff/model/writer.ts";
import { parseHandoff, type ParsedHandoff } from "../../src/core/handoff/write.ts";
import { contentText, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, measure, ran, says, user } from "../support/compacting.ts";
import { careful, forgetful } from "../support/model-answers.ts";
import { answer, startEndpoint, type ScriptedEndpoint, type Text } from "../support/scripted-endpoint.ts";
import { RUNS } from "../support/transcripts.ts";
import { writerAt } from "../support/writers.ts";

const ROUNDS = 50;
const WINDOW = 24_000;
const THRESHOLD = 0.25;
const HANDOFF_TOKENS_MAX = 1_800;
const FIRST_REQUEST = "Build the shop's order pages one after another, each with its own test.";
/** More than a handoff holds; the newest come first. */
const RULES = Array.from(
  { length: 40 },
  (_, at) => `Never change the table orders_${at} without asking the team of region ${at} first.`,
);
const REPEATED = "Always keep prices in integer cents.";

let endpoint: ScriptedEndpoint;
beforeAll(async () => void (endpoint = await startEndpoint()));
afterAll(() => endpoint.close());

/** What happens between two compactions: a request, at times a rule, edits, a check. */
function work(round: number): Message[] {
  const rule = RULES[round] === undefined ? "" : ` ${RULES[round]}`;
  return [
    user(`Now build order page ${round}, with its list and its totals.${rule}${round % 5 === 0 ? ` ${REPEATED}` : ""}`),
    ...Array.from({ length: 6 }, (_, at) => [
      says(`I read part ${at} of page ${round}; I decided to keep its state in module_${round}_${at}.`),
      ...ran("read_file", { path: `src/pages/page_${round}_${at}.ts` }, filler(1_000, `page${round}x${at}`)),
    ]).flat(),
    ...ran(
      "edit_file",
      { path: `src/pages/page_${round}.ts`, old_string: "a", new_string: "b" },
      "ok",
      `edit_${round}`,
    ),
    ...ran("terminal", { command: "npm test" }, `${round + 3} passed`, `test_${round}`),
    says(`Page ${round} is done.`),
  ];
}

interface Round {
  readonly sent: Transcript;
  readonly handoff: string;
  readonly parsed: ParsedHandoff;
  readonly by: string;
  readonly receipt: Receipt;
}

/** `resent`: the host goes on from what it was given, instead of sending its own whole history. */
async function fifty(writers: Pick<Writers, "auxiliary"> | undefined, resent: boolean): Promise<readonly Round[]> {
  const runtime = createRuntime({
    settings: { contextLength: WINDOW, threshold: THRESHOLD, note: "handoff" },
    ...(writers === undefined ? {} : { writers }),
  });
  const rounds: Round[] = [];
  let messages: readonly Message[] = [user(`${FIRST_REQUEST} ${REPEATED}`), says("I start.")];
  for (let round = 0; round < ROUNDS; round++) {
    messages = [...messages, ...work(round)];
    const { transcript: sent, compaction } = await runtime.prepare({ system: [], messages });
    expect(compaction).toBeDefined();
    const handoff = contentText(sent.messages.find(({ origin }) => origin === "summary")!.parts);
    const parsed = parseHandoff(handoff)!;
    rounds.push({
      sent,
      handoff,
      parsed,
      by: compaction!.report.summary!.by,
      receipt: compaction!.report.receipt!,
    });
    if (resent) messages = sent.messages;
  }
  return rounds;
}

const at = (text: Text): Pick<Writers, "auxiliary"> => {
  endpoint.play(answer(text));
  return { auxiliary: writerAt(endpoint, "steady-1") };
};
const textOf = ({ messages }: Transcript): string => messages.map(({ parts }) => contentText(parts)).join("\n");

const WHOLE = ["of a history that is sent whole", false] as const;
const RESENT = ["of what the one before gave", true] as const;
const BOTH = [WHOLE, RESENT];
/** A short run tries one of the two with each model. */
const isFull = RUNS > 1_000;

type Way = readonly [string, () => Pick<Writers, "auxiliary"> | undefined, typeof BOTH];
const WAYS: readonly Way[] = [
  ["code alone", () => undefined, BOTH],
  ["a careful model", () => at(({ user: prompt }) => careful(prompt)), isFull ? BOTH : [WHOLE]],
  ["a forgetful model", () => at(({ user: prompt }) => forgetful(prompt)), isFull ? BOTH : [RESENT]],
];

describe.each(WAYS)("fifty compactions with %s", (name, writers, histories) => {
  describe.each(histories)("%s", (_, resent) => {
    let rounds: readonly Round[];
    beforeAll(async () => {
      rounds = await fifty(writers(), resent);
    }, 120_000);

    it("keep the first request word for word", () => {
      for (const { sent } of rounds) expect(textOf(sent)).toContain(FIRST_REQUEST);
    });

    it("are written by whom they should be", () => {
      const models = rounds.filter(({ by }) => by === "model").length;
      if (name === "code alone") expect(models).toBe(0);
      else expect(models).toBeGreaterThan(ROUNDS * 0.9);
    });

    it("lose no request for good", () => {
      for (const { receipt } of rounds) expect(receipt.counts.request.lost).toBe(0);
    });

    // What a model writes stands instead of what code would have told.
    it.skipIf(name !== "code alone")("keep the newest rules word for word, and the one that opened the session", () => {
      rounds.forEach(({ sent }, round) => {
        const all = textOf(sent);
        expect(all).toContain(REPEATED);
        for (const recent of RULES.slice(Math.max(0, round - 4), round + 1)) expect(all).toContain(recent);
      });
    });

    it("stay within their budgets, and valid", () => {
      for (const { handoff, sent } of rounds) {
        expect(measure.text(handoff)).toBeLessThanOrEqual(HANDOFF_TOKENS_MAX);
        expect(measure.transcript(sent)).toBeLessThan(WINDOW * THRESHOLD);
        expect(violationsOf(sent)).toEqual([]);
      }
    });

    it("do not oscillate: a rule that has left does not come back, sizes settle", () => {
      const left = new Set<string>();
      for (const { sent } of rounds) {
        const all = textOf(sent);
        for (const rule of RULES) {
          if (all.includes(rule)) expect(left).not.toContain(rule);
        }
        const constraints = RULES.slice(0, rounds.findIndex((one) => one.sent === sent) + 1);
        for (const rule of constraints) if (!all.includes(rule)) left.add(rule);
      }
      const sizes = rounds.slice(10).map(({ handoff }) => measure.text(handoff));
      expect(Math.min(...sizes)).toBeGreaterThan(Math.max(...sizes) * 0.5);
    });

    it("say nothing twice, and lead back to what was replaced", () => {
      for (const { parsed } of rounds) {
        const items = [...parsed.sections].flatMap(([topic, texts]) => texts.map((text) => `${topic} ${text}`));
        expect(new Set(items).size).toBe(items.length);
        expect(parsed.spans.length).toBeGreaterThan(0);
      }
    });
  });
});
