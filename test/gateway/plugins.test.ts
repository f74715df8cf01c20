/** The gateway with a plugin for an engine: used while it is sound; contained, told and still answering when it is not. */
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../src/gateway/operation/metrics.ts";
import { loadEngine, type PluginSource } from "../../src/plugins/load.ts";
import type { PluginLimits } from "../../src/plugins/fault.ts";
import { engineSource, pluginShelf } from "../support/plugins.ts";
import type { ProviderOptions } from "../../provider/src/provider.ts";
import { agentOf } from "./recall/support/agents.ts";
import { lastTold, scripted } from "./recall/support/scene.ts";
import { SDK_PROTOCOLS, type SdkProtocol } from "./recall/support/sdk-protocols.ts";
import { ask, bodyOf, worked, type Told } from "./support/asking.ts";
import { atEnd, stand } from "./support/standing.ts";

const WINDOW_TOKENS = 12_000;

async function standWith(source: string, limits: Partial<PluginLimits> = {}, script?: ProviderOptions["script"]) {
  const shelf = pluginShelf();
  shelf.write("mine", source);
  const engine = loadEngine("mine", { folders: [shelf.path], limits }) as PluginSource;
  const standing = await stand({
    provider: { every: { windowTokens: WINDOW_TOKENS }, ...(script === undefined ? {} : { script }) },
    gateway: { engine, contextLength: WINDOW_TOKENS },
  });
  atEnd(async () => {
    await engine.close();
    shelf.remove();
  });
  const agent = (protocol: SdkProtocol, stream: boolean) =>
    agentOf({ url: standing.url, protocol, stream, history: worked("notes", 18) });
  const asked = (steps: number): Promise<Told> =>
    ask(standing.url, { protocol: "openai-chat", body: bodyOf("openai-chat", worked("notes", steps)) });
  return { ...standing, asked, agent };
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

/** A tool that gives back the beginning of an original. */
const TOOLS = {
  tools:
    "() => [{ name: 'notes_open', description: 'Opens a note.', parameters: { type: 'object', properties: { id: { type: 'string' } } } }]",
  callTool: `async (state, call, sources) => {
    const { id } = JSON.parse(call.arguments);
    const text = await sources.original(id);
    if (text === undefined) return { text: "There is no such note.", quotes: [], isError: true };
    return { text: "NOTE " + text.slice(0, 200), quotes: [] };
  }`,
};
const opening = (id: string) => ({ calls: [{ name: "notes_open", arguments: { id } }] });
const idIn = (body: unknown): string => /recall (r[0-9a-f]{9})/.exec(JSON.stringify(body))![1]!;

describe("a plugin's tools behind the gateway", () => {
  it.each(SDK_PROTOCOLS.flatMap((protocol) => [true, false].map((stream) => ({ protocol, stream }))))(
    "are offered and answered unseen: $protocol, streamed $stream",
    async ({ protocol, stream }) => {
      const told: string[] = [];
      const script = scripted(
        ({ body }) => opening(idIn(body)),
        (asked) => {
          told.push(lastTold(asked));
          return { text: "Read." };
        },
      );
      const { agent, provider, events } = await standWith(engineSource(TOOLS), {}, script);
      expect(await agent(protocol, stream).ask()).toMatchObject({ text: "Read.", calls: [] });
      expect(told[0]!.includes("NOTE ")).toBe(true);
      const [first] = provider.requests;
      expect(first!.body).toContain('"notes_open"');
      expect(first!.body).not.toContain('"precis_recall"');
      expect(events.filter(({ kind }) => kind === "recall")).toMatchObject([{ tool: "notes_open", found: true }]);
      expect(provider.account().total.rejected).toEqual({});
    },
  );

  it.each([
    ["throws", { ...TOOLS, callTool: "async () => { throw new Error('the words of the user') }" }],
    ["never returns", { ...TOOLS, callTool: "() => { for (;;); }" }],
    ["answers nothing", { ...TOOLS, callTool: "async () => undefined" }],
  ])("a call that %s is answered in words, and the turn goes on", async (_, methods) => {
    const told: string[] = [];
    const script = scripted(opening("r000000000"), (asked) => {
      told.push(lastTold(asked));
      return { text: "Without it." };
    });
    const { agent, events } = await standWith(engineSource(methods), { toolMs: 300 }, script);
    expect((await agent("openai-chat", false).ask()).text).toBe("Without it.");
    expect(told[0]).toContain("It cannot be read right now.");
    expect(JSON.stringify(events)).not.toContain("the words of the user");
  });

  it("that no protocol takes put the engine out of service", async () => {
    const tools = "() => [{ name: 'two words', description: 'x', parameters: {} }]";
    const { asked } = await standWith(engineSource({ ...TOOLS, tools }));
    expect((await asked(18)).headers.get("x-precis-disabled-engine")).toBe("mine");
  });
});
