/**
 * A session that is begun in one real agent and gone on with in another: moved whole by `precis convert`, and as the context for a new one
 * by `precis handoff GOAL`. The provider behind the second has to receive what was said and found in the first.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createProvider, type Provider } from "../provider/src/index.ts";
import { claudeCode } from "./claude-code.ts";
import type { Client, Place } from "./client.ts";
import { codex } from "./codex.ts";
import { findInstalled } from "./install.ts";
import { pi } from "./pi.ts";
import { scriptOf } from "./script.ts";
import { isTask, runClient, startClient, writeSettings } from "./trial.ts";

const BIN = join(import.meta.dirname, "..", "dist", "cli", "bin.js");

interface Pair {
  readonly from: Client;
  readonly to: Client;
  /** Its words for the last session become those for a session by its id. */
  readonly last: string;
  readonly byId: (id: string) => readonly string[];
}

const PAIRS: readonly Pair[] = [
  { from: claudeCode, to: codex, last: "--last", byId: (id) => [id] },
  { from: pi, to: claudeCode, last: "--continue", byId: (id) => ["--resume", id] },
];

export const PAIR_CLIENTS: readonly Client[] = [...new Set(PAIRS.flatMap(({ from, to }) => [from, to]))];

const RULE = "Never weigh the green crate.";
const FOUND = "red: 58 kg, scale 4";
const STAGE = {
  prompt: `This folder is a depot of numbered parts. ${RULE} How heavy is the red crate?`,
  steps: [{ says: "I look.", does: [{ kind: "run", command: "cat red.txt" }] }],
  closing: "The red crate weighs 58 kg.",
} as const;
const PROMPT = "And which scale was it, in that depot of numbered parts?";
const GOAL = "Write a label for the red crate of the depot of numbered parts.";

export interface PairOutcome {
  readonly pair: string;
  readonly way: "convert" | "handoff";
  readonly faults: readonly string[];
}

export async function runPairs(): Promise<readonly PairOutcome[]> {
  const outcomes: PairOutcome[] = [];
  for (const pair of PAIRS) {
    const [from, to] = [await findInstalled(pair.from), await findInstalled(pair.to)];
    if (from.kind === "missing" || to.kind === "missing") continue;
    for (const way of ["convert", "handoff"] as const)
      outcomes.push({
        pair: `${pair.from.title} → ${pair.to.title}`,
        way,
        faults: await goOn(pair, way, { from: from.folder, to: to.folder }),
      });
  }
  return outcomes;
}

async function goOn(pair: Pair, way: PairOutcome["way"], installed: { from: string; to: string }) {
  const root = await mkdtemp(join(tmpdir(), `precis-pair-${pair.from.name}-`));
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, workspace]) await mkdir(folder);
  await writeFile(join(workspace, "red.txt"), `${FOUND}\n`);
  const first = providerFor(pair.from);
  const second = providerFor(pair.to);
  const [one, other] = [await first.listen(), await second.listen()];
  try {
    const begun: Place = { base: one.url, home, workspace, installed: installed.from };
    await writeSettings(pair.from.files(begun), home);
    const started = await startClient(pair.from, begun, { prompt: STAGE.prompt, goesOn: false });
    const place: Place = { base: other.url, home, workspace, installed: installed.to };
    await writeSettings(pair.to.files(place), home);
    const went = await runClient(
      pair.to,
      place,
      way === "convert" ? await converted(pair, place) : await handedOff(pair, place),
    );
    return [
      ...[started, went].flatMap(({ code, errors }) => (code === 0 ? [] : [`ended with ${code}: ${errors}`])),
      ...pair.to.complaints(went.output),
      ...faultsIn(second, way),
      ...(way === "handoff" ? await recallFaults(second, place) : []),
    ];
  } finally {
    for (const listening of [one, other]) await listening.close();
    await rm(root, { recursive: true, force: true });
  }
}

function providerFor({ callFor, aside, model }: Client): Provider {
  return createProvider({
    models: { [model]: {} },
    script: scriptOf({
      callFor,
      stages: [STAGE],
      stage: () => 0,
      isTask: ({ body }) => isTask(JSON.stringify(body)),
      aside,
    }),
  });
}

async function precis({ home, workspace }: Place, ...words: readonly string[]): Promise<string> {
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
  return (await promisify(execFile)(process.execPath, [BIN, ...words], { cwd: workspace, env })).stdout;
}

/** The newest session of the first agent, put where the second one keeps its own; the words that go on with it. */
async function converted({ to, last, byId }: Pair, place: Place): Promise<readonly string[]> {
  const listed = await precis(place, "sessions", "import", "--list", "--json");
  const { sessions } = JSON.parse(listed) as { readonly sessions: readonly { readonly path: string }[] };
  const report = await precis(place, "convert", sessions[0]!.path, "--to", to.name, "--install", "--json");
  const id = (JSON.parse(report) as { readonly resume: readonly string[] }).resume.at(-1)!;
  return to.words(PROMPT, true).flatMap((word) => (word === last ? byId(id) : [word]));
}

/** As a person does it in the folder of the first session: `claude "$(precis handoff GOAL)"`. */
async function handedOff({ to }: Pair, place: Place): Promise<readonly string[]> {
  return to.words(await precis(place, "handoff", GOAL), false);
}

function faultsIn({ requests }: Provider, way: PairOutcome["way"]): readonly string[] {
  const refused = requests.filter(({ outcome }) => outcome === "refused").map(({ message }) => `refused: ${message}`);
  const asked = requests.find(({ body }) => body.includes(way === "convert" ? PROMPT : GOAL) && isTask(body));
  if (asked === undefined) return [...refused, "no request had what was asked"];
  const wanted = way === "convert" ? [RULE, "cat red.txt", FOUND, STAGE.closing, PROMPT] : [RULE, "red.txt", GOAL];
  const places = wanted.map((words) => [words, asked.body.indexOf(words)] as const);
  return [...refused, ...places.flatMap(([words, at]) => (at < 0 ? [`not sent: ${words}`] : []))];
}

/** What was found is there, or can be read in full by an id that the handoff names. */
async function recallFaults({ requests }: Provider, place: Place): Promise<readonly string[]> {
  const bodies = requests.map(({ body }) => body).join("\n");
  if (bodies.includes(FOUND)) return [];
  const ids = [...new Set(bodies.match(/\br[0-9a-f]{16}\b/g))];
  for (const id of ids) if ((await precis(place, "recall", id)).includes(FOUND)) return [];
  return [`what was found is neither there nor behind one of ${ids.length} ids`];
}
