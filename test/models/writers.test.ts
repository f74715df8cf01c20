/** Which models the settings mean, with which key, at which address; over real HTTP where a request shows it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolve } from "../../src/config/resolve.ts";
import type { Configuration } from "../../src/config/schema.ts";
import type { Writers } from "../../src/core/handoff/model/writer.ts";
import { chooseModels } from "../../src/models/choice.ts";
import { SAFE_WINDOW_TOKENS } from "../../src/models/registry/registry.ts";

import { createWriters, type WriterEnvironment } from "../../src/models/writers.ts";
import { protocols } from "../../src/protocols/index.ts";
import { answer, delay, startEndpoint, type ScriptedEndpoint } from "../support/scripted-endpoint.ts";

let endpoint: ScriptedEndpoint;
beforeAll(async () => void (endpoint = await startEndpoint()));
afterAll(() => endpoint.close());

const KEYS = {
  ANTHROPIC_API_KEY: "key-of-anthropic",
  OPENAI_API_KEY: "key-of-openai",
  OPENROUTER_API_KEY: "key-of-router",
};
const AUX = "auxiliary.compression";
const prompt = { system: "Write.", user: "This.", maxOutputTokens: 100 };

const configured = (values: Readonly<Record<string, unknown>>): Configuration => {
  const stated = Object.entries(values).map(([path, value]) => ({ path, value, place: "test" }));
  const { configuration, problems } = resolve([{ kind: "flag", stated }]);
  expect(problems).toEqual([]);
  return configuration;
};
const writersOf = (values: Readonly<Record<string, unknown>>, more: Partial<WriterEnvironment> = {}): Writers =>
  createWriters(configured(values), { environment: KEYS, overflow: protocols["openai-chat"].overflow, ...more });
const places = (values: Readonly<Record<string, unknown>>) => {
  const { auxiliary, main } = chooseModels(configured(values));
  const told = (choice: typeof auxiliary) =>
    choice === undefined ? undefined : "problem" in choice ? "unclear" : `${choice.provider.name} ${choice.model}`;
  return { auxiliary: told(auxiliary), main: told(main) };
};

describe("the models that settings mean", () => {
  it("are none by default, whatever keys there are: nobody's credentials are spent unasked", () => {
    expect(writersOf({})).toEqual({ resting: [] });
    expect(writersOf({ "model.name": "claude-opus-5-5" })).toEqual({ resting: [] });
  });

  it.each([
    ["claude-haiku-4-5", "anthropic claude-haiku-4-5"],
    ["gpt-5-mini", "openai gpt-5-mini"],
    ["o4-mini", "openai o4-mini"],
    ["google/gemini-3-flash", "openrouter google/gemini-3-flash"],
    ["llama3", "unclear"],
  ])("are found by the name %s", (model, expected) =>
    expect(places({ [`${AUX}.model`]: model })).toEqual({ auxiliary: expected, main: undefined }),
  );

  it("are OpenAI-compatible at an address of one's own", () => {
    const own = { [`${AUX}.model`]: "claude-haiku-4-5", [`${AUX}.base_url`]: "http://127.0.0.1:8080/v1" };
    expect(places(own)).toMatchObject({ auxiliary: "openai-compatible claude-haiku-4-5" });
    expect(places({ ...own, [`${AUX}.provider`]: "anthropic" })).toMatchObject({
      auxiliary: "anthropic claude-haiku-4-5",
    });
  });

  it("are named by the old setting too", () =>
    expect(places({ "compression.summary_model": "gpt-5-mini" })).toMatchObject({ auxiliary: "openai gpt-5-mini" }));

  it("put the main model behind the auxiliary one, whatever the provider setting is", () => {
    const both = { "model.name": "claude-opus-5-5", [`${AUX}.model`]: "claude-haiku-4-5" };
    const expected = { auxiliary: "anthropic claude-haiku-4-5", main: "anthropic claude-opus-5-5" };
    expect(places(both)).toEqual({ ...expected });
    expect(places({ ...both, [`${AUX}.provider`]: "anthropic" })).toEqual({ ...expected });
  });

  it("are one model when both are the same", () => {
    const both = { "model.name": "gpt-5-mini", [`${AUX}.model`]: "gpt-5-mini" };
    expect(places(both)).toEqual({ auxiliary: undefined, main: "openai gpt-5-mini" });
  });

  it("are the main model, or another at its place, with `main`", () => {
    const main = { "model.name": "claude-opus-5-5", [`${AUX}.provider`]: "main" };
    expect(places(main)).toEqual({ auxiliary: undefined, main: "anthropic claude-opus-5-5" });
    expect(places({ ...main, [`${AUX}.model`]: "tiny" })).toMatchObject({ auxiliary: "anthropic tiny" });
    const local = { "model.base_url": "http://127.0.0.1:9/v1", [`${AUX}.provider`]: "main", [`${AUX}.model`]: "tiny" };
    expect(places(local)).toMatchObject({ auxiliary: "openai-compatible tiny" });
    expect(places({ [`${AUX}.provider`]: "main" })).toMatchObject({ auxiliary: "unclear" });
  });
});

describe("a writer from settings", () => {
  it("sends its provider's key, or the one in the variable that a setting names", async () => {
    const at = { [`${AUX}.model`]: "gpt-5-mini", [`${AUX}.provider`]: "openai", [`${AUX}.base_url`]: endpoint.url };
    await writersOf(at).auxiliary!.ask(prompt);
    expect(endpoint.requests.at(-1)!.headers["authorization"]).toBe("Bearer key-of-openai");
    const environment = { ...KEYS, TEAM_KEY: " key-of-team\n" };
    await writersOf({ ...at, [`${AUX}.api_key_env`]: "TEAM_KEY" }, { environment }).auxiliary!.ask(prompt);
    expect(endpoint.requests.at(-1)!.headers["authorization"]).toBe("Bearer key-of-team");
  });

  it("sends no provider's key to an address of one's own", async () => {
    const at = { [`${AUX}.model`]: "gpt-5-mini", [`${AUX}.base_url`]: endpoint.url };
    expect(await writersOf(at).auxiliary!.ask(prompt)).toMatchObject({ kind: "answered" });
    expect(JSON.stringify(endpoint.requests.at(-1)!.headers)).not.toContain("key-of");
  });

  it("waits as long as the settings say", async () => {
    endpoint.play(delay(30_000));
    const at = { [`${AUX}.model`]: "m", [`${AUX}.base_url`]: endpoint.url, [`${AUX}.timeout_seconds`]: 1 };
    const slow = await writersOf(at).auxiliary!.ask(prompt);
    expect(slow).toMatchObject({ kind: "failed", failure: { class: "timeout" } });
    endpoint.play(answer("ok"));
  });

  it("knows its window: stated over known over safe", () => {
    const window = (values: Readonly<Record<string, unknown>>) =>
      writersOf({ [`${AUX}.model`]: "claude-haiku-4-5", ...values }).auxiliary!.windowTokens;
    expect(window({})).toBe(200_000);
    expect(window({ models: { "claude-haiku-4-5": { context_length: 150_000 } } })).toBe(150_000);
    expect(window({ [`${AUX}.model`]: "m", [`${AUX}.provider`]: "ollama" })).toBe(SAFE_WINDOW_TOKENS);
  });

  it("leaves room for a model that is known to think, or as much as the setting says", async () => {
    const at = { [`${AUX}.model`]: "gpt-5-mini", [`${AUX}.base_url`]: endpoint.url };
    const asked = async (values: Readonly<Record<string, unknown>>) => {
      await writersOf(values).auxiliary!.ask(prompt);
      return endpoint.requests.at(-1)!.maxOutputTokens;
    };
    expect(await asked(at)).toBe(100 + 8_000);
    expect(await asked({ ...at, [`${AUX}.model`]: "gpt-4.1" })).toBe(100);
    expect(await asked({ ...at, [`${AUX}.thinking_tokens`]: 0 })).toBe(100);
    expect(await asked({ ...at, [`${AUX}.model`]: "qwq", [`${AUX}.thinking_tokens`]: 500 })).toBe(600);
  });

  it("has the price of the model's name, but none at a local server", async () => {
    const at = { [`${AUX}.model`]: "claude-haiku-4-5", [`${AUX}.base_url`]: endpoint.url };
    const paid = await writersOf({ ...at, [`${AUX}.provider`]: "anthropic" }).auxiliary!.ask(prompt);
    expect(paid.usage.costUsd).toBeCloseTo((paid.usage.inputTokens * 1 + paid.usage.outputTokens * 5) / 1_000_000, 12);
    expect((await writersOf(at).auxiliary!.ask(prompt)).usage).not.toHaveProperty("costUsd");
    const models = { "claude-haiku-4-5": { input_usd_per_mtok: 2, output_usd_per_mtok: 0 } };
    const { usage } = await writersOf({ ...at, models }).auxiliary!.ask(prompt);
    expect(usage.costUsd).toBeCloseTo((usage.inputTokens * 2) / 1_000_000, 12);
  });

  it("answers with the setting to mend where the settings lead nowhere", async () => {
    const reply = await writersOf({ [`${AUX}.model`]: "llama3" }).auxiliary!.ask(prompt);
    expect(reply).toMatchObject({ kind: "failed", failure: { class: "unconfigured" }, usage: { requests: 0 } });
    expect(JSON.stringify(reply)).toContain(`${AUX}.provider`);
  });
});
