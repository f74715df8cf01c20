/** What follows from a configuration is told of the engine that runs: its figures, and what is set for another. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { computedValues, findWarnings } from "../../src/config/computed.ts";
import { schema, type Configuration } from "../../src/config/schema.ts";
import { createEngine } from "../../src/core/engines/engines.ts";
import { ENGINE_NAMES } from "../../src/core/engines/names.ts";
import { toEngineSettings } from "../../src/config/engine-settings.ts";
import { settingAt } from "../../src/config/settings.ts";
import { precisHere } from "../cli/precis.ts";

const configured = (yaml: string): Configuration => schema.parse(parse(yaml));
const figures = (configuration: Configuration): Readonly<Record<string, number>> =>
  Object.fromEntries(computedValues(configuration).map(({ name, tokens }) => [name, tokens]));
const unused = (configuration: Configuration): readonly string[] =>
  findWarnings(configuration).flatMap(({ code, path }) => (code === "setting_unused" ? path : []));

describe("the figures of a configuration", () => {
  it.each(ENGINE_NAMES.filter((name) => name !== "none"))("are those of %s where it runs", (name) => {
    const configuration = configured(`{ context: { engine: ${name} }, model: { context_length: 180000 } }`);
    const { threshold = 0 } = figures(configuration);
    const engine = createEngine(name, toEngineSettings(configuration));
    const at = (tokens: number): string => engine.decide(engine.init(), { tokens, messages: 50 }).kind;
    expect([at(threshold - 1), at(threshold + 1)]).toEqual(["none", "compact"]);
    for (const { from } of computedValues(configuration))
      expect(from.filter((path) => settingAt(path) === undefined)).toEqual([]);
  });

  it("are none where nothing is compacted", () => {
    expect(figures(configured("{ context: { engine: none } }"))).toEqual({ window: 200_000, usable: 200_000 });
  });

  it("are what `config check` and `inspect` print", async () => {
    const check = await precisHere(["config", "check", "--engine", "sacred-zone"]);
    expect(check.out).toMatch(/threshold +150,000/);
    expect(check.out).toMatch(/recent +20,000/);
    expect(check.out).not.toMatch(/ceiling/);
    const folder = mkdtempSync(join(tmpdir(), "precis-figures-"));
    const messages = [
      { role: "user", content: "Mend the totals." },
      { role: "assistant", content: "Done." },
    ];
    writeFileSync(join(folder, "session.json"), JSON.stringify({ messages }));
    const inspect = await precisHere(["inspect", "session.json", "--json", "--engine", "lcm"], { folder });
    rmSync(folder, { recursive: true });
    expect(JSON.parse(inspect.out)).toMatchObject({ thresholdTokens: 150_000 });
  });
});

describe("a setting that the engine does not use", () => {
  it.each([
    [
      "{ context: { engine: lossless }, compression: { threshold: 0.7, template: seven, schedule: cost } }",
      ["compression.threshold", "compression.template"],
    ],
    ["{ context: { engine: layered, preset: current } }", ["context.preset"]],
    ["{ context: { engine: stepped, preset: current } }", []],
    ["{ context: { engine: of-a-plugin }, compression: { threshold: 0.7 } }", []],
    ["{ compression: { threshold: 0.7 } }", []],
  ])("is named: %s", (file, paths) => {
    expect(unused(configured(file))).toEqual(paths);
  });
});
