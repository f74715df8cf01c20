/**
 * A tenant that sends far more than it may, beside another one that does not: what that does to the other one, with and without it
 * in turns. Without it, its client sends as much straight to the upstream, because a client on the same cores takes time
 * from everybody and is no doing of the gateway.
 */
import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import type { NoisyFigures } from "./figures.ts";
import type { Flooded } from "./flood.ts";
import { latencyOf, replay, type Replayed } from "./replay.ts";
import { generatedSessions } from "./sessions.ts";
import { openStage, type Stage, type StageOptions } from "./stage.ts";

export interface NoisyOptions extends Pick<StageOptions, "store" | "gateway"> {
  readonly rounds: number;
  readonly secondsPerBlock: number;
}

const WINDOW_TOKENS = 200_000;
const QUIET = { bytes: 100_000, atOnce: 6, perSecond: 30, key: "sk-quiet" } as const;
export const NOISY = { limitPerMinute: 120, atOnceLimit: 4, perSecond: 150, key: "sk-noisy" } as const;
/** What a limit a minute lets it send at once is over by then: measured is a tenant at its limit, not one on the way there. */
const SETTLING_MS = 3_000;
/** More than any block sends. */
const SESSIONS_MAX = 1_000;
const TENANTS_FILE = "tenants.yaml";

export async function measureNoisy({ rounds, secondsPerBlock, ...on }: NoisyOptions): Promise<NoisyFigures> {
  const stage = await openStage({
    ...on,
    gateways: 1,
    windowTokens: WINDOW_TOKENS,
    flags: { set: `gateway.tenants_file=${TENANTS_FILE}` },
    files: { [TENANTS_FILE]: tenantsFile() },
  });
  try {
    const alone: Replayed[] = [];
    const beside: Replayed[] = [];
    const floods: Flooded[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const quiet = await floodedBlock(stage, stage.upstream.url, secondsPerBlock, `alone ${round}`);
      const noisy = await floodedBlock(stage, stage.gateways[0]!.url, secondsPerBlock, `beside ${round}`);
      // The first round warms up.
      if (round === 0) continue;
      alone.push(quiet.replayed);
      beside.push(noisy.replayed);
      floods.push(noisy.flooded);
    }
    return figuresOf(alone, beside, floods);
  } finally {
    await stage.close();
  }
}

function figuresOf(alone: readonly Replayed[], beside: readonly Replayed[], floods: readonly Flooded[]): NoisyFigures {
  const [apart, together] = [alone, beside].map((all) => latencyOf(all.flatMap(({ latenciesMs }) => latenciesMs)));
  const sum = (of: (flood: Flooded) => number): number => floods.reduce((total, flood) => total + of(flood), 0);
  const waits = floods.flatMap(({ retryAfterSeconds }) => retryAfterSeconds);
  return {
    clientAlways: true,
    limitPerMinute: NOISY.limitPerMinute,
    quietPerSecond: rateOf(alone),
    noisyPerSecond: sum(({ answered, refused }) => answered + refused) / sum(({ seconds }) => seconds),
    alone: apart!,
    beside: together!,
    p99Ratio: together!.p99Ms / apart!.p99Ms,
    quietRefused: [...alone, ...beside].reduce(
      (total, { requests, latenciesMs }) => total + requests - latenciesMs.length,
      0,
    ),
    noisyAnswered: sum(({ answered }) => answered),
    noisyRefused: sum(({ refused }) => refused),
    retryAfterSeconds: [Math.min(...waits), Math.max(...waits)],
  };
}

function rateOf(all: readonly Replayed[]): number {
  const [requests, seconds] = all.reduce(
    ([one, other], replayed) => [one + replayed.requests, other + replayed.seconds],
    [0, 0],
  );
  return requests / seconds;
}

let blocks = 0;

function block(stage: Stage, secondsMax: number, name: string): Promise<Replayed> {
  const { bytes, atOnce, perSecond, key } = QUIET;
  const source = generatedSessions(bytes);
  const first = (blocks += 1) * SESSIONS_MAX;
  const load = { sessions: SESSIONS_MAX, atOnce, perSecond, secondsMax, headers: { authorization: `Bearer ${key}` } };
  return replay(stage.through, (number, own) => source(first + number, own), load, name);
}

interface FloodedBlock {
  readonly replayed: Replayed;
  readonly flooded: Flooded;
}

async function floodedBlock(stage: Stage, url: string, seconds: number, name: string): Promise<FloodedBlock> {
  const words = [join(import.meta.dirname, "flood.ts"), url, NOISY.key, String(NOISY.perSecond)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  await once(lines, "line");
  await setTimeout(SETTLING_MS);
  const replayed = await block(stage, seconds, name);
  const said = once(lines, "line");
  child.kill("SIGTERM");
  return { replayed, flooded: JSON.parse(((await said) as [string])[0]) as Flooded };
}

function tenantsFile(): string {
  const limits = `    requests_per_minute: ${NOISY.limitPerMinute}\n    requests_at_once: ${NOISY.atOnceLimit}\n`;
  return `others: refuse\ntenants:\n${tenantLines("quiet", QUIET.key)}${tenantLines("noisy", NOISY.key)}${limits}`;
}

function tenantLines(name: string, key: string): string {
  return `  ${name}:\n    keys: ["sha256:${hash("sha256", key)}"]\n`;
}
