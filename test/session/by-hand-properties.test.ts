/** Whatever is pinned, dropped and compacted by hand, in any order and with any engine: results hold to the engines' contract. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../src/core/compaction/compaction.ts";
import { PrecisError } from "../../src/core/errors.ts";
import { judge } from "../../src/plugins/suite/examine.ts";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import type { Message, Transcript } from "../../src/core/transcript/message.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { chain, filler, measure, ran, says, talk, user } from "../support/compacting.ts";
import { RUNS } from "../support/transcripts.ts";

const conversations: fc.Arbitrary<Transcript> = fc
  .array(fc.record({ asks: fc.boolean(), results: fc.array(fc.nat(700), { maxLength: 3 }) }), {
    minLength: 3,
    maxLength: 12,
  })
  .map((turns) =>
    talk(
      user("Tidy the module."),
      ...turns.map(({ asks, results }, turn): readonly Message[] => [
        ...(asks ? [user(`Request ${turn}: ${filler(60, `wish ${turn}`)}`)] : []),
        ...results.flatMap((tokens, at) =>
          ran("read_file", { path: `src/p${turn}${at}.ts` }, filler(tokens, `p${turn}${at}`)),
        ),
        says(`Turn ${turn} is done.`),
      ]),
      user("Go on."),
    ),
  );

const ranges = fc.record({ start: fc.nat(30), length: fc.nat(6), how: fc.constantFrom("drop", "compact") });

/** Nothing where the range is refused. */
async function orRefused<Answer>(call: () => Promise<Answer>): Promise<Answer | undefined> {
  return call().catch((error: unknown) => {
    if (error instanceof PrecisError && ["bad_range", "pinned"].includes(error.code)) return undefined;
    throw error;
  });
}

describe.each(ENGINE_NAMES.filter((name) => name !== "none"))("with %s", (engine) => {
  it("every record is true, what is pinned stays, and what is dropped is not said again", async () => {
    const seen = { edits: 0, compactions: 0, pinned: 0 };
    const draws = fc.tuple(conversations, fc.nat(30), fc.array(ranges, { maxLength: 3 }), fc.constantFrom(0.7, 0.4));
    await fc.assert(
      fc.asyncProperty(draws, async ([transcript, pinnedAt, edits, share]) => {
        const runtime = createRuntime({ engine, chain, settings: { contextLength: 32_000, note: "handoff" } });
        const { messages } = transcript;
        const pin = await orRefused(() => runtime.pin(transcript, { messages: String(pinnedAt + 1) }));
        let standing: Compaction | undefined;
        for (const { start, length, how } of edits) {
          const range = { messages: `${start + 1}-${start + 1 + length}` };
          const outcome = await orRefused(() =>
            how === "drop" ? runtime.drop(transcript, range) : runtime.compact(transcript, range),
          );
          if (outcome?.kind !== "compacted") continue;
          seen.edits++;
          standing = outcome.compaction;
          expect(applyCompaction(transcript, standing).messages).toEqual(outcome.transcript.messages);
        }
        const current = standing === undefined ? transcript : applyCompaction(transcript, standing);
        const budget = Math.max(1, Math.floor(measure.transcript(transcript) * share));
        const { transcript: _, ...outcome } = await runtime.compact(transcript, { budget, reason: "budget" });
        if (outcome.kind !== "compacted") return;
        seen.compactions++;
        judge(outcome, transcript, { measure, chain, reason: "budget", budget, standing: current });
        const result = applyCompaction(transcript, outcome.compaction);
        if (pin !== undefined) {
          seen.pinned++;
          expect(result.messages).toContain(messages[pinnedAt]);
        }
        for (const { from, end, how } of outcome.compaction.byHand ?? [])
          for (const message of how === "drop" ? messages.slice(from, end).filter(isResult) : [])
            expect(result.messages).not.toContain(message);
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    );
    expect(Math.min(seen.edits, seen.compactions, seen.pinned)).toBeGreaterThan(0);
  });
});

function isResult({ role }: Message): boolean {
  return role === "tool";
}
