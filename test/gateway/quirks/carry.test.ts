/** What is carried into a compaction changes nothing else about it, and outlives a process. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, type Compaction } from "../../../src/core/compaction/compaction.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { carryThinking, holdsThinking, withoutThinking } from "../../../src/gateway/quirks/thinking.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type Decoded } from "../../../src/protocols/protocol.ts";
import { decodeCompaction, encodeCompaction } from "../../../src/store/record.ts";
import { chain, live, measure, type UserTurn } from "./thinking-agent.ts";

const protocol = protocols["anthropic-messages"];
/** A run is a whole session. */
const RUNS = Math.ceil(Number(process.env["PRECIS_TEST_RUNS"] ?? 500) / 40);

const anyTurn: fc.Arbitrary<UserTurn> = fc.record({
  mode: fc.constantFrom("enabled", "adaptive"),
  rounds: fc.array(fc.record({ calls: fc.integer({ min: 1, max: 2 }), thinks: fc.boolean(), says: fc.boolean() }), {
    minLength: 2,
    maxLength: 9,
  }),
  reminds: fc.boolean(),
  counts: fc.boolean(),
  resultTokens: fc.constantFrom(300, 900, 4_000),
  thoughtTokens: fc.constantFrom(5, 80, 2_500),
});

/** Messages without what this is about, and without the bytes they came from. */
const bare = (messages: readonly Message[]): string =>
  JSON.stringify(
    withoutThinking({ system: [], messages }).messages.map(({ role, parts, origin }) => ({ role, parts, origin })),
  );

function check(made: Compaction, recorded: Compaction, request: Decoded): void {
  const original = request.transcript;
  const before = applyCompaction(original, made);
  const after = applyCompaction(original, recorded);
  expect(violationsOf(after, protocol.rules)).toEqual([]);
  expect(bare(after.messages) === bare(before.messages)).toBe(true);
  const { covered, covers, map, report } = recorded;
  expect(covered).toBeGreaterThanOrEqual(made.covered);
  expect(covers).toBe(chain.linksOf(original.messages)[covered - 1]);
  expect(map).toHaveLength(covered);
  const places = map.flatMap((to, at) => {
    if (!("at" in to)) return [];
    expect(recorded.after[to.at] === original.messages[at]).toBe(to.kind === "kept");
    return [to.at];
  });
  expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
  expect(report.tokens.after).toBe(measure.transcript(after));
  const count = (kind: string): number => map.filter((to) => to.kind === kind).length;
  expect(report.messages).toMatchObject({
    after: after.messages.length,
    edited: count("edited"),
    summarised: count("summarised"),
    kept: original.messages.length - count("edited") - count("summarised"),
  });
  expect(carryThinking(recorded, original, { chain, measure })).toBe(recorded);

  const text = protocol.splice(request, after);
  const kept = decodeCompaction(encodeCompaction(recorded))!;
  const elsewhere = protocol.decode(request.body);
  expect(protocol.splice(elsewhere, applyCompaction(elsewhere.transcript, kept)) === text).toBe(true);
  const blocks = (messages: unknown): string[] =>
    (messages as { content: unknown }[])
      .flatMap(({ content }) => (Array.isArray(content) ? (content as { type: string }[]) : []))
      .filter(({ type }) => type === "thinking")
      .map((block) => JSON.stringify(block));
  const came = new Set(blocks((JSON.parse(request.body) as { messages: unknown }).messages));
  for (const block of blocks((JSON.parse(text) as { messages: unknown }).messages)) expect(came.has(block)).toBe(true);
}

describe("carrying", () => {
  it("changes nothing but thinking, keeps every invariant, and survives the store", async () => {
    const seen = { compactions: 0, carried: 0, restored: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTurn, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(5_000, 9_000),
        async (turns, contextLength) => {
          const { refusals } = await live({
            model: "claude-opus-5-5",
            turns,
            contextLength,
            carries: true,
            steers: true,
            seen: (made, recorded, request) => {
              check(made, recorded, request);
              const opaque = recorded.after.some(({ parts }) => parts.some(({ kind }) => kind === "opaque"));
              seen.compactions++;
              if (opaque) seen.carried++;
              else if (recorded !== made) seen.restored++;
            },
          });
          expect(refusals).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
    expect(seen.carried).toBeGreaterThan(RUNS / 10);
    expect(seen.restored).toBeGreaterThan(0);
    expect(seen.compactions).toBeGreaterThan(seen.carried);
  });

  it("has nothing to do between turns, and for a turn that does not think", async () => {
    const rounds = Array.from({ length: 8 }, () => ({ calls: 1, thinks: false, says: true }));
    const turn: UserTurn = { mode: "off", rounds, reminds: false, resultTokens: 900, thoughtTokens: 5 };
    let compactions = 0;
    await live({
      model: "claude-sonnet-4-5",
      turns: [turn],
      carries: true,
      seen: (made, recorded, request) => {
        expect(recorded).toBe(made);
        expect(holdsThinking(request.transcript.messages)).toBe(false);
        compactions++;
      },
    });
    expect(compactions).toBeGreaterThan(0);
  });
});
