/** Where markers go: the documented strategy, ours, what the client set, and the rules that no plan breaks. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MARKERS_MAX,
  planMarkers,
  type MarkerWishes,
  type CacheSite,
  type Ttl,
} from "../../../src/core/caching/breakpoints.ts";
import type { Role } from "../../../src/core/transcript/message.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);

const WISHES: MarkerWishes = { strategy: "spaced", ttl: "5m", headMessages: 3, systemChanged: false };

/** A message as a letter and its blocks: `u1 a2 t1`; in capitals, its last block can carry no marker. */
function sitesOf(text: string): CacheSite[] {
  const roles: Readonly<Record<string, Role>> = { s: "system", u: "user", a: "assistant", t: "tool" };
  let message = 0;
  return text.split(" ").flatMap((word): CacheSite[] => {
    const letter = word[0]!.toLowerCase();
    const blocks = Number(word.slice(1));
    const bare = word[0] !== letter;
    if (letter === "d") return Array.from({ length: blocks }, () => ({ section: "tools", message: -1, carries: true }));
    const inMessages = letter !== "s" || message > 0;
    const own = inMessages ? message++ : -1;
    return Array.from({ length: blocks }, (_, at) => ({
      section: inMessages ? ("messages" as const) : ("system" as const),
      message: own,
      role: roles[letter]!,
      carries: !(bare && at === blocks - 1),
    }));
  });
}

function marked(text: string, wishes: Partial<MarkerWishes> = {}): readonly number[] {
  return [...planMarkers(sitesOf(text), { ...WISHES, ...wishes }).keys()].toSorted((one, other) => one - other);
}

describe("system_and_3, as the Hermes Agent docs have it", () => {
  const plan = (text: string): readonly number[] => marked(text, { strategy: "system_and_3" });

  it("marks the system prompt and the last three messages, each on its last block", () => {
    expect(plan("s1 u1 a1 t1 a2 t1 u1")).toEqual([0, 5, 6, 7]);
    expect(plan("d2 s2 u1 a3 u2")).toEqual([3, 4, 7, 9]);
  });

  it("marks fewer where there are fewer", () => {
    expect(plan("s1 u1")).toEqual([0, 1]);
    expect(plan("u1 a1")).toEqual([0, 1]);
    expect(plan("s1")).toEqual([0]);
  });

  it("takes the nearest earlier block for a message that cannot carry one, and three of them all the same", () => {
    expect(plan("s1 u1 a1 t1 A1 U1")).toEqual([0, 1, 2, 3]);
    expect(plan("s1 u2 a1 t1 U2")).toEqual([0, 3, 4, 5]);
    expect(plan("s1 u1 a1 T1 T1 T1")).toEqual([0, 1, 2]);
    expect(plan("S1 U1 A1")).toEqual([]);
  });

  it("counts no system message among the three, and marks none in the middle", () => {
    expect(plan("s1 u1 a1 u1 s1 a1 s1")).toEqual([0, 2, 3, 5]);
    expect(plan("s1 u1 a1 s1 U1 A1")).toEqual([0, 1, 2]);
  });

  it("marks no tools, and a beginning of any length", () => {
    expect(plan("d2 u1 a1 u1 a1")).toEqual([3, 4, 5]);
    const short = { strategy: "system_and_3", minimumTokens: 1_024, tokensTo: () => 10 } as const;
    expect(marked("s1 u1 a1 t1 u1", short)).toEqual([0, 2, 3, 4]);
  });
});

describe("spaced", () => {
  it("marks the stable beginning, this request's end, the head and the end of the request before", () => {
    expect(marked("d3 s1 u1 a1 t1 a1 t1 a1 t1")).toEqual([3, 6, 8, 10]);
  });

  it("marks tools where the system prompt changes", () => {
    expect(marked("d3 s1 u1 a1 t1 a1 t1 a1 t1", { systemChanged: true })).toEqual([2, 3, 6, 10]);
  });

  it("keeps every marker within a look back of the next where a turn is long", () => {
    const plan = marked("s1 u1 a1 t1 a20 t1 t1 t1 t1 t1 t1 t1 t1 t1");
    expect(plan[0]).toBe(0);
    expect(plan).toContain(3);
    expect(plan.at(-1)).toBe(32);
    expect(plan).toHaveLength(MARKERS_MAX);
  });

  it("leaves the beginning to a client that marked any of it", () => {
    const sites = sitesOf("d1 s2 u1 a1 t1");
    sites[1] = { ...sites[1]!, marker: "5m" };
    const plan = planMarkers(sites, WISHES);
    expect([...plan.keys()].toSorted()).toEqual([1, 3, 5]);
  });

  it("takes away what an older request left", () => {
    const sites = sitesOf("s1 u1 a1 t1 u1 a1 t1 a1 t1");
    sites[4] = { ...sites[4]!, marker: "5m", stale: true };
    expect(planMarkers(sites, WISHES).has(4)).toBe(false);
  });

  it("wastes none on a beginning too short to be cached", () => {
    const tokensTo = (at: number): number => (at === 0 ? 300 : 5_000);
    expect(marked("s1 u1 a1 t1 a1 t1", { tokensTo, minimumTokens: 1_024 })).not.toContain(0);
  });
});

it("anchors mark what survives a compaction", () => {
  expect(marked("s1 u1 a1 t1 a1 t1 a1 t1", { strategy: "anchors" })).toEqual([0, 3]);
});

const anySite = fc.record({
  blocks: fc.integer({ min: 1, max: 30 }),
  role: fc.constantFrom<Role>("user", "assistant", "tool"),
  carries: fc.boolean(),
  marker: fc.option(fc.constantFrom<Ttl>("5m", "1h"), { nil: undefined, freq: 12 }),
  stale: fc.boolean(),
});

function anySites(): fc.Arbitrary<CacheSite[]> {
  return fc
    .record({ tools: fc.integer({ max: 3, min: 0 }), system: fc.integer({ max: 2, min: 0 }), rest: fc.array(anySite) })
    .map(({ tools, system, rest }) => [
      ...Array.from({ length: tools }, (): CacheSite => ({ section: "tools", message: -1, carries: true })),
      ...Array.from({ length: system }, (): CacheSite => ({
        section: "system",
        message: -1,
        role: "system",
        carries: true,
      })),
      ...rest.flatMap(({ blocks, role, carries, marker, stale }, message) =>
        Array.from({ length: blocks }, (_, at): CacheSite => {
          const last = at === blocks - 1;
          return {
            section: "messages",
            message,
            role,
            carries: carries || !last,
            ...(last && marker !== undefined && carries ? { marker, ...(stale ? { stale } : {}) } : {}),
          };
        }),
      ),
    ]);
}

describe("no plan", () => {
  it("has a fifth marker, one where none can stand, a longer lifetime behind a shorter, or less than the client set", () => {
    fc.assert(
      fc.property(
        anySites(),
        fc.constantFrom("spaced" as const, "system_and_3" as const, "anchors" as const),
        fc.constantFrom<Ttl>("5m", "1h"),
        fc.boolean(),
        (sites, strategy, ttl, systemChanged) => {
          const plan = planMarkers(sites, { strategy, ttl, headMessages: 3, systemChanged });
          const own = sites.filter(({ marker, stale }) => marker !== undefined && stale !== true).length;
          expect(plan.size).toBeLessThanOrEqual(Math.max(MARKERS_MAX, own));
          sites.forEach(({ marker, stale, carries }, at) => {
            if (marker !== undefined && stale !== true) expect(plan.get(at)).toBe(marker);
            else if (plan.has(at)) expect(carries).toBe(true);
          });
          const added = [...plan].filter(([at]) => sites[at]!.marker === undefined || sites[at]!.stale === true);
          for (const [at, lifetime] of added) {
            const later = [...plan].filter(([other, one]) => other > at && one === "1h" && lifetime === "5m");
            const earlier = [...plan].filter(([other, one]) => other < at && one === "5m" && lifetime === "1h");
            expect([later, earlier]).toEqual([[], []]);
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
