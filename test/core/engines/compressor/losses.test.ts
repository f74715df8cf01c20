/** The loss report: by kind, what a result does not hold, and whether an id in it still leads there. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyCompaction,
  LOSS_KINDS,
  type Compaction,
  type Losses,
} from "../../../../src/core/compaction/compaction.ts";
import { eventsOf } from "../../../../src/core/events/events.ts";
import { contentText, type Transcript } from "../../../../src/core/transcript/message.ts";
import { compacted, filler, measure, outcomeOf, ran, says, talk, user } from "../../../support/compacting.ts";
import { RUNS, transcripts } from "../../../support/transcripts.ts";

const REQUESTS = Array.from(
  { length: 30 },
  (_, at) => `Build page number ${at} of the shop, with its list, its totals and its test.`,
);
const RULE = "Never store card numbers in the session table.";
const SECRET = "sk-proj-Zq3xT9vLm2Kd8RwYb5NcHf7JgPs4Ua6EoXi1";

const shop = (): Transcript =>
  talk(
    user("Plan the shop."),
    says("Planned."),
    user(RULE),
    says("Understood."),
    REQUESTS.flatMap((request, at) => [
      user(request),
      ...ran(
        "terminal",
        { command: `make page_${at}` },
        `error: cannot build page_${at}\nExit code 2\n${filler(300, `p${at}`)}`,
      ),
      says(`Page ${at} is done as far as it goes.`),
    ]),
    user(`The key of the shop is ${SECRET}; the port = 54321.`),
    says("Noted."),
    user("Now the docs."),
    says("I begin."),
  );

const lossesAt = async (budget: number): Promise<{ lost: Losses; text: string; compaction: Compaction }> => {
  const { compaction, text } = await compacted(shop(), { budget, reason: "budget" });
  return { lost: compaction.report.lost, text, compaction };
};

describe("the loss report", () => {
  it("counts requests that the result no longer shows, all of them recallable", async () => {
    const { lost, text } = await lossesAt(600);
    const gone = REQUESTS.filter((request) => !text.includes(request.slice(0, 80)));
    expect(gone.length).toBeGreaterThan(5);
    expect(lost.requests.absent).toBeGreaterThanOrEqual(gone.length);
    expect(lost.requests.absent).toBeLessThanOrEqual(gone.length + 4);
    expect(lost.requests.unrecallable).toBe(0);
    for (const example of lost.requests.examples) expect(text).not.toContain(example);
  });

  it("does not count what stands: the rule, in a handoff with room for it", async () => {
    const { lost, text } = await lossesAt(3_000);
    expect(text).toContain(RULE);
    expect(lost.constraints).toEqual({ absent: 0, unrecallable: 0, examples: [] });
  });

  it("does not count a request of several lines that the handoff indents", async () => {
    const steps = ["Three things before the release:", "- check the totals,", "- check the list,", "- ship it."].join(
      "\n",
    );
    const { messages } = shop();
    const transcript = talk(...messages.slice(0, -6), user(steps), says("All three are done."), ...messages.slice(-6));
    const { compaction, text } = await compacted(transcript, { budget: 1_500, reason: "budget" });
    expect(text).not.toContain(steps);
    expect(text).toMatch(/Three things before the release:\n? +- check the totals/);
    expect(compaction.report.lost.requests.examples.join()).not.toContain("Three things");
  });

  it("loses less the more room there is", async () => {
    const sum = ({ lost }: { lost: Losses }): number => LOSS_KINDS.reduce((all, kind) => all + lost[kind].absent, 0);
    const [small, middle, large] = [await lossesAt(900), await lossesAt(2_500), await lossesAt(9_000)];
    expect(sum(small!)).toBeGreaterThan(sum(middle!));
    expect(sum(middle!)).toBeGreaterThanOrEqual(sum(large!));
  });

  it("shows no secret in its examples", async () => {
    for (const budget of [700, 1_500, 4_000])
      expect(JSON.stringify((await lossesAt(budget)).lost)).not.toContain(SECRET.slice(0, 20));
  });

  it("counts what no id leads to", async () => {
    const { compaction } = await lossesAt(1_500);
    const handoff = compaction.after.find(({ origin }) => origin === "summary")!;
    expect(contentText(handoff.parts)).toContain(compaction.evicted[0]!.id);
    expect(LOSS_KINDS.every((kind) => compaction.report.lost[kind].unrecallable === 0)).toBe(true);
  });

  it("never counts more than there is, nor an example that stands, in any conversation", async () => {
    await fc.assert(
      fc.asyncProperty(transcripts(), fc.constantFrom(0.1, 0.4), async (transcript, share) => {
        const budget = Math.max(200, Math.floor(measure.transcript(transcript) * share));
        const outcome = await outcomeOf(transcript, { budget, reason: "budget" });
        if (outcome.kind === "unchanged") return;
        const { lost } = outcome.compaction.report;
        const events = eventsOf(transcript.messages);
        expect(lost.requests.absent).toBeLessThanOrEqual(events.requests.length);
        expect(lost.constraints.absent).toBeLessThanOrEqual(events.rules.length);
        expect(lost.paths.absent).toBeLessThanOrEqual(events.files.length);
        const text = applyCompaction(transcript, outcome.compaction)
          .messages.map(({ parts }) => contentText(parts))
          .join("\n");
        for (const kind of LOSS_KINDS) {
          const { absent, unrecallable, examples } = lost[kind];
          expect(unrecallable).toBeLessThanOrEqual(absent);
          expect(examples.length).toBeLessThanOrEqual(absent);
        }
        for (const example of lost.constraints.examples) expect(text).not.toContain(example);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });
});
