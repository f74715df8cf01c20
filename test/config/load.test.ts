/** Where settings come from: which source wins, where files are found, and that a wrong value is told with its place. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULTS } from "../../src/config/defaults.ts";
import { NESTING_LEVELS_MAX } from "../../src/core/nesting.ts";
import { loadConfiguration, resolveAll, type Request } from "../../src/config/load.ts";
import type { PrecisError } from "../../src/core/errors.ts";

let root: string;
let project: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "precis-config-"));
  project = join(root, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, text: string): string => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const request = (more: Partial<Request> = {}): Request => ({
  folder: project,
  platform: "linux",
  ...more,
  environment: { HOME: root, ...more.environment },
});
const failure = async (more?: Partial<Request>): Promise<PrecisError> =>
  loadConfiguration(request(more)).then(
    () => expect.unreachable(),
    (error: PrecisError) => error,
  );

const ratios = async (more: Partial<Request> = {}): Promise<readonly unknown[]> => {
  const { configuration, provenance } = await resolveAll(request(more));
  return [configuration.compression.target_ratio, provenance.get("compression.target_ratio")];
};

describe("precedence", () => {
  it("lays flags over environment over project over user over defaults", async () => {
    const environment = { PRECIS_COMPRESSION_TARGET_RATIO: "0.4" };
    const flags = [{ path: "compression.target_ratio", text: "0.5", label: "--set" }];
    expect(await ratios()).toEqual([0.2, { kind: "default", place: "default" }]);
    write(".config/precis/config.yaml", "compression: { target_ratio: 0.25 }");
    expect(await ratios()).toEqual([0.25, { kind: "user", place: "~/.config/precis/config.yaml:1:30" }]);
    write("project/precis.yaml", "compression:\n  target_ratio: 0.3\n");
    expect(await ratios()).toEqual([0.3, { kind: "project", place: "precis.yaml:2:17" }]);
    expect(await ratios({ environment })).toEqual([
      0.4,
      { kind: "environment", place: "PRECIS_COMPRESSION_TARGET_RATIO" },
    ]);
    expect(await ratios({ environment, flags })).toEqual([0.5, { kind: "flag", place: "--set" }]);
  });

  it("merges setting by setting, not file by file", async () => {
    write(".config/precis/config.yaml", "compression: { threshold: 0.4, protect_last_n: 7 }");
    write("project/precis.yaml", "compression: { threshold: 0.6 }");
    const { compression } = await loadConfiguration(request());
    expect(compression).toEqual({ ...DEFAULTS.compression, threshold: 0.6, protect_last_n: 7 });
  });

  it("gives the defaults when nobody says anything, and for a file of empty sections", async () => {
    expect(await loadConfiguration(request())).toBe(DEFAULTS);
    write("project/precis.yaml", "compression:\nmodel:\n  # name: x\n");
    expect(await loadConfiguration(request())).toEqual(DEFAULTS);
  });

  it("takes an alias for the setting it names, and refuses the two when they differ", async () => {
    write("project/precis.yaml", "model: { cache_ttl: 1h }\ncompression: { summary_model: tiny }");
    const { prompt_caching, auxiliary } = await loadConfiguration(request({ file: "precis.yaml" }));
    expect([prompt_caching.cache_ttl, auxiliary.compression.model]).toEqual(["1h", "tiny"]);
    write("project/precis.yaml", "model: { cache_ttl: 1h }\nprompt_caching: { cache_ttl: 5m }");
    expect((await failure()).message).toContain("both name one setting");
  });
});

describe("files", () => {
  it("are looked for upward, to the top of the repository and no further", async () => {
    write("precis.yaml", "compression: { threshold: 0.9 }");
    mkdirSync(join(project, "a/b"), { recursive: true });
    expect((await loadConfiguration(request({ folder: join(project, "a/b") }))).compression.threshold).toBe(0.5);
    write("project/.precis/config.yaml", "compression: { threshold: 0.3 }");
    expect((await loadConfiguration(request({ folder: join(project, "a/b") }))).compression.threshold).toBe(0.3);
  });

  it("of a user stand in XDG_CONFIG_HOME, on Windows in APPDATA", async () => {
    write("xdg/precis/config.yaml", "compression: { threshold: 0.31 }");
    write("roaming/precis/config.yaml", "compression: { threshold: 0.32 }");
    const environment = { XDG_CONFIG_HOME: join(root, "xdg"), APPDATA: join(root, "roaming") };
    expect((await loadConfiguration(request({ environment }))).compression.threshold).toBe(0.31);
    expect((await loadConfiguration(request({ environment, platform: "win32" }))).compression.threshold).toBe(0.32);
  });

  it("can be named, and a named one that is missing is an error", async () => {
    write("project/precis.yaml", "compression: { threshold: 0.9 }");
    write("project/other.yaml", "compression: { threshold: 0.3 }");
    expect((await loadConfiguration(request({ file: "other.yaml" }))).compression.threshold).toBe(0.3);
    const environment = { PRECIS_CONFIG: "other.yaml" };
    expect((await loadConfiguration(request({ environment }))).compression.threshold).toBe(0.3);
    expect(await failure({ file: "gone.yaml" })).toMatchObject({ code: "bad_configuration", place: "gone.yaml" });
  });

  it("are laid over one another model by model where they know models better", async () => {
    const user = "models: { one: { context_length: 1 }, two: { context_length: 2 } }";
    write(".config/precis/config.yaml", user);
    write("project/precis.yaml", "models: { two: { image_tokens: 5 }, gpt-5.6: { input_usd_per_mtok: 0 } }");
    const { models } = await loadConfiguration(request());
    expect(models).toEqual({
      one: { context_length: 1 },
      two: { image_tokens: 5 },
      "gpt-5.6": { input_usd_per_mtok: 0 },
    });
    expect(DEFAULTS.models).toEqual({});
  });

  it("are not chosen between: two in one folder are an error", async () => {
    write("project/precis.yaml", "compression: { threshold: 0.9 }");
    write("project/.precis/config.yaml", "compression: { threshold: 0.3 }");
    expect((await failure()).message).toContain("precis.yaml and .precis/config.yaml");
  });
});

describe("a wrong value", () => {
  const wrong: readonly [yaml: string, place: string, message: RegExp, fix: string][] = [
    ["compression:\n  treshold: 0.5", "2:3", /no setting `compression.treshold`/, "`compression.threshold`"],
    ["compresion: { a: 1, b: 2 }", "1:1", /no setting `compresion`/, "`compression`"],
    ["threshold: 0.5", "1:1", /no setting `threshold`/, "`compression.threshold`"],
    ["compression: { targetRatio: 0.2 }", "1:16", /no setting/, "`compression.target_ratio`"],
    ["compression: { threshold: 50 }", "1:27", /is 50; expected a number from 0 to 1/, "`threshold: 0.5`"],
    ["compression: { target_ratio: 0.09 }", "1:30", /from 0.1 to 0.8/, "`target_ratio: 0.2`"],
    ["compression: { target_ratio: 0.81 }", "1:30", /from 0.1 to 0.8/, "`target_ratio: 0.2`"],
    ["compression: { protect_last_n: 0 }", "1:32", /a whole number, 1 or more/, "`protect_last_n: 20`"],
    ["compression: { protect_last_n: 2.5 }", "1:32", /a whole number/, "`protect_last_n: 3`"],
    ["compression: { threshold: .nan }", "1:27", /NaN/, "`threshold: 0.5`"],
    ["compression: { note: handof }", "1:22", /`system` or `handoff`/, "`note: handoff`"],
    ["compression: { enabled: yes }", "1:25", /`true` or `false`/, "`enabled: true`"],
    ["compression: [1]", "1:1", /expected a section with settings/, "threshold"],
    ["compression: { threshold: { a: 1 } }", "1:27", /\{"a":1\}/, "threshold"],
    ["compression: { threshold: *gone }", "1:27", /alias/i, "`threshold: 0.5`"],
    ["model: { context_length: 200_000 }", "1:26", /"200_000"/, "`context_length: 200000`"],
    ["model: { context_length: 1000, max_output_tokens: 1000 }", "1:51", /leaves nothing/, "Lower it"],
    ["prompt_caching: { cache_ttl: 2h }", "1:30", /`5m` or `1h`/, "`cache_ttl: 5m`"],
    ["auxiliary: { compression: { base_url: example.com } }", "1:39", /http\(s\) address/, "http://"],
    ["auxiliary: { compression: { base_url: 'file:///etc' } }", "1:39", /http\(s\) address/, "http://"],
    ["models: { m: { context_lenght: 1 } }", "1:9", /`models.m` cannot say `context_lenght`/, "`context_length`"],
    [
      "models: { m: { context_length: big } }",
      "1:9",
      /models.m.context_length` is "big"; .*whole number/,
      "number alone",
    ],
    ["models: { m: { input_usd_per_mtok: -1 } }", "1:9", /is -1; expected US dollars/, "number alone"],
    ["models: { m: 200000 }", "1:9", /`models.m` is 200000; expected figures below it/, "context_length"],
    ["models: 1", "1:9", /expected a mapping/, 'models: {"my-model":{"context_length":32768}}'],
    ["auxiliary: { compression: { provider: antropic } }", "1:39", /`anthropic`/, "`provider: anthropic`"],
    ["auxiliary: { compression: { api_key_env: sk-live-1 } }", "1:42", /letters, digits and underscores/, "MY_API_KEY"],
    ["auxiliary: { compression: { timeout_seconds: 301 } }", "1:46", /from 1 to 300/, "timeout_seconds"],
    ["- a", "1:1", /not a mapping/, "config init"],
    ["a: b: c", "1:4", /not valid YAML/, "Fix"],
    ["model: {}\nmodel: {}", "2:1", /not valid YAML.*unique/, "Fix"],
    ["__proto__: { a: 1 }", "1:1", /no setting `__proto__`/, "Remove it"],
  ];
  it.each(wrong)("%j", async (yaml, place, message, fix) => {
    write("project/precis.yaml", yaml);
    const error = await failure({ file: "precis.yaml" });
    expect(error).toMatchObject({ code: "bad_configuration", place: `precis.yaml:${place}` });
    expect(error.message).toMatch(message);
    expect(error.hint).toContain(fix);
  });

  it("that may be a pasted key is not repeated", async () => {
    write("project/precis.yaml", "auxiliary: { compression: { api_key_env: sk-live-0123456789 } }");
    const { message, hint } = await failure({ file: "precis.yaml" });
    expect(`${message} ${hint}`).not.toContain("sk-live");
  });

  it("is written in the way of its source when the fix is told", async () => {
    const environment = { PRECIS_COMPRESSION_THRESHOLD: "50%" };
    expect((await failure({ environment })).hint).toBe("Write `PRECIS_COMPRESSION_THRESHOLD=0.5`.");
    const flags = [{ path: "compression.threshold", text: "60", label: "--set" }];
    expect((await failure({ flags })).hint).toBe("Write `--set compression.threshold=0.6`.");
  });

  it("does not hide another one", async () => {
    write("project/precis.yaml", "compression: { threshold: 7, note: x }");
    const { problems } = await resolveAll(request({ environment: { PRECIS_MODEL_NAM: "x" } }));
    expect(problems.map(({ place }) => place)).toEqual(["PRECIS_MODEL_NAM", "precis.yaml:1:27", "precis.yaml:1:36"]);
    expect((await failure()).message).toContain("2 problems");
  });

  it("in an alias bomb or a huge file costs an error, not the process", async () => {
    const bomb = [
      "a: &a [x,x]",
      ...Array.from(
        { length: 30 },
        (_, n) => `b${n}: &b${n} [*${n === 0 ? "a" : `b${n - 1}`},*${n === 0 ? "a" : `b${n - 1}`}]`,
      ),
    ];
    write("project/precis.yaml", `${bomb.join("\n")}\ncompression: { threshold: *b29 }`);
    expect((await failure()).code).toBe("bad_configuration");
    write("project/precis.yaml", `# ${"x".repeat(2_000_000)}`);
    expect((await failure()).message).toContain("2000002 bytes");
  });
});

describe("nesting", () => {
  const nests: readonly [string, (levels: number) => string][] = [
    ["brackets", (levels) => `models: ${"[".repeat(levels)}${"]".repeat(levels)}`],
    ["brackets that are never closed", (levels) => `models: ${"[".repeat(levels)}`],
    ["braces", (levels) => `models: ${"{a: ".repeat(levels)}1${"}".repeat(levels)}`],
    ["dashes", (levels) => `models:\n  ${"- ".repeat(levels)}x`],
    ["question marks", (levels) => "? ".repeat(levels)],
    [
      "indentation",
      (levels) => Array.from({ length: Math.min(levels, 1_200) }, (_, at) => `${" ".repeat(at)}a:`).join("\n"),
    ],
    ["what is no setting", (levels) => `zzz: ${"[".repeat(levels)}${"]".repeat(levels)}`],
  ];

  it.each(nests)("of %s, however deep, is an error with the place where it is too deep", async (_, nest) => {
    for (const levels of [NESTING_LEVELS_MAX + 1, 1_000, 100_000]) {
      write("project/precis.yaml", nest(levels));
      // A file that the person names may be that long.
      const { problems } = await resolveAll(request({ file: "precis.yaml" }));
      const place = expect.stringMatching(/^precis\.yaml:\d+:\d+$/) as string;
      const message = expect.stringContaining(`deeper than ${NESTING_LEVELS_MAX} levels`) as string;
      expect(problems).toEqual([expect.objectContaining({ code: "bad_yaml", place, message })]);
    }
  });

  it("of aliases is an error too: in a circle, and one in another", async () => {
    const chain = Array.from({ length: 90 }, (_, at) => `  a${at}: &a${at} [${at === 0 ? 1 : `*a${at - 1}`}]`).join(
      "\n",
    );
    for (const text of ["models: &a [*a]", "models: &a { b: *a }", `models:\n${chain}`]) {
      write("project/precis.yaml", text);
      const { problems } = await resolveAll(request());
      expect(problems.map(({ code, place }) => [code, place.slice(0, 12)])).toEqual([["bad_value", "precis.yaml:"]]);
    }
  });

  it("in the environment is no value", async () => {
    const deep = `{"a":`.repeat(5_000) + "1" + "}".repeat(5_000);
    const { problems } = await resolveAll(request({ environment: { PRECIS_GATEWAY_UPSTREAMS: deep } }));
    expect(problems.map(({ code }) => code)).toEqual(["bad_value"]);
  });
});

describe("the environment", () => {
  it("gives numbers, booleans and null their type, and texts their letters", async () => {
    const environment = {
      PRECIS_MODEL_CONTEXT_LENGTH: "64000",
      PRECIS_COMPRESSION_ENABLED: "false",
      PRECIS_MODEL_NAME: "4",
      PRECIS_AUXILIARY_COMPRESSION_MODEL: "null",
      PRECIS_CONTEXT_ENGINE: "",
      PRECIS_TEST_RUNS: "500",
    };
    const { model, compression, auxiliary, context } = await loadConfiguration(request({ environment }));
    expect(model).toMatchObject({ context_length: 64_000, name: "4" });
    expect([compression.enabled, auxiliary.compression.model, context.engine]).toEqual([false, null, "compressor"]);
  });
});
