/** Which candidate is taken, against what candidates may weigh; and that no more are made than are looked at. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { weighDraft, draftResult, type CompactionDraft } from "../../../src/core/compaction/apply.ts";
import {
  type Candidate,
  type Cut,
  findFirstCut,
  findFirstWithin,
  type SizeGoal,
  beginRun,
} from "../../../src/core/compaction/plan.ts";
import { SEVEN_SECTIONS } from "../../../src/core/handoff/templates.ts";
import { HANDOFF_TOKENS_MIN } from "../../../src/core/handoff/write.ts";
import { chain, filler, measure, says, talk, user } from "../../support/compacting.ts";

const COUNT = 12;
const session = talk(
  user("Begin."),
  ...Array.from({ length: COUNT - 2 }, (_, at) => says(filler(200, `step${at}`))),
  user("Go on."),
);
const request = { measure, chain, reason: "explicit" } as const;
const run = beginRun(session, request, { template: SEVEN_SECTIONS, system: [] });

/** Tails from here on, in the order given, and how many of them were asked for. */
function tails(starts: readonly number[]): { candidates: Iterable<Candidate>; made: () => number } {
  let made = 0;
  const { messages } = session;
  function* candidates(): Generator<Candidate> {
    for (const tailStart of starts) {
      made++;
      yield { shape: { rung: made, messages, headEnd: 0, tailStart, evicted: [] } };
    }
  }
  return { candidates: candidates(), made: () => made };
}

const goals = fc.record({
  limitTokens: fc.integer({ min: 0, max: 3_000 }),
  wanted: fc.integer({ min: HANDOFF_TOKENS_MIN, max: 1_500 }),
  least: fc.integer({ min: 0, max: 1_500 }),
});
const starts = fc.uniqueArray(fc.integer({ min: 0, max: COUNT - 1 }), { minLength: 1, maxLength: 8 });

describe("the first candidate that fits", () => {
  it("leaves its handoff the room that the goal asks for; none before it does, and none after it is made", () => {
    fc.assert(
      fc.property(goals, starts, ({ limitTokens, wanted, least }, order) => {
        const goal: SizeGoal = { limitTokens, handoffTokens: () => wanted, handoffTokensMin: least };
        const { candidates, made } = tails(order);
        const cut = findFirstCut(run, candidates, goal);
        const roomAt = (start: number): number =>
          limitTokens - measure.messages(session.messages.slice(start)) - (start < COUNT ? 8 : 0);
        const fits = (start: number): boolean => roomAt(start) >= (start === 0 ? 0 : Math.min(wanted, least));
        const first = order.findIndex(fits);
        expect(cut.shape.tailStart).toBe(order.at(first));
        expect(made()).toBe(first < 0 ? order.length : first + 1);
        expect(cut.fits).toBe(first >= 0);
        expect(cut.budget).toBe(Math.max(HANDOFF_TOKENS_MIN, Math.min(wanted, cut.roomTokens)));
      }),
    );
  });

  it("goes by the share and the minimum of a candidate, where it has its own", () => {
    const goal: SizeGoal = { limitTokens: 3_000, handoffTokens: () => 2_000, handoffTokensMin: 2_000 };
    const own = [...tails([6]).candidates].map((one) => ({ ...one, handoffTokensMin: 0, handoffTokens: () => 200 }));
    expect(findFirstCut(run, [...tails([3]).candidates, ...own], goal)).toMatchObject({
      shape: { tailStart: 6 },
      budget: 200,
      fits: true,
    });
  });

  it("repeats the live request where the candidate leaves it out, and only there", () => {
    const goal: SizeGoal = { limitTokens: 3_000, handoffTokens: () => 100, handoffTokensMin: 0 };
    const { messages } = session;
    const none = { rung: 0, messages, headEnd: 0, tailStart: COUNT, evicted: [] };
    expect(findFirstCut(run, [{ shape: none }], goal).anchor?.parts).toEqual(messages.at(-1)!.parts);
    expect(findFirstCut(run, tails([4]).candidates, goal).anchor).toBeUndefined();
  });
});

describe("the first result within the limit", () => {
  it("is within it, or the smallest of all", () => {
    fc.assert(
      fc.property(goals, starts, ({ limitTokens, wanted }, order) => {
        const goal: SizeGoal = { limitTokens, handoffTokens: () => wanted, handoffTokensMin: 0 };
        const sizes: number[] = [];
        const weigh = (drafted: CompactionDraft): number => {
          const tokens = weighDraft(run, drafted);
          sizes.push(tokens);
          return tokens;
        };
        const make = (cut: Cut): CompactionDraft => draftResult(run, cut);
        const draft = findFirstWithin(run, tails(order).candidates, goal, { make, weigh });
        const size = weighDraft(run, draft);
        expect(sizes.slice(0, -1).every((other) => other > limitTokens)).toBe(true);
        expect(size).toBe(sizes.at(-1)! <= limitTokens ? sizes.at(-1) : Math.min(...sizes));
      }),
      { numRuns: 60 },
    );
  });
});
