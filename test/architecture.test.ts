/**
 * The shape of the house, read from the sources: who may import whom, that the core is pure, and that files stay
 * small, named for what they hold, and introduced by a comment.
 */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { impuritiesOf, layerOf, parse, ROOT, sourcesIn, spreadsOf, SRC } from "./sources.ts";

/** Packages of their own, beside the one that is published: the evaluation may use the provider, and both may use src/. */
const PROVIDER = join(ROOT, "provider");
const EVAL = join(ROOT, "eval");
const FILE_LINES_MAX = 400;
/** A ratchet: a change may lower these, and lowers them to what it leaves. */
const SRC_LINES_MAX = 87_233;
const SRC_FILES_MAX = 573;
/** This many lines in a row, comments and imports left out, stand only once in src/. */
const PASSAGE_LINES = 6;

/** What every entry point may load before anything else. */
const PLATFORM = "platform";
const MIDDLE = ["protocols", "logs", "models", "store", "plugins"];
const BELOW_DOORS = ["core", "config", "session", "secrets", ...MIDDLE];

/** The folders of src/ that each folder may import, beside itself. The files of src/ itself are the package's entries. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  [PLATFORM]: [],
  core: [],
  config: ["core", "models", "secrets"],
  protocols: ["core"],
  // A reader says which protocol its agent speaks, and request bodies are told by the protocols' own marks.
  logs: ["core", "protocols"],
  models: ["core"],
  store: ["core"],
  plugins: ["core"],
  secrets: ["core"],
  session: ["core", "config", ...MIDDLE],
  gateway: BELOW_DOORS,
  integrations: BELOW_DOORS,
  cli: [...BELOW_DOORS, "gateway", "integrations"],
  "": ["core", "session", ...MIDDLE],
};

const SHRUG_NAMES = /^(utils?|helpers?|common|misc|shared)(\.|$)/i;

/** Packages that the library does without until they are asked for. */
const OPTIONAL = optionalPackages();
/** Each behind an entry of its own, which is of use only with its framework. */
const FRAMEWORKS: Readonly<Record<string, string>> = {
  "src/integrations/ai-sdk/": "ai",
  "src/integrations/langchain/": "langchain",
  "src/integrations/openai-agents/": "@openai/agents",
};

const files = sourcesIn(SRC);
const tools = [join(PROVIDER, "src"), join(EVAL, "src")].flatMap(sourcesIn);

describe("direction", () => {
  it("finds the sources it judges", () => {
    expect(files.length).toBeGreaterThan(10);
    expect(files.some((file) => file.imports.length > 0)).toBe(true);
  });

  it("points from the doors to the core, and of the middle five only logs knows another, the protocols", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((target) => target.startsWith(SRC))
        .map((target) => ({ target, layer: layerOf(target) }))
        .filter(
          ({ layer }) => layer !== file.layer && layer !== PLATFORM && !(MAY_IMPORT[file.layer] ?? []).includes(layer),
        )
        .map(({ target }) => `${file.path} imports ${relative(ROOT, target)}`),
    );
    expect(wrong).toEqual([]);
  });

  it("leads from the evaluation to the provider, and from both to src/, never back", () => {
    const leaving = [...files, ...tools].flatMap(({ path, imports }) => {
      const home = join(ROOT, path.split("/")[0]!);
      const allowed = home === SRC ? [SRC] : home === PROVIDER ? [SRC, PROVIDER] : [SRC, PROVIDER, EVAL];
      return imports
        .filter((target) => target.startsWith(ROOT) && !allowed.some((folder) => target.startsWith(`${folder}/`)))
        .map((target) => `${path} imports ${relative(ROOT, target)}`);
    });
    expect(tools.length).toBeGreaterThan(100);
    expect(leaving).toEqual([]);
  });

  it("lets every entry point check the Node it runs on before it loads anything else", () => {
    const { exports, bin } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
      readonly bin: Readonly<Record<string, string>>;
    };
    const built = Object.values(exports).map((entry) => (typeof entry === "object" ? entry.default : entry));
    const entries = [...built.filter((path) => path.endsWith(".js")), ...Object.values(bin)].map((path) =>
      path.replace(/^(?:\.\/)?dist\//, "src/").replace(/\.js$/, ".ts"),
    );
    expect(entries.length).toBeGreaterThan(9);
    const unchecked = entries.filter(
      (path) => !files.find((file) => file.path === path)?.eager[0]?.startsWith(join(SRC, PLATFORM)),
    );
    expect(unchecked).toEqual([]);
  });

  it("knows every folder of src", () => {
    const unknown = [...new Set(files.map((file) => file.layer))].filter((layer) => !(layer in MAY_IMPORT));
    expect(unknown).toEqual([]);
  });

  it("has no cycles", () => {
    expect(cycles()).toEqual([]);
  });

  it("lets the library's entries pull in no package but SHA-256's, and the one for patterns when asked for", () => {
    const folders = ["src/protocols/index.ts", "src/models/index.ts", "src/plugins/index.ts"];
    const entries = files.filter((file) => file.layer === "" || folders.includes(file.path));
    expect(entries.length).toBeGreaterThan(3);
    const packages = entries
      .flatMap(({ path }) => packagesBehind(join(ROOT, path)))
      .filter((line) => !line.includes(" imports @noble/hashes/"));
    // A model's pattern is the only thing that needs it, and loads it.
    expect([...new Set(packages)]).toEqual(["src/session/line-pattern.ts imports re2js"]);
    expect(files.flatMap(({ layer, eager }) => (layer === "session" ? eager : []))).not.toContain("re2js");
  });

  it("loads an optional package only when it is asked for", () => {
    expect(OPTIONAL.size).toBeGreaterThan(0);
    const isOwn = (path: string, name: string): boolean =>
      Object.entries(FRAMEWORKS).some(([folder, framework]) => path.startsWith(folder) && name === framework);
    const eager = files.flatMap(({ path, eager: names }) =>
      names.filter((name) => OPTIONAL.has(name) && !isOwn(path, name)).map((name) => `${path} imports ${name}`),
    );
    expect(eager).toEqual([]);
    const imported = new Set(files.flatMap((file) => file.imports).filter((name) => OPTIONAL.has(name)));
    expect(imported).toEqual(OPTIONAL);
  });

  it("keeps everything but the core's own files out of the core", () => {
    const core = files.filter((file) => file.layer === "core");
    const outside = core.flatMap((file) =>
      file.imports
        .filter((target) => !target.startsWith(join(SRC, "core")))
        .map((target) => `${file.path} imports ${target}`),
    );
    expect(outside).toEqual([]);
  });

  it("keeps clocks, randomness, I/O and the environment out of the core", () => {
    const impure = files
      .filter((file) => file.layer === "core")
      .flatMap((file) => file.impurities.map((name) => `${file.path} uses ${name}`));
    expect(impure).toEqual([]);
  });

  it("races work against time and signals in one place", () => {
    const racing = files.filter(({ text }) => /\bPromise\.race\(/.test(text)).map(({ path }) => path);
    expect(racing).toEqual(["src/session/time-limit.ts"]);
  });

  it("would notice an impure line", () => {
    const lines =
      "const a = Date.now(); const b = new Date(); const c = process.env.X; Math.random(); const d = { fetch: 1 };";
    expect(impuritiesOf(parse(lines))).toEqual(["Date.now", "new Date()", "process", "Math.random"]);
  });
});

describe("input of any length", () => {
  it("is never spread into the arguments of a call: each takes room on the stack", () => {
    const spreading = files.flatMap(({ path, spreads }) => spreads.map((call) => `${path}: ${call}`));
    expect(spreading).toEqual([]);
    expect(spreadsOf(parse("a.push(...b); Math.max(0, ...c); a.push(1); f(...d)"))).toEqual(["push", "max"]);
  });
});

describe("files", () => {
  it("are named for what they hold", () => {
    const shrugs = [...files, ...tools].filter((file) => file.path.split("/").some((name) => SHRUG_NAMES.test(name)));
    expect(shrugs.map((file) => file.path)).toEqual([]);
  });

  it("open with their idea", () => {
    const mute = [...files, ...tools].filter((file) => !/^(#![^\n]*\n)?\/(\*|\/)/.test(file.text));
    expect(mute.map((file) => file.path)).toEqual([]);
  });

  it("hold no six lines that stand twice", () => {
    expect(repeatedPassages()).toEqual([]);
  });

  it("are no more than there were, nor longer in all", () => {
    const why = "look what can go; otherwise raise the limit in the same commit and say why";
    expect(files.length, why).toBeLessThanOrEqual(SRC_FILES_MAX);
    const lines = files.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
    expect(lines, why).toBeLessThanOrEqual(SRC_LINES_MAX);
  });

  it("can be read in one sitting", () => {
    const long = [...files, ...tools].filter((file) => file.text.split("\n").length - 1 > FILE_LINES_MAX);
    expect(long.map((file) => file.path)).toEqual([]);
  });
});

/** Places where a passage stands that is somewhere before. */
function repeatedPassages(): string[] {
  const first = new Map<string, string>();
  const repeated: string[] = [];
  // Migrations that were released are never changed, whatever another database's are like.
  for (const file of [...files, ...tools].filter(({ path }) => !path.endsWith("/migrations.ts"))) {
    const lines = tellingLines(file.text);
    for (let at = 0; at + PASSAGE_LINES <= lines.length; at += 1) {
      const passage = lines.slice(at, at + PASSAGE_LINES);
      const key = passage.map(({ text }) => text).join("\n");
      const here = `${file.path}:${passage[0]!.number}`;
      const before = first.get(key);
      if (before === undefined) first.set(key, here);
      else repeated.push(`${here} repeats ${before}`);
    }
  }
  return repeated;
}

/** The lines of a file that say something: no blanks, comments, imports or re-exports. */
function tellingLines(text: string): readonly { readonly number: number; readonly text: string }[] {
  const bare = text
    .replace(/\/\*[^]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ""))
    .replace(/^(?:import|export)\b[^;]*?\bfrom\b[^;]*;/gm, (statement) => statement.replace(/[^\n]/g, ""));
  return bare
    .split("\n")
    .map((line, index) => ({ number: index + 1, text: line.trim() }))
    .filter((line) => line.text !== "" && !line.text.startsWith("//"));
}

function optionalPackages(): ReadonlySet<string> {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  };
  const optional = Object.entries(manifest.peerDependenciesMeta).filter(([, meta]) => meta.optional);
  return new Set(optional.map(([name]) => name));
}

/** What a file pulls in, directly or not, that is neither ours nor Node's; types cost nothing at run time but count. */
function packagesBehind(entry: string): string[] {
  const byPath = new Map(files.map((file) => [join(ROOT, file.path), file]));
  const reached = new Set([entry]);
  const packages: string[] = [];
  for (const path of reached) {
    for (const target of byPath.get(path)?.imports ?? []) {
      const asked = OPTIONAL.has(target) && !byPath.get(path)!.eager.includes(target);
      if (byPath.has(target)) reached.add(target);
      else if (!target.startsWith("node:") && !asked) packages.push(`${relative(ROOT, path)} imports ${target}`);
    }
  }
  return packages;
}

/** One readable line a cycle of imports, type imports included. */
function cycles(): string[] {
  const graph = new Map(files.map((file) => [join(ROOT, file.path), file.imports.filter((to) => to.startsWith(SRC))]));
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) {
      found.push([...trail.slice(seen), path].map((name) => relative(SRC, name)).join(" → "));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return found;
}
