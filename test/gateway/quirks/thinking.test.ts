/** No rewritten request is refused for its thinking: generated sessions against the strict provider. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { live, type Living, type Round, type UserTurn } from "./thinking-agent.ts";

const BOUND = "claude-opus-5-5";
const SIGNED = "claude-sonnet-4-5";
/** A run is a whole session. */
const RUNS = Math.max(3, Math.ceil(Number(process.env["PRECIS_TEST_RUNS"] ?? 500) / 40));

const IGNORANT_SESSIONS = 40;

const round = { calls: 1, thinks: false, says: false };
const turn: UserTurn = {
  mode: "enabled",
  rounds: Array.from({ length: 12 }, () => round),
  reminds: false,
  resultTokens: 600,
  thoughtTokens: 60,
};
const looping: Living = { model: SIGNED, turns: [turn, turn] };

const rarely = fc.integer({ min: 0, max: 7 }).map((at) => at === 0);
const anyRound: fc.Arbitrary<Round> = fc.record({
  calls: fc.integer({ min: 1, max: 3 }),
  thinks: fc.boolean(),
  says: fc.boolean(),
  quiet: rarely,
  lapse: rarely,
});
const anyTurn: fc.Arbitrary<UserTurn> = fc.record({
  mode: fc.constantFrom("enabled", "enabled", "adaptive", "adaptive", "off", "absent"),
  rounds: fc.array(anyRound, { maxLength: 9 }).map(([first, ...rest]) =>
    // A turn that begins without thinking cannot go on with it.
    first === undefined ? [] : [{ ...first, quiet: false }, ...rest],
  ),
  reminds: fc.boolean(),
  resultTokens: fc.constantFrom(40, 300, 900, 2_500),
  thoughtTokens: fc.constantFrom(5, 80, 900),
});
const anySession = (model: fc.Arbitrary<string>, drops: fc.Arbitrary<boolean>): fc.Arbitrary<Living> =>
  fc.record({
    model,
    turns: fc.array(anyTurn, { minLength: 1, maxLength: 5 }),
    drops,
    contextLength: fc.constantFrom(6_000, 9_000, 16_000),
  });

/** Where nothing can be dropped, what was thought behind another conversation in this very turn is past help. */
const steady = (one: UserTurn): UserTurn => ({
  ...one,
  rounds: one.rounds.map(({ calls, thinks, says }) => ({ calls, thinks, says })),
});

describe("generated sessions", () => {
  it("are never refused, whatever the model, the mode and the place of the compaction", async () => {
    let compactions = 0;
    let dropped = 0;
    await fc.assert(
      fc.asyncProperty(anySession(fc.constantFrom(BOUND, SIGNED), fc.constant(true)), async (living) => {
        const lived = await live({ ...living, carries: true, steers: true });
        expect(lived.refusals).toEqual([]);
        expect(lived.untouched).toBe(0);
        expect(lived.unsteady).toBe(0);
        compactions += lived.compactions;
        dropped += lived.dropped;
      }),
      { numRuns: RUNS },
    );
    expect(compactions).toBeGreaterThan(RUNS / 2);
    expect(dropped).toBeGreaterThan(0);
  });

  it("are refused when nothing is known of thinking", async () => {
    const sessions = fc.sample(anySession(fc.constantFrom(BOUND, SIGNED), fc.constant(true)), {
      numRuns: IGNORANT_SESSIONS,
      seed: 7,
    });
    const lived = await Promise.all(sessions.map((living) => live(living)));
    const refused = lived.flatMap(({ refusals }) => refusals);
    expect(refused.filter((text) => text.includes("bound to a different conversation")).length).toBeGreaterThan(3);
    expect(refused.filter((text) => text.includes("must start with a thinking block")).length).toBeGreaterThan(0);
  });

  it("are not refused either where the upstream cannot drop blocks", async () => {
    let compactions = 0;
    await fc.assert(
      fc.asyncProperty(anySession(fc.constant(BOUND), fc.constant(false)), async (living) => {
        const turns = living.turns.map(steady);
        const lived = await live({ ...living, turns, carries: true, steers: true });
        expect(lived.refusals).toEqual([]);
        expect(lived.headers.flat().filter(([, value]) => value.includes("thinking-binding"))).toEqual([]);
        compactions += lived.compactions;
      }),
      { numRuns: RUNS },
    );
    expect(compactions).toBeGreaterThan(0);
  });
});

describe("a long tool loop", () => {
  it("is refused without its thinking, and goes on where it is carried", async () => {
    const bare = await live(looping);
    expect(bare.refusals).toEqual([expect.stringContaining("must start with a thinking block")]);
    const carried = await live({ ...looping, carries: true, steers: true });
    expect(carried.refusals).toEqual([]);
    expect(carried.compactions).toBeGreaterThan(1);
  });
});
