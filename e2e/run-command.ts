/**
 * `npm run e2e:run [-- NAME…]`: each client is started by `precis run`, answers one prompt through the gateway that comes with it, and ends.
 * Afterwards no process of it is left, and it left the files that it leaves when it runs alone, beside the store. Ends with 1 where that
 * does not hold.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { createProvider } from "../provider/src/index.ts";
import { claudeCode } from "./claude-code.ts";
import type { Client, Place } from "./client.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { findInstalled, installAll } from "./install.ts";
import { bringUpLoopback, goInside, hasNamespaces, isInside } from "./namespace.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { writeSettings } from "./trial.ts";

const BIN = join(import.meta.dirname, "..", "dist", "cli", "bin.js");
const PROMPT = "Say in one sentence what this folder is for.";
const ANSWER = "It is for numbered parts.";
const RUN_MS_MAX = 3 * 60_000;
/** What a client ends by itself may take a moment. */
const ENDING_MS = 3_000;
const MARK = "PRECIS_E2E_RUN";

interface Started {
  readonly client: Client;
  /** As `precis run` knows it. */
  readonly command: string;
  readonly words: readonly string[];
  /** The person's own environment: a key, and where requests go without precis. */
  readonly environment: (provider: string) => Readonly<Record<string, string>>;
  /** The person's own settings. */
  readonly files: Client["files"];
}

const STARTED: readonly Started[] = [
  {
    client: claudeCode,
    command: "claude",
    words: claudeCode.words(PROMPT, false),
    environment: (provider) => claudeCode.environment({ base: provider } as Place),
    files: claudeCode.files,
  },
  {
    client: codex,
    command: "codex",
    words: codex.words(PROMPT, false),
    environment: (provider) => ({ OPENAI_API_KEY: "key-of-codex", OPENAI_BASE_URL: `${provider}/v1` }),
    files: ({ base }) => ({
      ".codex/config.toml": [
        `model = "${codex.model}"`,
        'model_provider = "own"',
        "[model_providers.own]",
        'name = "own"',
        `base_url = "${base}/v1"`,
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"\n',
      ].join("\n"),
    }),
  },
  {
    client: opencode,
    command: "opencode",
    words: ["run", "--format", "json", "-m", `openai/${opencode.model}`, PROMPT],
    environment: (provider) => ({
      ...opencode.environment({} as Place),
      OPENAI_API_KEY: "key-of-opencode",
      OPENAI_BASE_URL: `${provider}/v1`,
    }),
    files: ({ base }) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        autoupdate: false,
        share: "disabled",
        provider: { openai: { options: { baseURL: `${base}/v1` } } },
      }),
    }),
  },
  {
    client: pi,
    command: "pi",
    words: ["--provider", "openai", "--model", pi.model, "--mode", "json", "-p", PROMPT],
    environment: (provider) => ({
      PI_OFFLINE: "1",
      OPENAI_API_KEY: "key-of-pi",
      OPENAI_BASE_URL: `${provider}/v1`,
    }),
    files: ({ base }) => ({
      ".pi/agent/models.json": JSON.stringify({ providers: { openai: { baseUrl: `${base}/v1` } } }),
    }),
  },
  {
    client: geminiCli,
    command: "gemini",
    words: geminiCli.words(PROMPT, false),
    environment: (provider) => geminiCli.environment({ base: provider } as Place),
    files: geminiCli.files,
  },
];

interface Run {
  readonly code: number | null;
  readonly said: string;
  readonly requests: number;
  readonly refused: number;
  /** Of sessions, in the store of precis. */
  readonly stored: boolean;
  /** Command lines of processes that were there afterwards. */
  readonly processes: readonly string[];
  /** Below the home and the folder for temporary files, with ids and dates taken out. */
  readonly files: ReadonlySet<string>;
  /** The settings that were there before, as they are afterwards, with ids and dates taken out: clients write into them too. */
  readonly settings: Readonly<Record<string, string>>;
}

const say = (message: string): void => void process.stderr.write(`${message}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: "boolean", default: false } },
});

const chosen = (): readonly Started[] =>
  positionals.length === 0
    ? STARTED
    : STARTED.filter(({ client, command }) => positionals.includes(client.name) || positionals.includes(command));

/** The client by `precis run`, or by itself. */
async function runOnce(started: Started, installed: string, withPrecis: boolean): Promise<Run> {
  const { client, command, words } = started;
  const root = await mkdtemp(join(tmpdir(), `precis-run-${client.name}-`));
  const [home, workspace, programs] = [join(root, "home"), join(root, "work"), join(root, "programs")];
  const temporary = join(home, "temporary");
  for (const folder of [temporary, workspace, programs]) await mkdir(folder, { recursive: true });
  const provider = createProvider({ models: { [client.model]: {} }, script: () => ({ text: ANSWER }) });
  const listening = await provider.listen();
  const place: Place = { base: listening.url, home, workspace, installed };
  const call = client.program(place).map((word) => `'${word}'`);
  await writeFile(join(programs, command), `#!/bin/sh\nexec ${call.join(" ")} "$@"\n`, { mode: 0o755 });
  const own = started.files(place);
  await writeSettings(own, home);
  const mark = randomUUID();
  const environment = {
    PATH: [programs, process.env["PATH"]].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    LANG: "C.UTF-8",
    TERM: "dumb",
    SHELL: "/bin/bash",
    ...started.environment(listening.url),
    [MARK]: mark,
  };
  const line = withPrecis ? [process.execPath, BIN, "run", command, ...words] : [join(programs, command), ...words];
  try {
    const { code, said } = await ended(line, { cwd: workspace, environment });
    const processes = await processesWith(mark);
    const settings = Object.keys(own).map(async (name) => [name, await readFile(join(home, name), "utf8")] as const);
    const all = await filesBelow(home);
    return {
      code,
      said,
      requests: provider.requests.filter(({ body }) => body.includes(PROMPT)).length,
      refused: provider.requests.filter(({ outcome }) => outcome === "refused").length,
      stored: all.some((name) => name.endsWith("precis/history.db")),
      processes,
      files: new Set(all.map(withoutIds)),
      settings: Object.fromEntries(
        (await Promise.all(settings)).map(([name, text]) => [
          name,
          withoutIds(text.replaceAll(listening.url, "PROVIDER")),
        ]),
      ),
    };
  } finally {
    await listening.close();
    if (values.keep) say(`${client.name}: kept in ${root}`);
    else await rm(root, { recursive: true, force: true });
  }
}

async function ended(
  [program, ...words]: readonly string[],
  { cwd, environment }: { readonly cwd: string; readonly environment: Readonly<Record<string, string>> },
): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(program!, words, {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_MS_MAX,
  });
  let said = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (piece: Buffer) => (said += piece.toString("utf8")));
  const code = await new Promise<number | null>((done, failed) => {
    child.once("error", failed);
    child.once("close", done);
  });
  return { code, said };
}

/** Every process that inherited the mark, once it had time to end. */
async function processesWith(mark: string): Promise<readonly string[]> {
  const until = Date.now() + ENDING_MS;
  for (;;) {
    const found: string[] = [];
    for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
      if (environment.includes(mark)) found.push(await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => id));
    }
    if (found.length === 0 || Date.now() > until) return found.map((line) => line.replaceAll("\0", " "));
    await pause(100);
  }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** Two runs differ in ids, dates and the folder's name. */
function withoutIds(path: string): string {
  return path
    .replace(/precis-run-[\w-]+?-\w{6}(?=-)/g, "ROOT")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
    .replace(/(?:ses|msg|prt)_\w+/g, "ID")
    .replace(/[0-9a-f]{8,}/g, "ID")
    .replace(/\d+/g, "N");
}

/** What only precis keeps: its store, with the locks and logs that belong to it. */
const STORE = /^\.local\/(?:share|state)\/precis\//;

/** Claude Code tries out whether files can be watched; whether it takes its probe away before it ends is a race of its own. */
const PROBE = /^temporary\/claude-N\/fswatch-probe-/;

function faultsOf(run: Run, alone: Run): readonly string[] {
  const left = [...run.files].filter((name) => !alone.files.has(name) && !STORE.test(name) && !PROBE.test(name));
  const changed = Object.keys(run.settings).filter((name) => run.settings[name] !== alone.settings[name]);
  const answered = run.said.includes(ANSWER);
  return [
    ...(run.code === 0 ? [] : [`ended with ${run.code}: ${run.said.slice(-SAID_CHARS_MAX)}`]),
    ...(answered ? [] : [`did not show the answer: ${run.said.slice(-SAID_CHARS_MAX)}`]),
    ...(run.requests > 0 ? [] : ["asked the provider nothing"]),
    ...(run.refused === 0 ? [] : [`${run.refused} requests were refused`]),
    ...(run.stored ? [] : ["did not go through a gateway: nothing is stored"]),
    ...run.processes.map((line) => `left a process: ${line}`),
    ...left.map((name) => `left a file: ${name}`),
    ...changed.map((name) => `changed settings: ${name}`),
  ];
}

const SAID_CHARS_MAX = 1_500;

async function main(): Promise<number> {
  if (chosen().length === 0) {
    say(`No client is called ${positionals.join(" or ")}: ${STARTED.map(({ command }) => command).join(", ")}.`);
    return 2;
  }
  if (!isInside()) {
    if (!hasNamespaces()) {
      say("Skipped: clients run only where a network of their own can be had (Linux, unshare -rn).");
      return 0;
    }
    await installAll(
      chosen().map(({ client }) => client),
      say,
    );
    return goInside();
  }
  bringUpLoopback();
  let failed = 0;
  for (const started of chosen()) {
    const done = await findInstalled(started.client);
    if (done.kind === "missing") continue;
    const alone = await runOnce(started, done.folder, false);
    const run = await runOnce(started, done.folder, true);
    const faults = faultsOf(run, alone);
    failed += faults.length;
    const figures = `${run.requests} requests with the prompt, ${run.refused} refused, ${run.processes.length} processes left`;
    process.stdout.write(
      `precis run ${started.command} (${started.client.title} ${started.client.version}): ended with ${run.code}, ${figures}${faults.map((fault) => `\n  FAULT ${fault}`).join("")}\n`,
    );
    if (alone.code !== 0)
      say(`${started.client.name} alone ended with ${alone.code}: ${alone.said.slice(-SAID_CHARS_MAX)}`);
  }
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main();
