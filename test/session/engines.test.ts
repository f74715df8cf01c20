/** A session that lives with each engine: it grows past its window turn by turn, is restarted in between, and loses nothing. */
import { describe, expect, it } from "vitest";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import { violationsOf } from "../../src/core/transcript/oracle.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { filler, ran, talk, user } from "../support/compacting.ts";

const WINDOW_TOKENS = 30_000;
const STEPS = 40;

const whole = talk(
  user("Tidy the module. Never touch src/public.ts."),
  ...Array.from({ length: STEPS }, (_, at) => ran("read_file", { path: `src/p${at}.ts` }, filler(1_400, `p${at}`))),
);

describe.each(ENGINE_NAMES.filter((name) => name !== "none"))("a session with %s", (engine) => {
  it("stays within its window, through restarts, and can recall all that left", async () => {
    const store = createMemoryStore();
    const settings = { contextLength: WINDOW_TOKENS };
    let runtime = createRuntime({ store, engine, settings });
    const ids = new Set<string>();
    let compactions = 0;
    for (let end = 1; end <= whole.messages.length; end += 2) {
      const sent = await runtime.prepare({ ...whole, messages: whole.messages.slice(0, end) });
      expect(sent.fits).toBe(true);
      expect(violationsOf(sent.transcript)).toEqual([]);
      if (sent.compaction === undefined) continue;
      compactions++;
      expect(sent.compaction.report.engine).toBe(engine);
      for (const { id } of sent.compaction.evicted) ids.add(id);
      // Another process goes on from what the store holds.
      runtime = createRuntime({ store, engine, settings });
    }
    expect(compactions).toBeGreaterThan(1);
    expect(compactions).toBeLessThan(STEPS / 2);
    for (const id of ids) expect((await runtime.recall(id)).map(({ text }) => text.length > 0)).toEqual([true]);
  });
});

describe("a session with none", () => {
  it("sends every conversation as it came", async () => {
    const sent = await createRuntime({ engine: "none", settings: { contextLength: WINDOW_TOKENS } }).prepare(whole);
    expect(sent.transcript).toBe(whole);
    expect(sent.fits).toBe(false);
  });
});
