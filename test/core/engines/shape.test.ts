/** Whatever an engine answers with, it is an outcome field by field, or the fault says which field is not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { demandDecision, demandOutcome } from "../../../src/plugins/suite/fault.ts";
import { filler, outcomeOf, ran, talk, user } from "../../support/compacting.ts";
import { RUNS } from "../../support/transcripts.ts";

type Json = Record<string | number, unknown>;

/** Every way into a value, in a form that a test can name. */
function waysInto(value: unknown, way: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [way];
  const keys = Array.isArray(value) ? [...value.keys()].slice(0, 3) : Object.keys(value);
  return [...(way.length === 0 ? [] : [way]), ...keys.flatMap((key) => waysInto((value as Json)[key], [...way, key]))];
}

function changedAt(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Json;
  copy[key] = changedAt(copy[key], rest, to);
  return copy;
}

const outcome = await outcomeOf(
  talk(user("Tidy up."), ...Array.from({ length: 8 }, (_, at) => ran("read", { at }, filler(800, `p${at}`)))),
  { budget: 2_000 },
);
/** What the contract leaves open: the engine's own state, and what only a provider knows. */
const OPEN = /^compaction,(state|after,\d+,(wire|parts,\d+,(at|refusal)))/;
const ways = waysInto(outcome).filter((way) => !OPEN.test(way.join()));

describe("an outcome", () => {
  it("as ours make it has the shape of one", () => {
    expect(outcome.kind).toBe("compacted");
    demandOutcome(outcome);
    demandOutcome({ kind: "unchanged", because: "small", irreducible: { limit: 1, smallest: 2, because: "so" } });
  });

  it("with something else in any of its fields has not, and the field is named", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ways),
        fc.constantFrom(Symbol("x"), () => 1, new Map(), -0.5, "?"),
        (way, odd) => {
          const was = way.reduce<unknown>((value, key) => (value as Json)[key], outcome);
          fc.pre(typeof was !== typeof odd);
          const last = way.findLast((key) => typeof key === "string" && key !== "");
          expect(() => demandOutcome(changedAt(outcome, way, odd))).toThrow(new RegExp(`^shape: .*${last}`));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("is nothing else", () => {
    fc.assert(
      fc.property(fc.anything({ withMap: true, withSparseArray: true }), (odd) => {
        expect(() => demandOutcome(odd)).toThrow(/^shape: /);
        expect(() => demandDecision(odd)).toThrow(/^shape: /);
      }),
      { numRuns: RUNS },
    );
  });

  it("with more holes than entries is refused as soon as it is seen", () => {
    const endless = Object.assign([], { length: 4_000_000_000 });
    expect(() => demandOutcome(changedAt(outcome, ["compaction", "after"], endless))).toThrow("has holes");
  });
});
