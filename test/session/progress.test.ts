/**
 * A compaction by itself frees a fifth of the room and is not made again before as much has come; what the model has not read
 * is not cut while it fits. Lived through turn by turn, by every engine, beside system prompts of any weight.
 */
import { describe, expect, it } from "vitest";
import type { CompactionReport } from "../../src/core/compaction/compaction.ts";
import { roomIn } from "../../src/core/engines/room.ts";
import { resultOf, textMessage, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, measure, ran, says, talk, user } from "../support/compacting.ts";
import { spread } from "../support/cases.ts";

const ENGINES = ["compressor", "sacred-zone", "handoff", "layered", "stepped", "lossless"] as const;
const WINDOW = 64_000;

const system = (tokens: number): readonly Message[] => [textMessage("system", filler(tokens, "rules"))];
const step = (at: number, tokens: number): Message[] =>
  ran("read_file", { path: `src/part_${at}.ts` }, filler(tokens, `part${at}`));

interface Life {
  readonly reports: readonly CompactionReport[];
  /** What came between two compactions, in tokens. */
  readonly grown: readonly number[];
  readonly postponed: readonly string[];
  /** Turns whose newest result did not go out whole. */
  readonly cut: number;
  readonly tooLarge: number;
}

interface Living {
  readonly engine: string;
  readonly fixedTokens: number;
  readonly maxOutputTokens?: number;
  readonly turns: number;
  readonly resultTokens: (turn: number) => number;
}

async function live({ engine, fixedTokens, maxOutputTokens = 0, turns, resultTokens }: Living): Promise<Life> {
  const runtime = createRuntime({ engine, settings: { contextLength: WINDOW, maxOutputTokens } });
  const life = {
    reports: [] as CompactionReport[],
    grown: [] as number[],
    postponed: [] as string[],
    cut: 0,
    tooLarge: 0,
  };
  runtime.on("postponed", ({ because }) => life.postponed.push(because));
  const rules = system(fixedTokens);
  let messages: Message[] = [user("Tidy the module. Keep port 8443.")];
  let last = 0;
  for (let turn = 0; turn < turns; turn++) {
    messages = [...messages, ...step(turn, resultTokens(turn))];
    const transcript: Transcript = { system: rules, messages };
    const prepared = await runtime.prepare(transcript);
    const newest = prepared.transcript.messages.findLast((message) => resultOf(message) !== undefined);
    if (JSON.stringify(newest?.parts) !== JSON.stringify(messages.at(-1)!.parts)) life.cut++;
    if (!prepared.fits) life.tooLarge++;
    if (prepared.compaction === undefined) continue;
    life.reports.push(prepared.compaction.report);
    if (last > 0) life.grown.push(measure.messages(messages.slice(last)));
    last = messages.length;
  }
  return life;
}

/** One tick of the estimate, and the message at the edge. */
const TOLERANCE_TOKENS = 200;

describe.each(spread(ENGINES, 2))("by %s", (engine) => {
  it.each([0, 0.2, 0.4, 0.57])(
    "with system and tools at %f of the window, each compaction is worth it",
    async (share) => {
      const fixedTokens = Math.floor(WINDOW * share);
      const { limitTokens } = roomIn({ contextLength: WINDOW, maxOutputTokens: 0 }, fixedTokens);
      const life = await live({
        engine,
        fixedTokens,
        turns: 60,
        resultTokens: (turn) => (turn % 7 === 3 ? 2_400 : 900),
      });
      const least = (limitTokens - fixedTokens) / 5 - TOLERANCE_TOKENS;
      expect(life.reports.length).toBeGreaterThan(0);
      for (const { tokens } of life.reports) expect(tokens.before - tokens.after).toBeGreaterThan(least);
      for (const grown of life.grown) expect(grown).toBeGreaterThan(least);
      expect([life.cut, life.tooLarge]).toEqual([0, 0]);
    },
  );

  it("with system and tools at 0.85 of the window, says once that it cannot help, and does not try each turn", async () => {
    const fixedTokens = Math.floor(WINDOW * 0.85);
    const life = await live({ engine, fixedTokens, turns: 24, resultTokens: () => 250 });
    expect(life.reports.length).toBeLessThanOrEqual(3);
    // Those whose own moment is later have not come to it.
    const comes = engine === "handoff" || engine === "stepped" ? 0 : 1;
    expect(life.postponed).toHaveLength(comes);
    for (const because of life.postponed)
      expect(because).toMatch(/^system prompt and tools take [\d,]+ tokens, 8\d % of the window of 64,000: /);
    expect(life.cut).toBe(0);
  });

  it("with an answer of half of the window, compacts as seldom", async () => {
    const life = await live({
      engine,
      fixedTokens: 8_000,
      maxOutputTokens: WINDOW,
      turns: 30,
      resultTokens: () => 900,
    });
    // 27,000 tokens through a room of 19,000.
    expect(life.reports.length).toBeLessThanOrEqual(4);
    expect([life.cut, life.tooLarge]).toEqual([0, 0]);
  });

  it("shows a result whole that the model has not read, as long as that fits below the limit", async () => {
    const fixedTokens = 20_000;
    const large = { ...talk(user("Begin."), ...step(0, 6_000), says("Read.")), system: system(fixedTokens) };
    const messages = [...large.messages, ...[1, 2, 3].flatMap((at) => step(at, 6_000)), ...step(4, 24_000)];
    const runtime = createRuntime({ engine, settings: { contextLength: WINDOW } });
    const prepared = await runtime.prepare({ ...large, messages });
    expect(prepared.compaction).toBeDefined();
    expect(prepared.transcript.messages.at(-1)!.parts).toEqual(messages.at(-1)!.parts);
    expect(prepared.fits).toBe(true);
  });
});

describe("engine handoff, where a person's words are most of the conversation", () => {
  const talked = (words: number): Transcript =>
    talk(
      ...Array.from({ length: 60 }, (_, at) => [
        user(filler(words, `ask${at}`)),
        ...step(at, 1_400 - words),
        says(`${at}`),
      ]).flat(),
      user("Last."),
    );

  it.each([900, 1_100, 1_250, 1_350])(
    "keeps as many of the newest as there is room for: %i of 1,400 tokens",
    async (words) => {
      const transcript = talked(words);
      const contextLength = Math.ceil(measure.transcript(transcript) / 0.92);
      const { compaction, transcript: sent } = await createRuntime({
        engine: "handoff",
        settings: { contextLength },
      }).prepare(transcript);
      const kept = sent.messages.filter((message) => message.role === "user" && transcript.messages.includes(message));
      expect(kept.length).toBeGreaterThan(30);
      expect(compaction!.report.tokens.after).toBeGreaterThan(contextLength * 0.4);
    },
  );
});

describe("engine none", () => {
  it("promises no compaction", async () => {
    const runtime = createRuntime({ engine: "none", settings: { contextLength: WINDOW } });
    const said: string[] = [];
    for (const event of ["pressure", "postponed", "degraded"] as const) runtime.on(event, () => void said.push(event));
    for (const turns of [10, 40, 60, 80]) {
      const messages = Array.from({ length: turns }, (_, at) => step(at, 900)).flat();
      await runtime.prepare(talk(user("Begin."), messages));
    }
    expect(said).toEqual([]);
    expect(runtime.report().timing).not.toHaveProperty("compactsAtTokens");
    expect(runtime.report().compactions).toBe(0);
  });
});
