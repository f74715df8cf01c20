/** What holds of every compaction, whatever the conversation and the budget. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../../../src/core/compaction/compaction.ts";
import { liveRequestOf } from "../../../../src/core/events/live-request.ts";
import { isHandoff } from "../../../../src/core/handoff/write.ts";
import { contentText, type Transcript } from "../../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../../src/core/transcript/oracle.ts";
import { chain, compacted, filler, measure, outcomeOf, ran, says, talk, user } from "../../../support/compacting.ts";
import { RUNS, transcripts } from "../../../support/transcripts.ts";

/** Of a message beside its text. */
const MESSAGE_TOKENS = 8;

const shares = fc.constantFrom(0.05, 0.2, 0.5, 0.9);

function checkResult(transcript: Transcript, compaction: Compaction, limit: number): void {
  const result = applyCompaction(transcript, compaction);
  const { report } = compaction;
  expect(violationsOf(result)).toEqual([]);
  expect(measure.transcript(result)).toBe(report.tokens.after);
  expect(report.tokens.after).toBeLessThan(report.tokens.before);
  if (report.irreducible === undefined) expect(report.tokens.after).toBeLessThanOrEqual(limit);
  expect(result.messages.slice(compaction.after.length)).toEqual(transcript.messages.slice(compaction.covered));
  expect(compaction.map).toHaveLength(compaction.covered);
  expect(compaction.covers).toBe(chain.linksOf(transcript.messages)[compaction.covered - 1]);
  compaction.map.forEach((destination, at) => {
    if (destination.kind === "kept") expect(compaction.after[destination.at]).toBe(transcript.messages[at]);
  });
}

function checkLiveRequest(transcript: Transcript, compaction: Compaction): void {
  const live = transcript.messages[liveRequestOf(transcript.messages)];
  if (live === undefined) return;
  const texts = applyCompaction(transcript, compaction)
    .messages.filter(({ role, origin }) => role === "user" && origin !== "summary")
    .map((message) => contentText(message.parts));
  expect(texts).toContain(contentText(live.parts));
}

describe("a compaction by the default engine", () => {
  it("is valid, within its budget or irreducible, honest in its figures, and keeps the live request", async () => {
    await fc.assert(
      fc.asyncProperty(transcripts(), shares, async (transcript, share) => {
        const budget = Math.max(200, Math.floor(measure.transcript(transcript) * share));
        const outcome = await outcomeOf(transcript, { budget, reason: "budget" });
        if (outcome.kind === "unchanged") return;
        checkResult(transcript, outcome.compaction, budget);
        checkLiveRequest(transcript, outcome.compaction);
      }),
      { numRuns: RUNS },
    );
  });

  it("is the same compaction for the same inputs", async () => {
    await fc.assert(
      fc.asyncProperty(transcripts(), shares, async (transcript, share) => {
        const budget = Math.max(200, Math.floor(measure.transcript(transcript) * share));
        expect(await outcomeOf(transcript, { budget })).toEqual(await outcomeOf(transcript, { budget }));
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
  });

  it("can be compacted again, at any depth", async () => {
    await fc.assert(
      fc.asyncProperty(transcripts(), async (transcript) => {
        let current = transcript;
        for (let depth = 0; depth < 4; depth++) {
          const budget = Math.max(200, Math.floor(measure.transcript(current) * 0.6));
          const outcome = await outcomeOf(current, { budget });
          if (outcome.kind === "unchanged") return;
          checkResult(current, outcome.compaction, budget);
          checkLiveRequest(current, outcome.compaction);
          current = applyCompaction(current, outcome.compaction);
          expect(current.messages.filter(isHandoff).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });

  it("says what the smallest result is made of, each part once", async () => {
    const work = ran("terminal", { command: "make" }, filler(400, "made"));
    const transcript = talk(user("Start."), work, says("Started."), user("Go on with the second half."));
    const { report } = (await compacted(transcript, { budget: 60, reason: "budget" })).compaction;
    const { smallest, because } = report.irreducible!;
    expect(because).toMatch(/^system and tools take \d+ tokens, the live request \d+, the handoff \d+$/);
    const parts = (because.match(/\d+/g) ?? []).map(Number);
    const sum = parts.reduce((all, part) => all + part, 0);
    expect(Math.abs(smallest - sum)).toBeLessThanOrEqual(MESSAGE_TOKENS);
  });

  it("calls nothing irreducible that is within its limit already", async () => {
    const transcript = talk(user("Which port?"), says("8080."));
    const outcome = await outcomeOf(transcript, { budget: measure.transcript(transcript), reason: "budget" });
    expect(outcome).toMatchObject({ kind: "unchanged" });
    expect(outcome).not.toHaveProperty("irreducible");
  });
});
