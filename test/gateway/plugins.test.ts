/** The gateway with a plugin for an engine: used while it is sound; contained, told and still answering when it is not. */
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../src/gateway/operation/metrics.ts";
import { loadEngine, type PluginSource } from "../../src/plugins/load.ts";
import type { PluginLimits } from "../../src/plugins/limits.ts";
import { engineSource, pluginShelf } from "../support/plugins.ts";
import { ask, bodyOf, worked, type Told } from "./support/asking.ts";
import { atEnd, stand } from "./support/standing.ts";

const WINDOW_TOKENS = 12_000;

async function standWith(source: string, limits: Partial<PluginLimits> = {}) {
  const shelf = pluginShelf();
  shelf.write("mine", source);
  const engine = loadEngine("mine", { folders: [shelf.path], limits }) as PluginSource;
  const standing = await stand({
    provider: { every: { windowTokens: WINDOW_TOKENS } },
    gateway: { engine, contextLength: WINDOW_TOKENS },
  });
  atEnd(async () => {
    await engine.close();
    shelf.remove();
  });
  const asked = (steps: number): Promise<Told> =>
    ask(standing.url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("notes", steps)) });
  return { ...standing, asked };
}

describe("a plugin behind the gateway", () => {
  it("compacts what passes", async () => {
    const { asked, events } = await standWith(engineSource({}));
    const answer = await asked(18);
    expect(answer.status).toBe(200);
    expect(answer.treatment).toMatch(/^rewritten;.*fresh$/);
    expect(answer.headers.get("x-precis-disabled-engine")).toBeNull();
    expect(events.filter(({ kind }) => kind === "compaction")).toMatchObject([{ degraded: [] }]);
  });

  it.each([
    ["throws", { compact: "() => { throw new Error('the words of the user') }" }],
    ["never returns from compacting", { compact: "() => { for (;;); }" }],
    ["never returns from deciding", { decide: "() => { for (;;); }", compact: "() => { for (;;); }" }],
    ["dies", { compact: "() => process.exit(1)" }],
    [
      "loses the tool results",
      {
        compact:
          "async (s, t, r) => droppingMiddle(t, r, (one) => ({ ...one, after: t.messages.filter(({ role }) => role !== 'tool') }))",
      },
    ],
  ])("that %s is contained: the session goes on, and all are told", async (_, methods) => {
    const { asked, events } = await standWith(engineSource(methods), { decideMs: 500, compactMs: 500 });
    const metrics = createMetrics({ upstreams: ["openai"], processMetrics: false });
    for (const steps of [18, 19]) {
      const answer = await asked(steps);
      expect(answer.status).toBe(200);
      expect(answer.treatment).toMatch(/^rewritten;/);
      expect(answer.headers.get("x-precis-disabled-engine")).toBe("mine");
    }
    await expect.poll(() => events.filter(({ kind }) => kind === "request").length).toBe(2);
    for (const event of events) metrics.onEvent(event);
    const notices = events.filter((event) => event.kind === "notice" && event.code === "engine_disabled");
    expect(notices).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain("the words of the user");
    expect(events.filter(({ kind }) => kind === "request")).toMatchObject([
      { disabledEngine: "mine" },
      { disabledEngine: "mine" },
    ]);
    expect(events.find(({ kind }) => kind === "compaction")).toMatchObject({
      degraded: [expect.stringContaining("instead of mine") as string],
    });
    expect(await metrics.text()).toContain('precis_notices_total{code="engine_disabled"} 1');
  });
});
