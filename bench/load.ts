/**
 * `npm run bench:load`: replays sessions against gateways as processes, with their history in a real PostgreSQL or a file, and says what
 * that takes: throughput, added latency, processor time of gateway and database, what is stored. Without an option it replays one
 * load straight to the upstream, through one gateway and through two, in turns. `--part NAME` measures a part of
 * docs/capacity.md (shapes, full, paced, profile, noisy, people; several times or `all`), and `--keep` stores its figures.
 */
import { loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { corpusFiles, corpusText } from "../test/support/corpus.ts";
import type { LoadFigures, LoadResults } from "./load/figures.ts";
import { measureNoisy } from "./load/noisy.ts";
import { measureFull, measurePaced, measureProfile, measureShapes, MIXED, PACED } from "./load/parts.ts";
import { measurePeople } from "./load/people.ts";
import { generatedSessions, recordedSessions } from "./load/sessions.ts";
import { openStage, type Stage } from "./load/stage.ts";
import { loadTable, noisyLine, peopleTable, profileTable, shapesTable } from "./load/tables.ts";
import { keep, keptResult } from "./peers/results.ts";
import { machineLine } from "./table.ts";

const PARTS = ["shapes", "full", "paced", "profile", "noisy", "people"] as const;
type Part = (typeof PARTS)[number];

const { values: options } = parseArgs({
  options: {
    part: { type: "string", multiple: true },
    keep: { type: "boolean" },
    store: { type: "string", default: "postgres" },
    "at-once": { type: "string", default: String(MIXED.atOnce) },
    sessions: { type: "string", default: String(MIXED.sessions) },
    bytes: { type: "string", default: String(MIXED.bytes) },
    rate: { type: "string" },
    window: { type: "string", default: String(MIXED.windowTokens) },
    corpus: { type: "boolean" },
  },
});
const store = oneOf("--store", options.store, ["postgres", "sqlite"]);
const partsAsked = options.part?.map((part) => oneOf("--part", part, [...PARTS, "all"]));
const NOISY_ROUNDS = 5;
const NOISY_SECONDS = 10;
const COMMAND = "npm run bench:load -- --part all --keep";

/** The load that the options describe. */
async function replayOnce(): Promise<void> {
  const load = {
    sessions: Number(options.sessions),
    atOnce: Number(options["at-once"]),
    ...(options.rate === undefined ? {} : { perSecond: Number(options.rate) }),
  };
  const source =
    options.corpus === true
      ? recordedSessions(corpusFiles("openai").map(corpusText))
      : generatedSessions(Number(options.bytes));
  const { rows, twoOfOne } = await onStage(Number(options.window), (stage) => measureFull(stage, load, source));
  print(loadTable(rows), `Two gateways answer ${twoOfOne.toFixed(2)} times as many as one.`);
}

async function measureParts(parts: readonly Part[]): Promise<void> {
  const before: Partial<LoadResults> = keptResult<LoadResults>("load")?.figures ?? {};
  let figures: Partial<LoadResults> = { ...before, upstream: "answers at once, 250 tokens" };
  for (const part of parts) {
    const machineLoad = { ...figures.machineLoad, [part]: loadavg()[0]! };
    figures = { ...figures, ...(await MEASURES[part]()), machineLoad };
    if (options.keep === true) keep("load", COMMAND, { quick: false, figures });
  }
}

const MEASURES: Readonly<Record<Part, () => Promise<Partial<LoadResults>>>> = {
  shapes: async () => {
    const shapes = await measureShapes(store, () => undefined);
    print(shapesTable(shapes));
    return { shapes };
  },
  full: async () => {
    const measured = await onStage(MIXED.windowTokens, (stage) =>
      measureFull(stage, MIXED, generatedSessions(MIXED.bytes)),
    );
    print(loadTable(measured.rows), `Two gateways answer ${measured.twoOfOne.toFixed(2)} times as many as one.`);
    return { full: { ...MIXED, ...measured } };
  },
  paced: async () => {
    const rows = await onStage<readonly LoadFigures[]>(MIXED.windowTokens, (stage) =>
      measurePaced(stage, PACED, generatedSessions(PACED.bytes)),
    );
    print(loadTable(rows));
    return { paced: { ...PACED, rows } };
  },
  profile: async () => {
    const profile = await measureProfile(store, join(import.meta.dirname, "../src/cli/bin.ts"));
    print(profileTable(profile));
    return { profile };
  },
  noisy: async () => {
    const noisy = await measureNoisy({ store, rounds: NOISY_ROUNDS, secondsPerBlock: NOISY_SECONDS });
    print(noisyLine(noisy));
    return { noisy };
  },
  people: async () => {
    const people = await measurePeople();
    print(peopleTable(people));
    return { people };
  },
};

async function onStage<Answer>(windowTokens: number, measure: (stage: Stage) => Promise<Answer>): Promise<Answer> {
  const stage = await openStage({ gateways: 2, store, windowTokens });
  try {
    return await measure(stage);
  } finally {
    await stage.close();
  }
}

function oneOf<Choice extends string>(flag: string, given: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((one) => one === given);
  if (choice === undefined) throw new Error(`${flag} is "${given}": use one of ${choices.join(", ")}`);
  return choice;
}

function print(...blocks: readonly string[]): void {
  process.stdout.write(`\n${blocks.join("\n\n")}\n`);
}

process.stdout.write(`${machineLine()}; load ${loadavg()[0]!.toFixed(2)}\n`);
if (partsAsked === undefined) await replayOnce();
else await measureParts(partsAsked.includes("all") ? PARTS : PARTS.filter((part) => partsAsked.includes(part)));
