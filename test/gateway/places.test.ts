/** The turns of large requests: by what they weigh, tenants one after another, with room for whoever comes next. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPlaces, type Place } from "../../src/gateway/large/queue.ts";

const LIMITS = { heldBytes: 100, preparingBytes: 40, waitMs: 10_000 };
const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const { signal } = new AbortController();
const placeOf = (tenant: string, weight: number, alone = false): Place => ({ tenant, weight, alone });

/** Who was let in, in their order. */
function entering(limits = LIMITS) {
  const places = createPlaces(limits);
  const inside: Place[] = [];
  const come = (...all: readonly Place[]): void => {
    for (const place of all) void places.enter(place, signal).then((isIn) => isIn && inside.push(place));
  };
  const settle = async (): Promise<readonly string[]> => {
    await new Promise((next) => setImmediate(next));
    return inside.map(({ tenant }) => tenant);
  };
  return { places, inside, come, settle };
}

describe("places for large requests", () => {
  it("are few at once, and go to tenants one after another", async () => {
    const { places, inside, come, settle } = entering();
    come(placeOf("a", 20), placeOf("a", 20), placeOf("a", 20), placeOf("b", 20));
    expect(await settle()).toEqual(["a", "a"]);
    places.leave(inside[0]!);
    expect(await settle()).toEqual(["a", "a", "b"]);
  });

  it("leave half of the rest to whoever comes next", async () => {
    const { places, come, settle } = entering({ ...LIMITS, preparingBytes: 1_000 });
    come(...Array.from({ length: 9 }, () => placeOf("a", 10)));
    expect(await settle()).toHaveLength(5);
    come(placeOf("b", 40));
    expect((await settle()).at(-1)).toBe("b");
    expect(places.size()).toBe(10);
  });

  it("are free for the next to be prepared once one only waits for its provider", async () => {
    const { places, inside, come, settle } = entering();
    come(placeOf("a", 40), placeOf("b", 40));
    expect(await settle()).toEqual(["a"]);
    places.prepared(inside[0]!);
    expect(await settle()).toEqual(["a", "b"]);
  });

  it("are for one alone that weighs more than all may, or that may be at fault", async () => {
    for (const one of [placeOf("a", 500), placeOf("a", 1, true)]) {
      const { places, inside, come, settle } = entering();
      come(placeOf("b", 1), one, placeOf("c", 1));
      expect(await settle()).toEqual(["b"]);
      places.leave(inside[0]!);
      expect(await settle()).toEqual(["b", "a"]);
      places.leave(inside[1]!);
      expect(await settle()).toEqual(["b", "a", "c"]);
    }
  });

  it("are waited for so long, and not by a client that has left", async () => {
    const places = createPlaces({ ...LIMITS, waitMs: 20 });
    await places.enter(placeOf("a", 100), signal);
    const leaving = new AbortController();
    const left = places.enter(placeOf("b", 1), leaving.signal);
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    expect(await places.enter(placeOf("c", 1), signal)).toBe(false);
    expect(places.size()).toBe(1);
  });

  it("come to everybody, and are never more than there are", async () => {
    const each = fc.record({ tenant: fc.constantFrom("a", "b", "c"), weight: fc.integer({ min: 1, max: 150 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(each, { maxLength: 20 }), async (wanted) => {
        const places = createPlaces(LIMITS);
        const held = new Set<Place>();
        await Promise.all(
          wanted.map(async ({ tenant, weight }) => {
            const place = placeOf(tenant, weight);
            expect(await places.enter(place, signal)).toBe(true);
            held.add(place);
            if (held.size > 1) expect([...held].reduce((sum, one) => sum + one.weight, 0)).toBeLessThanOrEqual(100);
            await Promise.resolve();
            places.prepared(place);
            await Promise.resolve();
            held.delete(place);
            places.leave(place);
          }),
        );
        expect(places.size()).toBe(0);
      }),
      { numRuns: RUNS },
    );
  });
});
