/** Every parameter of every engine is a setting: declared once, given by a file or a program, and acted on. */
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../../src/config/defaults.ts";
import { toEngineSettings } from "../../../src/config/engine-settings.ts";
import { figureAt } from "../../../src/core/engines/window.ts";
import { createEngine, figuresOf } from "../../../src/core/engines/engines.ts";
import { ENGINE_NAMES } from "../../../src/core/engines/names.ts";
import {
  ENGINE_DEFAULTS,
  OWN_SETTINGS,
  type EngineSettings,
  type SettingsOfEngine,
} from "../../../src/core/engines/settings.ts";
import { createSession } from "../../../src/index.ts";
import { chain, filler, measure, ran, says, talk, user } from "../../support/compacting.ts";

const declared = Object.entries(OWN_SETTINGS) as [keyof typeof OWN_SETTINGS, SettingsOfEngine][];
const all = declared.flatMap(([engine, own]) =>
  Object.entries(own).map(([name, setting]) => ({ engine, name, setting })),
);

/** Files, which can be read again, and pages, of which a record tells what they showed. */
const looked = (at: number, shown: string) =>
  at % 5 === 0
    ? ran("read_file", { path: `src/part${at}.ts` }, shown)
    : ran("web_fetch", { url: `https://part${at}.example` }, shown);

const exchanges = (count: number, tokens: number) =>
  Array.from({ length: count }, (_, at) => [
    ...looked(at, filler(tokens, `part${at}`)),
    ...(at % 4 === 3 ? [says(`Part ${at} is done.`), user(`Now part ${at + 1}: ${filler(300, `wish${at}`)}`)] : []),
  ]).flat();
const session = talk(user("Mend the totals."), ...exchanges(40, 2_000), user("Go on."));

/** What an engine says of itself, and what it makes of conversations at several budgets. */
async function behaviour(engine: string, settings: EngineSettings): Promise<string> {
  const made = createEngine(engine, settings);
  const { triggerTokens, targetTokens } = made;
  const results = [];
  for (const request of [
    { reason: "threshold" },
    { reason: "budget", budget: 9_000 },
    { reason: "budget", budget: 2_500 },
  ] as const) {
    const outcome = await made.compact(made.init(), session, { measure, chain, now: 1, ...request });
    results.push(outcome.kind === "compacted" ? outcome.compaction.after : outcome.because);
  }
  return JSON.stringify([figureAt(triggerTokens, 0), figureAt(targetTokens, 0), results]);
}

/** Where the defaults of other settings hide what one does. */
const BESIDE: EngineSettings["engines"] = {
  "sacred-zone": { recentTokens: 2_000 },
  stepped: { protectedTokens: 5_000 },
  lossless: { leafTargetTokens: 15_000 },
};

/** What only shows in states or with a provider's answer, which no conversation here brings about. */
const NOT_SEEN_HERE = new Set([
  "sacred-zone summaryWords",
  "layered failuresMax",
  "handoff remoteUserTokens",
  "lossless condensedMinFanoutHard",
]);

describe("the settings of an engine", () => {
  it("are the defaults that a configuration states", () => {
    expect(toEngineSettings(DEFAULTS)).toEqual(ENGINE_DEFAULTS);
    expect(all.length).toBeGreaterThan(25);
  });

  it.each(all.map((one) => [`${one.engine} ${one.name}`, one] as const))(
    "%s makes a difference",
    { timeout: 60_000 },
    async (title, { engine, name, setting }) => {
      if (NOT_SEEN_HERE.has(title)) return;
      const changed = async (preset: "documented" | "current") => {
        const window = { contextLength: 100_000, maxOutputTokens: 25_000 };
        const settings = { ...ENGINE_DEFAULTS, ...window, preset, engines: BESIDE };
        const before = await behaviour(engine, settings);
        const values =
          setting.kind === "share"
            ? [0.1, 0.3]
            : [setting.min, 1, 2, 60, 150, 1_500, 4_000, 12_000].filter((value) => value >= setting.min);
        for (const value of values) {
          const engines = { [engine]: { ...BESIDE?.[engine], [name]: value } };
          if ((await behaviour(engine, { ...settings, engines })) !== before) return true;
        }
        return false;
      };
      expect((await changed("documented")) || (await changed("current"))).toBe(true);
    },
  );

  it("are taken by a session, and checked", () => {
    const settings = { engines: { lossless: { contextThreshold: 0.5 } } };
    expect(createSession({ engine: "lossless", settings }).report().thresholdTokens).toBe(100_000);
    const wrong = { engines: { lossless: { contextThreshold: 7 } } };
    expect(() => createSession({ engine: "lossless", settings: wrong })).toThrow(
      /settings\.engines\.lossless\.contextThreshold/,
    );
    const unknown = { engines: { lossless: { contextTreshold: 0.5 } } } as object;
    expect(() => createSession({ engine: "lossless", settings: unknown })).toThrow(/no option/);
  });

  it.each(ENGINE_NAMES.filter((name) => name !== "none"))("figures of %s say when it compacts", (name) => {
    const figures = figuresOf(name, ENGINE_DEFAULTS);
    const threshold = figures.find((figure) => figure.name === "threshold")!.tokens;
    const engine = createEngine(name, ENGINE_DEFAULTS);
    const at = (tokens: number): string => engine.decide(engine.init(), { tokens, messages: 50 }).kind;
    expect([at(threshold - 1), at(threshold + 1)]).toEqual(["none", "compact"]);
  });
});
