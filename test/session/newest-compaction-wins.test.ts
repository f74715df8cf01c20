/** The newest compaction is the one in force, however far each compaction reaches. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/transcript/message.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, ran, says, user } from "../support/compacting.ts";
import { RUNS } from "../support/cases.ts";

const WINDOW = 9_000;
const rounds = fc.array(
  fc.record({
    resultTokens: fc.constantFrom(40, 400, 900, 2_500),
    results: fc.integer({ min: 1, max: 3 }),
    asks: fc.boolean(),
    reminds: fc.boolean(),
  }),
  { minLength: 4, maxLength: 16 },
);

const runtime = () => createRuntime({ settings: { contextLength: WINDOW, threshold: 0.5, note: "handoff" } });
const text = (messages: readonly Message[]): string => JSON.stringify(messages.map(({ role, parts }) => [role, parts]));

/** Calls side by side, and their results. */
function called(ids: readonly string[], resultTokens: number): Message[] {
  const pairs = ids.map((id) => ran("read", { id }, filler(resultTokens, id), id));
  return [{ role: "assistant", parts: pairs.flatMap(([call]) => call!.parts) }, ...pairs.map(([, result]) => result!)];
}

describe("the newest compaction", () => {
  it("is found for the same conversation, and for one that goes on", async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (drawn) => {
        const { prepare, standing } = runtime();
        let messages: readonly Message[] = [user("Read all of it.")];
        for (const [at, { resultTokens, results, asks, reminds }] of drawn.entries()) {
          messages = [
            ...messages,
            ...called(
              Array.from({ length: results }, (_, one) => `c${at}_${one}`),
              resultTokens,
            ),
          ];
          if (reminds) messages = [...messages, user("<system-reminder>Stay on course.</system-reminder>")];
          if (asks) messages = [...messages, says("Done."), user(`Now the next one, ${at}.`)];
          const prepared = await prepare({ system: [], messages });
          const again = await standing({ system: [], messages });
          expect(text(again.transcript.messages) === text(prepared.transcript.messages)).toBe(true);
          const later = await standing({ system: [], messages: [...messages, says("More."), user("Go on.")] });
          expect(text(later.transcript.messages).startsWith(text(prepared.transcript.messages).slice(0, -1))).toBe(
            true,
          );
        }
      }),
      { numRuns: Math.ceil(RUNS / 8) },
    );
  });

  it("stands also where the one before it reached as far", async () => {
    const { prepare, recover, standing } = runtime();
    const ids = Array.from({ length: 14 }, (_, at) => `c${at}`);
    const working = [user("Read all of it."), ...called(ids, 1_200)];
    const first = await prepare({ system: [], messages: working });
    expect(first.compaction?.covered).toBe(working.length);
    const whole = { system: [], messages: [...working, says("Done."), user("Now the next one.")] };
    const second = await recover({ kind: "context", limitTokens: 4_000 }, whole);
    expect(second!.tokens).toBeLessThan(first.tokens);
    expect(second!.transcript.messages.slice(-2)).toEqual(whole.messages.slice(-2));
    expect(text(second!.transcript.messages) === text((await standing(whole)).transcript.messages)).toBe(true);
  });

  it("takes the place of one for the very same conversation", async () => {
    const { prepare, recover, standing } = runtime();
    const ids = Array.from({ length: 14 }, (_, at) => `c${at}`);
    const messages = [user("Read all of it."), ...called(ids, 1_200)];
    const transcript = { system: [], messages };
    const first = await prepare(transcript);
    expect(first.compaction).toBeDefined();
    const again = await recover({ kind: "context", limitTokens: 4_000 }, transcript);
    expect(again!.tokens).toBeLessThan(first.tokens);
    expect(text((await standing(transcript)).transcript.messages) === text(again!.transcript.messages)).toBe(true);
  });
});
