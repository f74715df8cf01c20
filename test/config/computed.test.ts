/** The computed values a person is shown, and the warnings at the extremes. */
import { describe, expect, it } from "vitest";
import { computedValues, findWarnings } from "../../src/config/computed.ts";
import { resolve } from "../../src/config/resolve.ts";
import type { Configuration } from "../../src/config/schema.ts";
import { settingAt } from "../../src/config/settings.ts";

const configured = (values: Readonly<Record<string, unknown>>): Configuration => {
  const stated = Object.entries(values).map(([path, value]) => ({ path, value, place: "test" }));
  const { configuration, problems } = resolve([{ kind: "flag", stated }]);
  expect(problems).toEqual([]);
  return configuration;
};
const figures = (values: Readonly<Record<string, unknown>>): Record<string, number> =>
  Object.fromEntries(computedValues(configured(values)).map(({ name, tokens }) => [name, tokens]));
const codes = (values: Readonly<Record<string, unknown>>): readonly string[] =>
  findWarnings(configured({ "model.context_length": 200_000, ...values })).map(({ code }) => code);

const rule = (values: Readonly<Record<string, unknown>>): string => {
  const computed = computedValues(configured({ "model.context_length": 100_000, ...values }));
  return computed.find(({ name }) => name === "threshold")!.meaning;
};

describe("computed values", () => {
  it("are those of the Hermes Agent docs for a window of 200K", () => {
    expect(figures({ "model.context_length": 200_000 })).toEqual({
      window: 200_000,
      usable: 200_000,
      threshold: 100_000,
      pressure: 85_000,
      tail: 20_000,
      ceiling: 30_000,
      summary_min: 2_000,
      summary_max: 10_000,
      handoff_max: 10_000,
      hygiene: 170_000,
    });
  });

  it("name settings that exist", () => {
    for (const { from } of computedValues(configured({})))
      for (const path of from) expect(settingAt(path)).toBeDefined();
  });

  it("take the main model's window from what is known of its name, unless it is stated", () => {
    expect(figures({ "model.name": "claude-opus-5-5" })["window"]).toBe(1_000_000);
    expect(figures({ "model.name": "claude-opus-5-5", "model.context_length": 300_000 })["window"]).toBe(300_000);
    expect(figures({ "model.name": "my-llama" })["window"]).toBe(128_000);
    const models = { "my-llama": { context_length: 64_000 } };
    expect(figures({ "model.name": "my-llama", models })["window"]).toBe(64_000);
  });

  it("say which rule decided the threshold", () => {
    expect(rule({})).toContain("threshold × window");
    expect(rule({ "compression.threshold": 0.95 })).toContain("held at 85 %");
  });
});

describe("warnings", () => {
  it("are none for the defaults and a known window", () => expect(codes({})).toEqual([]));

  const extremes: readonly [code: string, values: Readonly<Record<string, unknown>>][] = [
    ["window_assumed", { "model.context_length": null }],
    ["window_small", { "model.context_length": 8_000 }],
    ["output_large", { "model.max_output_tokens": 100_000 }],
    ["threshold_low", { "compression.threshold": 0.19 }],
    ["threshold_high", { "compression.threshold": 0.86 }],
    ["no_room", { "compression.target_ratio": 0.6 }],
    ["compression_off", { "compression.enabled": false }],
    ["engine_not_built_in", { "context.engine": "zebra" }],
    ["model_unknown", { "model.context_length": null, "model.name": "my-llama" }],
    ["model_unclear", { "auxiliary.compression.model": "tiny" }],
    ["main_only_in_place", { "auxiliary.compression.provider": "main" }],
    ["model_unclear", { "auxiliary.compression.provider": "openai" }],
    ["model_unclear", { "auxiliary.compression.model": "x", "auxiliary.compression.provider": "openai-compatible" }],
    ["auxiliary_unknown", { "auxiliary.compression.model": "x", "auxiliary.compression.provider": "ollama" }],
    ["auxiliary_window_small", { "auxiliary.compression.model": "gpt-4" }],
    [
      "auxiliary_window_below_main",
      { "auxiliary.compression.model": "claude-haiku-4-5", "model.context_length": 300_000 },
    ],
  ];
  it.each(extremes)("%s", (code, values) => expect(codes(values)).toContain(code));

  it("tell a summarizer's window with both numbers", () => {
    const small = { "auxiliary.compression.model": "gpt-4", "model.context_length": 200_000 };
    const warning = findWarnings(configured(small)).find(({ code }) => code === "auxiliary_window_small")!;
    expect(warning.message).toMatch(/8,192 tokens.*100,000 tokens/);
    expect(warning.fix).toContain("100,000 tokens");
  });

  it("end when the summarizer's window is stated, as a fact of the model", () => {
    const asked = { "auxiliary.compression.model": "x", "auxiliary.compression.provider": "ollama" };
    expect(codes({ ...asked, models: { x: { context_length: 200_000 } } })).toEqual([]);
  });

  it("are none for the models that the Hermes Agent docs name", () => {
    for (const model of ["claude-haiku-4-5", "gpt-5-mini", "anthropic/claude-haiku-4.5"])
      expect(codes({ "auxiliary.compression.model": model })).toEqual([]);
    expect(codes({ "auxiliary.compression.provider": "main", "model.name": "claude-sonnet-4-5" })).toEqual([]);
  });

  it("keep quiet at the edges", () => {
    expect(codes({ "compression.threshold": 0.2 })).toEqual([]);
    expect(codes({ "compression.threshold": 0.85 })).toEqual([]);
    expect(codes({ "compression.protect_first_n": 10 })).toEqual([]);
  });
});
