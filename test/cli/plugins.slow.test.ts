/** `precis plugins …`, and plugins named to the other commands: found, shown, checked, used, and contained. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineSource, pluginShelf, type PluginShelf } from "../support/plugins.ts";
import { chatMessages, LIVE_REQUEST, precis, precisHere, temporaryFolder, type Folder } from "./precis.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
/** Every fourth sample is a broken transcript: a short run has one from each seed. */
const [SEEDS, SAMPLES] = FULL ? [[1, 2, 3, 4, 5, 6, 7, 8], "8"] : [[1, 2, 3], "4"];
const MANIFEST = { version: "1.0.0", type: "module", main: "index.js", precis: { contract: 1 } };
const EXAMPLES = resolve(import.meta.dirname, "../../examples");
const EXAMPLE = "./plugins/context_engine/keep-ends";

let folder: Folder;
let shelf: PluginShelf;
beforeAll(async () => {
  folder = temporaryFolder();
  folder.write("precis.yaml", "context:\n  engine: mine\n");
  folder.write("talk.json", JSON.stringify(chatMessages()));
  shelf = pluginShelf(folder.path);
  shelf.write("mine", engineSource({}), { description: "drops the middle" });
  shelf.write("boom", engineSource({ compact: '() => { throw new Error("not today") }' }, 'console.log("printed");'));
  shelf.write("forgetful", engineSource({ compact: forgetting }));
  shelf.write("odd", engineSource({}), { version: undefined });
  await here("trust", "--yes");
  for (const name of ["mine", "boom", "forgetful"]) await here("trust", name, "--yes");
});
afterAll(() => folder.remove());

const forgetting = "async (s, t, r) => droppingMiddle(t, r, (one) => ({ ...one, evicted: [] }))";
const here = (...words: string[]) => precisHere(words, { folder: folder.path });

describe("precis plugins", () => {
  it("lists what there is, where, and what is in force", async () => {
    const { code, out } = await here("plugins");
    expect(code).toBe(0);
    expect(out).toMatch(/→ mine +1\.0\.0 +plugins\/context_engine\/mine/);
    expect(out).toContain("names no version");
    expect(out).toContain("context.engine is mine: a plugin");
    const { out: text } = await here("plugins", "--json");
    const found = JSON.parse(text) as { means: string; plugins: { name: string; inForce: boolean }[] };
    expect(found.means).toBe("plugin");
    expect(found.plugins.filter(({ inForce }) => inForce).map(({ name }) => name)).toEqual(["mine"]);
  });

  it("says where it looked where there is none", async () => {
    const empty = temporaryFolder();
    const { code, out } = await precisHere(["plugins"], { folder: empty.path });
    empty.remove();
    expect(code).toBe(0);
    expect(out).toContain("no plugin in plugins/context_engine or .config/precis/plugins/context_engine");
  });
});

describe("precis plugins", () => {
  it("is content with the example", async () => {
    const { code, out } = await precisHere(["plugins", EXAMPLE, "--samples", "1"], { folder: EXAMPLES });
    expect(code).toBe(0);
    expect(out).toContain("keeps the contract on 1 transcript");
  });

  it("names the promise that is broken, on what, and where", async () => {
    const { code, out } = await here("plugins", "forgetful", "--on", "talk.json", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      kept: false,
      broken: { fault: "broke_contract", promise: "recall", on: "talk.json" },
    });
  });

  it("takes a folder, says where an error was thrown, and keeps what is printed out of its answer", async () => {
    const path = join("plugins", "context_engine", "boom");
    const { code, out, err } = await here("plugins", path, "--samples", "1");
    expect(code).toBe(1);
    expect(out).toMatch(/it threw an error[^]*not today[^]*sample 1 of seed 1[^]*index\.js:\d+:\d+/);
    expect(out).not.toContain("printed");
    expect(err).toContain("printed");
  });

  it("is content with the plugin of the documentation, word for word", { timeout: 120_000 }, async () => {
    const text = readFileSync(resolve(import.meta.dirname, "../../docs/engines/plugins.md"), "utf8");
    const block = (language: string): string => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text)![1]!;
    folder.write("documented/package.json", block("json"));
    folder.write("documented/index.js", block("js"));
    for (const seed of SEEDS) {
      const { code, out } = await here("plugins", "./documented", "--samples", SAMPLES, "--seed", String(seed));
      expect(out.replaceAll(/\s+/g, " ")).toContain(`keeps the contract on ${SAMPLES} transcripts`);
      expect(code).toBe(0);
    }
  });

  it("says why a plugin cannot be loaded", async () => {
    folder.write("unparsed/package.json", JSON.stringify({ ...MANIFEST, name: "unparsed" }));
    folder.write("unparsed/index.js", "const z = [1, 2;\n");
    const { code, out } = await here("plugins", "./unparsed", "--samples", "1", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      broken: { fault: "unloadable", text: expect.stringContaining("SyntaxError") as string },
    });
  });

  it("exits with 2 for what is no plugin", async () => {
    for (const name of ["zebra", "odd", "./nowhere"]) {
      const { code, err } = await here("plugins", name);
      expect(code).toBe(2);
      expect(err).toContain("next");
    }
  });
});

describe("a plugin named to precis compact", () => {
  it("compacts, by configuration or by flag, and lets the process end", async () => {
    const { code, out } = await precis(["compact", "talk.json", "--force", "--json"], { folder: folder.path });
    expect(code).toBe(0);
    const { report, messages } = JSON.parse(out) as { report: object; messages: object[] };
    expect(report).toMatchObject({ engine: "mine", disabledEngine: null, messages: { after: 3 } });
    expect(messages.at(-1)).toEqual({ role: "user", content: LIVE_REQUEST });
  });

  it("that throws is contained: a result by the built-in, and why", async () => {
    const { code, out, err } = await here("compact", "talk.json", "--budget", "30%", "--engine", "boom");
    expect(code).toBe(0);
    expect(out).toContain(LIVE_REQUEST);
    expect(out).not.toContain("printed");
    expect(err.replaceAll(/\s+/g, " ")).toContain("compacted by the built-in compressor instead of boom");
    expect(err).toContain("boom: Error: not today at index.js");
  });

  it("that is not there, or broken, is refused before anything is read", async () => {
    for (const name of ["zebra", "odd"]) {
      const { code, out, err } = await here("compact", "talk.json", "--engine", name);
      expect(code).toBe(2);
      expect(out).toBe("");
      expect(err).toContain(name);
    }
  });

  it("serves precis inspect too", async () => {
    const { code, out } = await here("inspect", "talk.json");
    expect(code).toBe(0);
    expect(out).toContain("at this window");
  });
});

describe("precis doctor", () => {
  it("says whether the engine that is named is there", async () => {
    const findings = async (engine: string) => {
      const { out } = await here("doctor", "--offline", "--json", "--engine", engine);
      const all = (JSON.parse(out) as { findings: { code: string; level: string }[] }).findings;
      return all.filter(({ code }) => /plugin|engine/.test(code)).map(({ code, level }) => `${level} ${code}`);
    };
    expect(await findings("mine")).toEqual(["fine plugin"]);
    expect(await findings("odd")).toEqual(["fault plugin_broken"]);
    expect(await findings("zebra")).toEqual(["fault engine_unknown"]);
    expect(await findings("lcm")).toEqual([]);
  });
});

describe("precis serve", () => {
  it("refuses to start with an engine that is not there", async () => {
    const { code, err } = await here("serve", "--port", "0", "--store", "memory", "--engine", "zebra");
    expect(code).toBe(2);
    expect(err).toContain('there is no engine named "zebra"');
  });
});
