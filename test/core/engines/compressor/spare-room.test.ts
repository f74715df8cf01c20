/** An explicit budget is used: nothing that would still fit is left out, the user's requests before anything else. */
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../../../src/core/compaction/compaction.ts";
import { byPerson } from "../../../../src/core/events/person.ts";
import { exchangesOf } from "../../../../src/core/transcript/exchanges.ts";
import { contentText, type Transcript } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { compacted, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";

/** Requests between work; one result in the middle is so large that no tail reaches over it. */
const worked = (): Transcript =>
  talk(
    ...Array.from({ length: 24 }, (_, at) => [
      user(`Now take care of part ${at}: ${filler(30, `wish${at}`)}`),
      ...ran("terminal", { command: `make part_${at}` }, filler(at === 20 ? 9_000 : 250, `out${at}`)),
      says(`Part ${at} is done.`),
    ]).flat(),
    user("Go on."),
  );

interface Left {
  readonly compaction: Compaction;
  readonly result: Transcript;
  readonly spare: number;
  readonly isGone: (at: number) => boolean;
}

async function leftAt(transcript: Transcript, budget: number): Promise<Left> {
  const { compaction } = await compacted(transcript, { budget, reason: "budget" });
  const result = applyCompaction(transcript, compaction);
  const isGone = (at: number): boolean => compaction.map[at]?.kind === "summarised";
  return { compaction, result, spare: budget - measure.transcript(result), isGone };
}

/** Estimates of parts do not add up to that of the whole: so much is kept free. */
const MARGIN_SHARE = 0.02;
const SHARES = [0.15, 0.2, 0.3, 0.4, 0.6, 0.8];

describe.each(SHARES)("at %d of the size", (share) => {
  const transcript = worked();
  const { messages } = transcript;
  const budget = Math.floor(measure.transcript(transcript) * share);

  it("leaves out no request for which there was room", async () => {
    const { result, spare, isGone } = await leftAt(transcript, budget);
    const text = result.messages
      .map(({ parts }) => contentText(parts))
      .join("\n")
      .replaceAll("\n  ", "\n");
    const gone = messages.filter(
      (message, at) => byPerson(message) && isGone(at) && !text.includes(contentText(message.parts)),
    );
    expect(spare).toBeGreaterThanOrEqual(0);
    expect(gone.filter((message) => measure.message(message) <= spare - budget * MARGIN_SHARE)).toEqual([]);
    expect(violationsOf(result)).toEqual([]);
  });

  it("leaves out no exchange for which there was a tenth of the budget and more", async () => {
    const { spare, isGone } = await leftAt(transcript, budget);
    const gone = exchangesOf(messages).filter(({ start }) => isGone(start));
    const fitting = gone.filter(({ start, end }) => measure.messages(messages.slice(start, end)) <= spare);
    expect(spare < budget / 10 || fitting.length === 0).toBe(true);
  });
});

it("keeps what it keeps in order, and in front of the handoff", async () => {
  const transcript = worked();
  const { result } = await leftAt(transcript, Math.floor(measure.transcript(transcript) * 0.4));
  const places = result.messages.flatMap((message) => {
    const at = transcript.messages.indexOf(message);
    return at < 0 ? [] : [at];
  });
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places.length).toBeGreaterThan(12);
});

it("keeps a request rather than a reply that only agrees", async () => {
  const transcript = talk(
    ...worked().messages.slice(0, 40),
    user("Yes, please do so."),
    ...ran("terminal", { command: "make report" }, filler(2_000, "report")),
    says("The report is written."),
    ...worked().messages.slice(40),
  );
  const { result } = await leftAt(transcript, Math.floor(measure.transcript(transcript) * 0.2));
  const texts = result.messages.map(({ parts }) => contentText(parts));
  expect(texts.filter((text) => text.startsWith("Now take care of"))).not.toEqual([]);
  expect(texts).not.toContain("Yes, please do so.");
});

it.each([0.35, 0.37])("keeps no request of several lines that the handoff says, at %d", async (share) => {
  const steps = ["Three things first:", "- check the totals of every cart,", "- check the list,", "- ship it."].join(
    "\n",
  );
  const work = (name: string) => ran("terminal", { command: `make ${name}` }, filler(2_000, name));
  const transcript = talk(
    user("Start."),
    ...work("all"),
    says("Started."),
    user(steps),
    ...work("cart"),
    says("All three are done."),
    ...worked().messages.slice(0, 48),
    user("Go on."),
  );
  const { result, spare } = await leftAt(transcript, Math.floor(measure.transcript(transcript) * share));
  const texts = result.messages.map(({ parts }) => contentText(parts));
  expect(texts.join("\n")).toContain(steps.replaceAll("\n", "\n  "));
  expect(texts).not.toContain(steps);
  expect(spare).toBeGreaterThan(0);
});
