/**
 * Beside a system prompt that fills most of the window, a result that the model has not read yet stays whole wherever it fits
 * within the limit together with its request and a short handoff: it is not cut only so that the handoff may be longer.
 */
import { describe, expect, it } from "vitest";
import { setupFigures } from "../../bench/schedule/grid.ts";
import type { EngineName } from "../../src/core/engines/names.ts";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import { resultOf, textMessage, type Message } from "../../src/core/transcript/message.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, ran, says, user } from "../support/compacting.ts";

const SETUP = { windowTokens: 128_000, outputTokens: 32_000, fixedShare: 0.6 };
/** What a handoff takes at least, with some room for estimates. */
const HANDOFF_TOKENS = 500;
const ENGINES: readonly EngineName[] = ["compressor", "sacred-zone", "handoff", "layered", "lossless", "stepped"];
const measure = createMeasure();
const system = [textMessage("system", filler(78_300, "rules"))];
const earlier = Array.from({ length: 12 }, (_, at) => [
  says(`Part ${at} comes next.`),
  ...ran("read_file", { path: `src/part_${at}.ts` }, filler(900, `part${at}`)),
]).flat();

function sessionWith(unreadTokens: number): {
  readonly messages: readonly Message[];
  readonly unread: readonly Message[];
} {
  const unread = ran("read_file", { path: "src/newest.ts" }, filler(unreadTokens, "newest"));
  return { messages: [user("Tidy the module."), ...earlier, ...unread], unread };
}

describe.each(ENGINES)("%s", (engine) => {
  it("keeps an unread result whole beside a short handoff", async () => {
    const { limitTokens } = setupFigures(SETUP, 0);
    const fixedTokens = measure.messages(system);
    const cut: number[] = [];
    let tried = 0;
    for (let tokens = 2_400; tokens < 5_200; tokens += 100) {
      const { messages, unread } = sessionWith(tokens);
      if (fixedTokens + HANDOFF_TOKENS + measure.messages([messages[0]!, ...unread]) > limitTokens) continue;
      tried++;
      const settings = { contextLength: SETUP.windowTokens, maxOutputTokens: SETUP.outputTokens };
      const { transcript } = await createRuntime({ engine, settings }).prepare({ system, messages });
      const sent = transcript.messages.map(resultOf).filter((result) => result !== undefined);
      if (JSON.stringify(sent.at(-1)!.content) !== JSON.stringify(resultOf(unread.at(-1)!)!.content)) cut.push(tokens);
    }
    expect(tried).toBeGreaterThan(8);
    expect(cut).toEqual([]);
  });
});
