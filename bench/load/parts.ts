/** The parts of the measurement: each opens a stage of its own and compares what it compares in turns, in one run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { estimateText } from "../../src/core/transcript/estimate.ts";
import type { Caller } from "../gateway/caller.ts";
import { quantile } from "../stopwatch.ts";
import type { LoadFigures, LoadResults, ShapeFigures } from "./figures.ts";
import { summarizeProfiles, type ProfileShare } from "./profile.ts";
import { latencyOf, replay, type Load, type Replayed } from "./replay.ts";
import { generatedSessions, type SessionSource } from "./sessions.ts";
import { openStage, usedBetween, type Stage, type StageOptions, type Used } from "./stage.ts";

interface Shape {
  readonly name: string;
  readonly bytes: number;
  readonly windowTokens: number;
  /** Tool results are cut to that. */
  readonly resultChars?: number;
  readonly sessions: number;
}

const LARGE_WINDOW = 10_000_000;
const SHORT_RESULT_CHARS = 200;
const SHAPES: readonly Shape[] = [
  { name: "up to 60 KB, never compacted", bytes: 60_000, windowTokens: LARGE_WINDOW, sessions: 8 },
  { name: "up to 250 KB, never compacted", bytes: 250_000, windowTokens: LARGE_WINDOW, sessions: 3 },
  { name: "up to 600 KB, never compacted", bytes: 600_000, windowTokens: LARGE_WINDOW, sessions: 1 },
  { name: "up to 60 KB, short results, never compacted", bytes: 60_000, windowTokens: LARGE_WINDOW, resultChars: SHORT_RESULT_CHARS, sessions: 3 }, // prettier-ignore
  { name: "up to 250 KB, window of 120,000", bytes: 250_000, windowTokens: 120_000, sessions: 3 },
  { name: "up to 300 KB, window of 60,000", bytes: 300_000, windowTokens: 60_000, sessions: 3 },
  { name: "up to 300 KB, window of 30,000", bytes: 300_000, windowTokens: 30_000, sessions: 3 },
];

/** Of the loads that several sessions make at once. */
export const MIXED = { bytes: 200_000, windowTokens: 60_000, atOnce: 8, sessions: 8 } as const;
/** Of the loads at a given rate, which take as long as they take. */
export const PACED = { ...MIXED, bytes: 300_000, atOnce: 4, sessions: 4 } as const;
const ROUNDS = 3;
const RATES = [6, 12];

/** Sessions of other numbers have other contents, so that nothing is stored already. */
function fresh(source: SessionSource, first: number): SessionSource {
  return (number, name) => source(first + number, name);
}

let contents = 0;

/** The next `count` sessions that nobody has seen. */
function unseen(source: SessionSource, count: number): SessionSource {
  contents += count;
  return fresh(source, contents - count);
}

export async function measureShapes(
  store: StageOptions["store"],
  report: (row: ShapeFigures) => void,
): Promise<readonly ShapeFigures[]> {
  const rows: ShapeFigures[] = [];
  for (const shape of SHAPES) {
    const stage = await openStage({ gateways: 1, store, windowTokens: shape.windowTokens });
    try {
      const row = await measureShape(stage, shape);
      rows.push(row);
      report(row);
    } finally {
      await stage.close();
    }
  }
  return rows;
}

async function measureShape(
  stage: Stage,
  { name, bytes, windowTokens, resultChars, sessions }: Shape,
): Promise<ShapeFigures> {
  const source = generatedSessions(bytes, resultChars);
  // The compiler has to be done first.
  await replay(stage.through, unseen(source, 2), { sessions: 2, atOnce: 1 }, `${name}, warm-up`);
  const before = await stage.history.cost();
  const direct: number[] = [];
  const through: number[] = [];
  const all: Replayed[] = [];
  const used: Used[] = [];
  let [newBytes, newTokens] = [0, 0];
  for (let round = 0; round < sessions; round += 1) {
    const own = unseen(source, 1);
    direct.push(...(await replay([stage.direct], own, { sessions: 1, atOnce: 1 }, `${name} ${round}`)).latenciesMs);
    const start = await stage.used();
    const replayed = await replay(stage.through, own, { sessions: 1, atOnce: 1 }, `${name} ${round}`);
    used.push(usedBetween(start, await stage.used()));
    all.push(replayed);
    through.push(...replayed.latenciesMs);
    const last = lastBody(own, `${name} ${round}`);
    newBytes += last.length;
    newTokens += estimateText(last);
  }
  const after = await stage.history.cost();
  const sum = (of: (one: Replayed) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    name,
    windowTokens,
    sessions,
    turns: sum(({ requests }) => requests),
    bytes: sum((one) => one.bytes),
    newBytes,
    newTokens,
    messages: after.messages - before.messages,
    compactions: sum(({ compactions }) => compactions),
    used: used.reduce(addUsed),
    direct: latencyOf(direct),
    through: latencyOf(through),
    transactions: after.transactions - before.transactions,
    walBytes: after.walBytes - before.walBytes,
    storedRows: after.rows - before.rows,
    storedBytes: after.bytes - before.bytes,
  };
}

function lastBody(source: SessionSource, name: string): string {
  const session = source(0, name);
  let last = "";
  for (let turn = 0; ; turn += 1) {
    const body = session.bodyOf(turn);
    if (body === undefined) return last;
    last = body.toString();
  }
}

function addUsed(one: Used, other: Used): Used {
  return {
    client: one.client + other.client,
    upstream: one.upstream + other.upstream,
    gateway: one.gateway + other.gateway,
    database: one.database + other.database,
  };
}

interface Lane {
  readonly gateways: number;
  readonly doors: readonly Caller[];
}

/** Straight, through one gateway and through both. */
function lanesOf({ direct, through }: Stage): readonly Lane[] {
  return [
    { gateways: 0, doors: [direct] },
    { gateways: 1, doors: through.slice(0, 1) },
    { gateways: 2, doors: through },
  ];
}

export async function measureFull(
  stage: Stage,
  load: Omit<Load, "perSecond">,
  source: SessionSource,
): Promise<Pick<LoadResults["full"], "rows" | "twoOfOne">> {
  const lanes = lanesOf(stage);
  const rounds: LoadFigures[][] = lanes.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [at, lane] of lanes.entries()) {
      const row = await measureLane(stage, lane, load, source);
      // The first round warms up.
      if (round > 0) rounds[at]!.push(row);
    }
  const [, one, two] = rounds;
  const ratios = two!.map(({ perSecond }, round) => perSecond / one![round]!.perSecond);
  return { rows: rounds.map(medianRow), twoOfOne: quantile(ratios, 0.5) };
}

export async function measurePaced(
  stage: Stage,
  load: Omit<Load, "perSecond">,
  source: SessionSource,
): Promise<readonly LoadFigures[]> {
  const rows: LoadFigures[] = [];
  for (const perSecond of RATES)
    for (const lane of lanesOf(stage)) rows.push(await measureLane(stage, lane, { ...load, perSecond }, source));
  return rows;
}

let lanes = 0;

async function measureLane(
  stage: Stage,
  { gateways, doors }: Lane,
  load: Load,
  source: SessionSource,
): Promise<LoadFigures> {
  const before = await stage.used();
  const replayed = await replay(doors, unseen(source, load.sessions), load, `lane ${lanes++}`);
  const { client, upstream, gateway, database } = usedBetween(before, await stage.used());
  const { requests, seconds, refused } = replayed;
  const each = (ms: number): number => ms / requests;
  return {
    gateways,
    perSecond: requests / seconds,
    ...(load.perSecond === undefined ? {} : { offeredPerSecond: load.perSecond }),
    requests,
    refused: Object.values(refused).reduce((sum, count) => sum + count, 0),
    ...latencyOf(replayed.latenciesMs),
    usedPerRequest: {
      client: each(client),
      upstream: each(upstream),
      gateway: each(gateway),
      database: each(database),
    },
  };
}

/** The round whose throughput is the median. */
function medianRow(rows: readonly LoadFigures[]): LoadFigures {
  return rows.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rows.length / 2)]!;
}

/** From source, so that its functions have their places. */
export async function measureProfile(store: StageOptions["store"], command: string): Promise<readonly ProfileShare[]> {
  const folder = mkdtempSync(join(tmpdir(), "precis-bench-profile-"));
  const gateway = { command, nodeFlags: ["--cpu-prof", `--cpu-prof-dir=${folder}`] };
  try {
    const stage = await openStage({ gateways: 1, store, windowTokens: MIXED.windowTokens, gateway });
    const source = generatedSessions(MIXED.bytes);
    await replay(stage.through, unseen(source, MIXED.sessions), MIXED, "profile");
    await stage.close();
    return summarizeProfiles(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
