/** A compaction is data: what JSON makes of it does to a transcript what it does itself, down to the bytes that are sent. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCompaction, createSession } from "../../src/index.ts";
import { type Compaction } from "../../src/core/compaction/compaction.ts";
import { createEngine } from "../../src/core/engines/engines.ts";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import { COMPRESSOR_DEFAULTS } from "../../src/core/engines/settings.ts";
import type { Transcript } from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";
import { chain, filler, measure } from "../support/compacting.ts";
import { bodies, RUNS, transcripts, WIRE_NAMES } from "../support/transcripts.ts";

const SETTINGS = { ...COMPRESSOR_DEFAULTS, contextLength: 2_000, protectFirstN: 1, protectLastN: 2 };

/** Fewer than the pure core's: each makes a whole compaction, and what JSON loses of one it loses of nearly all. */
const COMPACTIONS = Math.ceil(RUNS / 5);

const throughJson = (compaction: Compaction): Compaction => JSON.parse(JSON.stringify(compaction)) as Compaction;

async function compactionOf(name: string, transcript: Transcript): Promise<Compaction | undefined> {
  const engine = createEngine(name, SETTINGS);
  const request = {
    measure,
    chain,
    reason: "explicit",
    budget: Math.ceil(measure.transcript(transcript) * 0.6),
  } as const;
  const outcome = await engine.compact(engine.init(), transcript, request);
  return outcome.kind === "compacted" ? outcome.compaction : undefined;
}

/** Without the white space between values: what is between two messages belongs to neither. */
const compact = (body: string): string => JSON.stringify(JSON.parse(body));

describe("a compaction that went through JSON", () => {
  const engines = fc.constantFrom(...ENGINE_NAMES);

  it("is the same data", async () => {
    await fc.assert(
      fc.asyncProperty(transcripts(), engines, async (transcript, name) => {
        const compaction = await compactionOf(name, transcript);
        if (compaction !== undefined) expect(throughJson(compaction)).toEqual(compaction);
      }),
      { numRuns: COMPACTIONS },
    );
  });

  it.each(WIRE_NAMES)("gives the same messages of %s, byte for byte", async (protocol) => {
    let compacted = 0;
    await fc.assert(
      fc.asyncProperty(bodies(protocol), engines, async ({ text }, name) => {
        const decoded = protocols[protocol].decode(text);
        const compaction = await compactionOf(name, decoded.transcript);
        if (compaction === undefined) return;
        compacted++;
        const applied = applyCompaction(decoded.transcript, compaction);
        const again = applyCompaction(decoded.transcript, throughJson(compaction));
        expect(again).toEqual(applied);
        const { splice, format } = protocols[protocol];
        expect(format(again.messages)).toBe(format(applied.messages));
        expect(compact(splice(decoded, again))).toBe(compact(splice(decoded, applied)));
      }),
      { numRuns: COMPACTIONS },
    );
    expect(compacted).toBeGreaterThan(COMPACTIONS / 50);
  });

  it("is the one that a session hands to its host", async () => {
    const session = createSession({ settings: { contextLength: 8_000 } });
    const messages = Array.from({ length: 12 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: filler(800, `part${at}`),
    }));
    const { compaction } = await session.prepare({ messages });
    expect(throughJson(compaction!)).toEqual(compaction);
  });
});
