/**
 * Every code block of the documentation holds. What a shell runs is run, page by page, on the files that it names;
 * what cannot be run here (NOT_RUN says why) still has to name commands, flags and scripts that there are. Configuration
 * passes the schema, TypeScript compiles, JSON parses. A short run asks a few lines for less work (LESS_WORK); the full
 * run takes every line word for word.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAst } from "vitest/node";
import { readArguments, type Command } from "../../src/cli/program/command.ts";
import { readTenants } from "../../src/cli/gateway/tenants.ts";
import { EVAL } from "../../eval/src/main.ts";
import { providerCommand } from "../../provider/src/command.ts";
import { allCommands } from "../../src/cli/main.ts";
import { loadCommands } from "../../src/cli/program/program.ts";
import { NODE_ENVIRONMENT, precisHere } from "../cli/precis.ts";
import manifest from "../../package.json" with { type: "json" };
import { blocksOf, commandLines, commandsOf, PAGES, ROOT, textOf, type Block } from "./blocks.ts";

const PAGE_MS_MAX = 900_000;
const LINE_MS_MAX = 400_000;
const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;

/** Command lines that are only checked for what they name: the first pattern that matches gives the reason. */
const NOT_RUN: readonly (readonly [pattern: RegExp, because: string])[] = [
  [/^precis(?: serve|-provider| worker)|precis mcp/, "starts a server"],
  [/^(?:pg_dump|pg_restore|chmod 600 precis\.dump)\b/, "needs a database server; a test of the page runs it on one"],
  [/^precis doctor/, "judges the machine that it runs on, and asks the vendors"],
  [/^precis (?:sessions|undo|search|store|token)\b|^precis recall (?!.*--keep)/, "needs what a gateway has stored"],
  [/^precis trust(?: *#|$)/, "needs a project's file"],
  [/^precis convert ~/, "needs the database of another agent"],
  [/^precis handoff "[^"]*"(?: *#|$)/, "needs a session that an agent keeps for this folder"],
  [/^node examples\/agent\//, "talks to a person"],
  [/^precis hook\b/, "reads an event of Claude Code"],
  [/^precis report\s*(?:#|$)/, "reads the person's own sessions"],
  [/^precis config init --user/, "writes the person's own configuration"],
  [/^(?:export )?\w+=/, "sets up another program, or needs a key"],
  [/^(?:claude|codex|opencode|pi|curl) /, "another program"],
  [/\bnpx /, "could fetch a stranger's package, which another test forbids"],
  [/\bnpm |^git clone|^cd /, "works on the checkout itself"],
  [/^\.ci\/run/, "works on the checkout itself"],
  [/^(?:sudo|docker) /, "changes the machine, or needs a container engine"],
  [/^cp -r \.\/node_modules\//, "works on an installed package"],
  [/^mv history\.db |^cp -p history\.db|^sqlite3 /, "works on what a gateway has stored"],
  [/^precis-eval measure\b.* --engines all\b/, "takes minutes"],
  [/^precis-eval exam\b/, "needs a model or an agent"],
  [/^precis-eval bench\b/, "installs suites from PyPI and npm, and takes minutes"],
  [/…/, "leaves something out"],
  [/^node (?:scripts|bench)\//, "works on the checkout itself"],
];

/** Lines that repeat one thing for many seconds: in a short run they do it a few times, or once for all pages. */
const LESS_WORK: readonly (readonly [line: RegExp, less: string])[] = [
  [/^(precis plugins .*--samples) \d+/, "$1 4"],
  [/^(precis plugins (?!.*--(?:samples|on)).*)/, "$1 --samples 4"],
  [/^(precis-eval measure .*--engines compressor),\S+/, "$1"],
];

const asRun = (line: string): string =>
  FULL ? line : LESS_WORK.reduce((text, [pattern, less]) => text.replace(pattern, less), line.replace(/ +# .*$/, ""));

/** What a short run need not do for a second page. */
const SAME_ANYWHERE = /^precis(?:-eval (?:replay|measure)| inspect)\b/;
const ran = new Set<string>();

function ranElsewhere(line: string): boolean {
  if (FULL || !SAME_ANYWHERE.test(line)) return false;
  const plain = asRun(line).trim();
  const known = ran.has(plain);
  ran.add(plain);
  return known;
}

/** Programs beside precis that documentation may name. */
const PROGRAMS =
  /^(?:\.ci\/run|cat|cd|chmod|claude|codex|cp|curl|cut|docker|echo|export|gemini|git|head|jq|less|mv|node|npm|opencode|pg_dump|pg_restore|pi|printf|rm|sha256sum|sqlite3|sudo|tee)$/;

const NPM_COMMANDS = new Set(["ci", "install", "pack", "start", "test", "run"]);

const commands = new Map<string, Command>();
for (const one of await allCommands()) {
  for (const command of "commands" in one ? one.commands : [one]) commands.set(command.name, command);
  if ("commands" in one && one.alone !== undefined) commands.set(one.name, one.alone);
}

const evaluations = new Map(
  (await loadCommands(EVAL)).flatMap((one) => ("commands" in one ? [] : [[one.name, one] as const])),
);

const makeUnrunResult = (line: string): string | undefined => NOT_RUN.find(([pattern]) => pattern.test(line))?.[1];
const titleOf = ({ page, line }: Block): string => `${page}:${line}`;
const blocks = PAGES.flatMap(blocksOf);

it("finds the blocks it judges", () => {
  const counts = Map.groupBy(blocks, ({ language }) => language);
  for (const language of ["sh", "console", "ts", "yaml", "json"])
    expect(counts.get(language)?.length).toBeGreaterThan(2);
});

describe("commands", () => {
  const lines = blocks.flatMap((block) => commandLines(block).map((line) => [titleOf(block), line] as const));

  it.each(lines)("%s: %s", (_, line) => {
    for (const words of commandsOf(line)) expectKnown(words);
  });

  it("have the flags that sentences give them", () => {
    const unknown = PAGES.flatMap((page) =>
      commandsInText(page).flatMap((text) => {
        const [, ...words] = text.split(/\s+/);
        const command = commands.get(words.slice(0, 2).join(" ")) ?? commands.get(words[0]!);
        const flags = words.flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? []);
        const isKnown =
          flags.length === 0 ||
          /^(?:-|COMMAND$)/.test(words[0]!) ||
          (command !== undefined && flags.every((flag) => FLAGS.has(flag) || flag in command.args));
        return isKnown ? [] : [`${page}: ${text}`];
      }),
    );
    expect(unknown).toEqual([]);
  });

  it("fetch no package of a stranger: nothing outside a checkout is called precis", () => {
    const found = PAGES.flatMap((page) => (/\bnpx\b|npm (?:exec|init|create) /.test(textOf(page)) ? [page] : []));
    expect(found).toEqual([]);
    expect(PAGES.filter((page) => /npm install[^\n]*[^\S\n]precis(?:\s|@|$)/m.test(textOf(page)))).toEqual([]);
    expect(
      spawnSync("grep", ["-rln", "npx precis", "src", "scripts", "examples"], { cwd: ROOT, encoding: "utf8" }).stdout,
    ).toBe("");
  });
});

/** Of every command. */
const FLAGS: ReadonlySet<string> = new Set(["help"]);

/** What is in the text of a page beside its blocks: `precis …`. */
function commandsInText(page: string): readonly string[] {
  const text = textOf(page).replaceAll(/^```.*?^```$/gms, "");
  return [...text.matchAll(/`(precis [^`]+)`/g)].map(([, command]) => command!);
}

function expectKnown([program, ...words]: readonly string[]): void {
  if (program === "precis") {
    if (words[0]?.startsWith("-")) return;
    const two = `${words[0]} ${words[1]}`;
    const name = commands.has(two) ? two : words[0]!;
    expect(commands.has(name), `precis ${words.join(" ")}`).toBe(true);
    const rest = words.slice(name.split(" ").length);
    const command = commands.get(name)!;
    readArguments(command, command.arrange?.(rest) ?? rest);
    return;
  }
  if (program === "precis-provider") return void readArguments(providerCommand, words);
  if (program === "precis-eval") {
    const command = evaluations.get(words[0]!);
    expect(command, `precis-eval ${words.join(" ")}`).toBeDefined();
    return void readArguments(command!, words.slice(1));
  }
  expect(program).toMatch(PROGRAMS);
  if (program !== "npm") return;
  const [command, script] = words.filter((word) => !word.startsWith("-"));
  expect(NPM_COMMANDS).toContain(command);
  if (command === "run") expect(Object.keys(manifest.scripts)).toContain(script);
}

describe("shell blocks run", () => {
  const pages = Map.groupBy(
    blocks.filter((block) => block.language === "sh"),
    ({ page }) => page,
  );
  const scripts = [...pages].flatMap(([page, those]) => {
    const lines = those.flatMap((block) =>
      commandLines(block).filter((line) => makeUnrunResult(line) === undefined && !ranElsewhere(line)),
    );
    return lines.length === 0 ? [] : [[page, lines] as const];
  });

  it.each(scripts)("%s", { timeout: PAGE_MS_MAX }, (_, lines) => {
    const folder = readersFolder();
    const failed = lines.flatMap((line) => {
      const { status, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", asRun(line)], {
        cwd: folder,
        encoding: "utf8",
        timeout: LINE_MS_MAX,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...NODE_ENVIRONMENT,
          PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter),
          HOME: join(folder, "home"),
        },
      });
      return status === 0 ? [] : [`${line}: ${status}: ${stderr}`];
    });
    expect(failed).toEqual([]);
  });
});

const FOLDERS: string[] = [];
afterAll(() => FOLDERS.forEach((folder) => rmSync(folder, { recursive: true })));

/** What `precis run` starts on the pages. A program of that name that does nothing is enough to see it started. */
const CLIENTS = ["claude", "codex", "gemini", "opencode", "python"];

/** What a reader has: the examples, sessions under the names that the pages use, a plugin, and `precis` installed. */
function readersFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "precis-pages-"));
  FOLDERS.push(folder);
  const examples = join(ROOT, "examples");
  const [chat, claude] = [join(examples, "refunds.openai-chat.json"), join(examples, "restart.claude-code.jsonl")];
  const plugin = join(examples, "plugins/context_engine/keep-ends");
  cpSync(examples, join(folder, "examples"), { recursive: true });
  cpSync(plugin, join(folder, "plugins/context_engine/keep-ends"), { recursive: true });
  cpSync(plugin, join(folder, "my-engine"), { recursive: true });
  for (const name of ["request.json", "session.json", "sessions/two.json", "home/.claude/projects/shop/two.json"])
    cpSync(chat, join(folder, name));
  for (const name of ["session.jsonl", "sessions/one.jsonl", "home/.claude/projects/shop/one.jsonl"])
    cpSync(claude, join(folder, name));
  mkdirSync(join(folder, "bin"));
  for (const [name, file] of [
    ["precis", "src/cli/bin.ts"],
    ["precis-eval", "eval/bin.ts"],
  ] as const) {
    const shim = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, file)}' "$@"\n`;
    writeFileSync(join(folder, "bin", name), shim, { mode: 0o755 });
  }
  for (const client of CLIENTS) writeFileSync(join(folder, "bin", client), "#!/bin/sh\n", { mode: 0o755 });
  return folder;
}

describe("configuration", () => {
  const settings = blocks.filter(
    ({ language, text }) =>
      language === "yaml" &&
      !/^(?:- |script:|scrape_configs:|tenants:|guardrails:|context:\n  engine: precis\nplugins:)/m.test(text),
  );
  const tenants = blocks.filter(({ language, text }) => language === "yaml" && /^tenants:/m.test(text));

  it.each(tenants.map((block) => [titleOf(block), block.text]))("of tenants in %s is one", (title, text) => {
    expect(() => readTenants(text, title)).not.toThrow();
  });

  it.each(settings.map((block) => [titleOf(block), block.text]))("of %s passes the schema", async (_, text) => {
    const folder = readersFolder();
    writeFileSync(join(folder, "documented.yaml"), text);
    const { code, err } = await precisHere(["config", "check", "--config", "documented.yaml"], { folder });
    expect({ code, err }).toMatchObject({ code: 0 });
  });
});

describe("data", () => {
  const json = blocks.filter(({ language }) => language === "json");
  it.each(json.map((block) => [titleOf(block), block.text]))("%s is JSON", (_, text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  const scripts = blocks.filter(({ language }) => language === "js");
  it.each(scripts.map((block) => [titleOf(block), block.text]))("%s is JavaScript", (_, text) => {
    expect(() => parseAst(text, { sourceType: "module" })).not.toThrow();
  });
});

/** A block that goes on with a session has one. */
function withSession(text: string): string {
  if (!/\bsession\./.test(text) || /\bconst session\b/.test(text)) return text;
  return `declare const session: ReturnType<typeof import("precis").createSession>;\n${text}`;
}

/** Names that a block takes from its reader's program: it says nothing about them. */
const READERS_NAME = /error TS(?:2304|18004|2552):/;

describe("TypeScript", () => {
  const those = blocks.filter(({ language }) => language === "ts");
  let errors: readonly string[];
  const nameOf = ({ page, line }: Block): string => `${page.replace(/\W/g, "_")}_${line}.ts`;

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), "precis-blocks-"));
    FOLDERS.push(folder);
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const paths = Object.fromEntries(
      Object.entries(manifest.exports).flatMap(([name, entry]) =>
        typeof entry === "string"
          ? []
          : [
              [
                `precis${name.slice(1)}`,
                [join(ROOT, entry.default.replace("./dist/", "src/").replace(/\.js$/, ".ts"))],
              ],
            ],
      ),
    );
    const options = { rootDir: "/", noUnusedLocals: false, paths, types: ["node"] };
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    const include = ["*.ts", join(ROOT, "src/**/*.d.ts")];
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions: options, include }),
    );
    for (const block of those) writeFileSync(join(folder, nameOf(block)), `${withSession(block.text)}\nexport {};\n`);
    const { stdout } = spawnSync(
      process.execPath,
      [join(ROOT, "node_modules/typescript/bin/tsc"), "--pretty", "false"],
      {
        cwd: folder,
        encoding: "utf8",
      },
    );
    errors = stdout.split("\n").filter((line) => line.includes("error TS") && !READERS_NAME.test(line));
  });

  it.each(those.map((block) => [titleOf(block), nameOf(block)]))("%s compiles", (_, name) => {
    expect(errors.filter((line) => line.startsWith(name))).toEqual([]);
  });

  it("compiles as a whole", () => {
    expect(errors.filter((line) => !/^\w+_\d+\.ts/.test(line))).toEqual([]);
  });
});
