/**
 * `npm run e2e:resume [-- NAME…]`: a session of another agent is converted, put where the client keeps its own, and resumed by
 * the real client. The provider has to receive the live history: what a recorded compaction replaced is not sent again, its
 * summary, what it kept and what came after are, and the provider's rules hold. `pairs` does it with sessions that real agents wrote.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { createProvider, type RequestRecord } from "../provider/src/index.ts";
import { claudeCode } from "./claude-code.ts";
import type { Client, Place } from "./client.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { findInstalled, installAll } from "./install.ts";
import { bringUpLoopback, goInside, hasNamespaces, isInside } from "./namespace.ts";
import { opencode } from "./opencode.ts";
import { PAIR_CLIENTS, runPairs } from "./pairs.ts";
import { pi } from "./pi.ts";
import { RECORDED, recordedSession } from "./recorded-session.ts";
import { runClient, writeSettings } from "./trial.ts";

const BIN = join(import.meta.dirname, "..", "dist", "cli", "bin.js");
const RECORDED_BYTES = 64 * 1024 * 1024;

interface Resumed {
  readonly client: Client;
  /** Where the format is called otherwise. */
  readonly format?: string;
  /** Its words for the last session become those for a session by its id. */
  readonly last: readonly string[];
  readonly byId: (id: string) => readonly string[];
  /** What makes it create its database. */
  readonly prepare?: readonly string[];
}

const RESUMED: readonly Resumed[] = [
  { client: claudeCode, last: ["--continue"], byId: (id) => ["--resume", id] },
  { client: codex, last: ["--last"], byId: (id) => [id] },
  { client: opencode, last: ["--continue"], byId: (id) => ["-s", id], prepare: ["session", "list"] },
  { client: geminiCli, format: "gemini", last: ["latest"], byId: (id) => [id] },
  { client: pi, last: ["-c"], byId: (id) => ["--session", id] },
];

const PROMPT = "What is left to do? Answer from what was said.";

interface Outcome {
  readonly client: string;
  readonly version: string;
  readonly faults: readonly string[];
}

const say = (message: string): void => void process.stderr.write(`${message}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { keep: { type: "boolean", default: false } },
});

const chosen = (): readonly Resumed[] =>
  positionals.length === 0 ? RESUMED : RESUMED.filter(({ client }) => positionals.includes(client.name));

const withPairs = (): boolean => positionals.length === 0 || positionals.includes("pairs");

async function resume(resumed: Resumed, installed: string): Promise<Outcome> {
  const { client } = resumed;
  const root = await mkdtemp(join(tmpdir(), `precis-resume-${client.name}-`));
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  await mkdir(home);
  await mkdir(workspace);
  const provider = createProvider({
    every: { windowTokens: client.windowTokens },
    models: { [client.model]: {} },
    limits: { recordedBytes: RECORDED_BYTES },
    script: () => ({ text: "The label is left." }),
  });
  const listening = await provider.listen();
  const place: Place = { base: listening.url, home, workspace, installed };
  try {
    await writeSettings(client.files(place), home);
    if (resumed.prepare !== undefined) await runClient(client, place, resumed.prepare);
    const words = await installSession(resumed.format ?? client.name, { home, workspace });
    const id = words.at(-1)!;
    const given = client.words(PROMPT, true).flatMap((word) => (word === resumed.last[0] ? resumed.byId(id) : [word]));
    const run = await runClient(client, place, given);
    if (values.keep) say(`${client.name}: kept in ${root}\n${run.errors}${run.output.slice(0, 2_000)}`);
    const complaints = run.code === 0 ? client.complaints(run.output) : [`ended with ${run.code}: ${run.errors}`];
    return { client: client.name, version: client.version, faults: [...complaints, ...faultsOf(provider.requests)] };
  } finally {
    await listening.close();
    if (!values.keep) await rm(root, { recursive: true, force: true });
  }
}

/** Converts the recorded session with the built program, and answers with the words that resume it. */
async function installSession(
  format: string,
  { home, workspace }: Pick<Place, "home" | "workspace">,
): Promise<readonly string[]> {
  const session = join(home, "recorded.jsonl");
  await writeFile(session, recordedSession());
  const words = ["convert", session, "--to", format, "--cwd", workspace, "--install", "--json"];
  const environment = { HOME: home, PATH: process.env["PATH"] ?? "" };
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, ...words], { cwd: workspace, env: environment });
  return (JSON.parse(stdout) as { readonly resume: readonly string[] }).resume;
}

function faultsOf(requests: readonly RequestRecord[]): readonly string[] {
  const refused = requests.filter(({ status, body }) => status >= 400 && body.includes(PROMPT));
  const [asked] = requests.filter(({ body }) => body.includes(PROMPT) && body.includes(RECORDED.summary));
  const faults = refused.map(({ message, status }) => `refused with ${status}: ${message}`);
  if (asked === undefined) return [...faults, "no request had the prompt and the recorded summary"];
  const places = [...RECORDED.live, PROMPT].map((words) => [words, asked.body.indexOf(words)] as const);
  const absent = places.filter(([, at]) => at < 0).map(([words]) => `not sent: ${words}`);
  const unordered = places.some(([, at], index) => index > 0 && at < places[index - 1]![1])
    ? ["sent in another order"]
    : [];
  const replaced = RECORDED.replaced
    .filter((words) => asked.body.includes(words))
    .map((words) => `sent again: ${words}`);
  return [...faults, ...absent, ...(absent.length > 0 ? [] : unordered), ...replaced];
}

async function main(): Promise<number> {
  if (!isInside()) {
    if (!hasNamespaces()) {
      say("Skipped: clients run only where a network of their own can be had (Linux, unshare -rn).");
      return 0;
    }
    await installAll([...chosen().map(({ client }) => client), ...(withPairs() ? PAIR_CLIENTS : [])], say);
    return goInside();
  }
  bringUpLoopback();
  const outcomes: Outcome[] = [];
  for (const resumed of chosen()) {
    const done = await findInstalled(resumed.client);
    if (done.kind === "installed") outcomes.push(await resume(resumed, done.folder));
  }
  for (const { client, version, faults } of outcomes)
    process.stdout.write(`${client} ${version}: ${faults.length === 0 ? "resumed" : faults.join("; ")}\n`);
  const pairs = withPairs() ? await runPairs() : [];
  for (const { pair, way, faults } of pairs)
    process.stdout.write(`${pair} by ${way}: ${faults.length === 0 ? "went on" : faults.join("; ")}\n`);
  return [...outcomes, ...pairs].some(({ faults }) => faults.length > 0) ? 1 : 0;
}

process.exitCode = await main();
