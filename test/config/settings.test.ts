/** The settings as data: defaults, documented ranges, names of variables, and everything generated from them. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ENGINE_DEFAULTS } from "../../src/core/engines/settings.ts";
import { toEngineSettings } from "../../src/config/engine-settings.ts";
import { DEFAULTS } from "../../src/config/defaults.ts";
import { jsonSchema, ALIASES, SETTINGS, settingAt, toVariable, valueAt } from "../../src/config/settings.ts";
import { findNearest } from "../../src/config/problems.ts";
import { withReference } from "../../scripts/docs/settings.ts";
import { resolve as resolveSources } from "../../src/config/resolve.ts";
import { schema } from "../../src/config/schema.ts";
import { configurationTemplate } from "../../src/cli/commands/config.ts";
import { readYaml } from "../../src/config/yaml-source.ts";

describe("settings", () => {
  it("have the defaults that the plain object states", () => {
    expect(schema.parse({})).toEqual(DEFAULTS);
    for (const { path, default: stated } of SETTINGS) expect([path, valueAt(DEFAULTS, path)]).toEqual([path, stated]);
    expect(toEngineSettings(DEFAULTS)).toEqual(ENGINE_DEFAULTS);
  });

  it("have the defaults and ranges of the Hermes Agent docs", () => {
    const facts = {
      threshold: [0.5, 0, 1],
      target_ratio: [0.2, 0.1, 0.8],
      protect_last_n: [20, 1],
      protect_first_n: [3, 0],
    };
    for (const [key, [standard, low, high]] of Object.entries(facts)) {
      const setting = settingAt(`compression.${key}`)!;
      const takes = (value: number | undefined): boolean => setting.schema.safeParse(value).success;
      expect([setting.default, takes(low), takes(low! - 0.01), takes(high)]).toEqual([standard, true, false, true]);
      expect(takes(high === undefined ? 1e9 : high + 0.01)).toBe(high === undefined);
    }
  });

  it("each have a variable of their own, a meaning and an example that is accepted", () => {
    const paths = [...SETTINGS.map(({ path }) => path), ...Object.keys(ALIASES)];
    expect(new Set(paths.map(toVariable)).size).toBe(paths.length);
    for (const { path, description, example, schema: own } of SETTINGS) {
      expect(description).toMatch(/\w.*\.$/);
      expect([path, own.safeParse(example).success]).toEqual([path, true]);
    }
    for (const path of Object.values(ALIASES)) expect(settingAt(path)).toBeDefined();
  });
});

describe("what is generated", () => {
  it("includes a template that means the defaults, as it stands and with every line uncommented", () => {
    const template = configurationTemplate();
    expect(resolveSources([{ kind: "project", stated: readYaml(template, "t").stated }]).configuration).toEqual(
      DEFAULTS,
    );
    const uncommented = template.replaceAll(/^( *)# ([a-z_]+: )/gm, "$1$2");
    expect(parse(uncommented)).toEqual(DEFAULTS);
  });

  it("includes a JSON Schema that is strict and knows the earlier names", () => {
    const { properties, additionalProperties } = jsonSchema() as {
      properties: Record<string, { properties: object; additionalProperties: boolean }>;
      additionalProperties: boolean;
    };
    expect(Object.keys(properties)).toEqual(Object.keys(DEFAULTS));
    expect(additionalProperties).toBe(false);
    expect(properties["compression"]).toMatchObject({ additionalProperties: false, properties: { summary_model: {} } });
    expect(JSON.stringify(properties)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  it("includes the reference in docs/configuration.md, current as `npm run docs` left it", () => {
    const page = readFileSync(resolve(import.meta.dirname, "../../docs/configuration.md"), "utf8");
    expect(withReference(page)).toBe(page);
  });
});

describe("the nearest name", () => {
  it("is found over typing errors, case and separators, and is nothing when none is near", () => {
    const names = ["compression.threshold", "compression.target_ratio", "model.name"];
    expect(findNearest("compression.treshold", names)).toBe("compression.threshold");
    expect(findNearest("Compression.TargetRatio", names)).toBe("compression.target_ratio");
    expect(findNearest("mdoel.name", names)).toBe("model.name");
    expect(findNearest("zebra", names)).toBeUndefined();
    expect(findNearest("x".repeat(1_000_000), names)).toBeUndefined();
  });
});
