/** What is measured: calls straight to the upstream and through the gateway, in turns of a block each, in one run. */
import { createBodies, growingSession, type Bodies } from "./bodies.ts";
import { createCaller, type Call, type Caller, type Timing } from "./caller.ts";
import type { Running } from "./processes.ts";

export interface LatencyRow {
  readonly name: string;
  readonly directMs: number;
  /** Through a proxy that does nothing. */
  readonly bareMs: number;
  readonly throughMs: number;
  /** By the gateway, over direct. */
  readonly addedMs: number;
  /** Of the quickest calls on either side: what a busy machine changes least. */
  readonly addedBestMs: number;
  /** Of the slowest twentieth, added. */
  readonly addedP95Ms: number;
  readonly calls: number;
  readonly targetMs?: number;
}

export interface StreamsRow {
  readonly streams: number;
  readonly complete: number;
  readonly directMs: number;
  readonly throughMs: number;
  readonly ratio: number;
}

export interface MemoryRow {
  readonly name: string;
  /** Megabytes resident after that many requests. */
  readonly residentMb: Readonly<Record<number, number>>;
  readonly targetMb: number;
}

const DOORS = ["direct", "bare", "through"] as const;
type Door = (typeof DOORS)[number];
export type Doors = Readonly<Record<Door, Caller>>;
type Times = Readonly<Record<Door, number[]>>;

const KB = 1_024;
const SMALL_BYTES = 4 * KB;
const LARGE_BYTES = 400 * KB;
const SMALL_TARGET_MS = 0.7;
const LARGE_TARGET_MS = 5;
const FIRST_BYTE_TARGET_MS = 1.5;
const UPSTREAM_WAIT_MS = 20;
const BLOCK_CALLS = 10;
const WARM_UP_BLOCKS = 6;
const BLOCKS = 30;
/** Where each call takes its time anyway. */
const SLOW_BLOCKS = 10;
const STREAMS = 64;
const STREAM_EVENTS = 100;
const STREAM_PACE_MS = 10;
const MEMORY_REQUESTS = 10_000;
const MEMORY_STEP = 2_000;
const MEMORY_AT_ONCE = 8;
const MEMORY_TARGET_MB = 150;
const SESSIONS = 6;
const TAIL_SHARE = 0.95;

type Kind = keyof Bodies;

const KINDS: Readonly<Record<Kind, string>> = {
  same: "the same conversation again",
  next: "its next turn",
  fresh: "a new conversation",
};

const SESSION_ROW = "an agent's session turn by turn";

interface Case {
  readonly name: string;
  /** Called for each door, so that both see the same course of conversations. */
  readonly calls: () => () => Call;
  readonly take: (timing: Timing) => number;
  readonly blocks: number;
  readonly targetMs?: number;
}

/** Of those whose names hold the words, or all. */
export async function latencyRows(doors: Doors, words = ""): Promise<readonly LatencyRow[]> {
  const rows: LatencyRow[] = [];
  for (const one of cases()) if (one.name.includes(words)) rows.push(await measured(doors, one));
  return SESSION_ROW.includes(words) ? [...rows, ...(await growing(doors))] : rows;
}

function* cases(): Generator<Case> {
  const kinds = Object.keys(KINDS) as readonly Kind[];
  const plain = { take: whole, blocks: BLOCKS, targetMs: SMALL_TARGET_MS };
  const slow = { "x-bench-wait-ms": String(UPSTREAM_WAIT_MS) };
  const streamed = { stream: true, stream_options: { include_usage: true } };
  for (const kind of kinds) yield { ...plain, name: `JSON 4 KB, ${KINDS[kind]}`, calls: callsOf(kind, SMALL_BYTES) };
  for (const kind of kinds) {
    const calls = callsOf(kind, LARGE_BYTES);
    yield { ...plain, name: `JSON 400 KB, ${KINDS[kind]}`, calls, blocks: SLOW_BLOCKS, targetMs: LARGE_TARGET_MS };
  }
  for (const kind of kinds) {
    const calls = callsOf(kind, SMALL_BYTES, { headers: slow });
    yield {
      ...plain,
      name: `JSON 4 KB, ${KINDS[kind]}, upstream takes ${UPSTREAM_WAIT_MS} ms`,
      calls,
      blocks: SLOW_BLOCKS,
    };
  }
  for (const kind of kinds) {
    const calls = callsOf(kind, SMALL_BYTES, { fields: streamed });
    yield { ...plain, name: `SSE first byte, ${KINDS[kind]}`, calls, take: first, targetMs: FIRST_BYTE_TARGET_MS };
  }
}

interface More {
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: object;
}

function callsOf(kind: Kind, bytes: number, { headers = {}, fields = {} }: More = {}): Case["calls"] {
  return () => {
    const bodies = createBodies(bytes, fields);
    return () => ({ body: bodies[kind](), headers });
  };
}

const whole = ({ totalMs }: Timing): number => totalMs;
const first = ({ firstByteMs }: Timing): number => firstByteMs;

async function measured(doors: Doors, { name, calls, take, blocks, targetMs }: Case): Promise<LatencyRow> {
  const make = { direct: calls(), bare: calls(), through: calls() };
  const times = noTimes();
  for (let block = -WARM_UP_BLOCKS; block < blocks; block += 1) {
    for (const door of DOORS) {
      for (let at = 0; at < BLOCK_CALLS; at += 1) {
        const time = take(answered(await doors[door].call(make[door]())));
        if (block >= 0) times[door].push(time);
      }
    }
  }
  return latencyRow(name, times, targetMs);
}

function noTimes(): Times {
  return { direct: [], bare: [], through: [] };
}

function latencyRow(name: string, { direct, bare, through }: Times, targetMs?: number): LatencyRow {
  const directMs = quantile(direct, 0.5);
  const throughMs = quantile(through, 0.5);
  return {
    name,
    directMs,
    bareMs: quantile(bare, 0.5),
    throughMs,
    addedMs: throughMs - directMs,
    addedBestMs: Math.min(...through) - Math.min(...direct),
    addedP95Ms: quantile(through, TAIL_SHARE) - quantile(direct, TAIL_SHARE),
    calls: through.length,
    ...(targetMs === undefined ? {} : { targetMs }),
  };
}

/** Each turn once to either side, as an agent's session brings it, from its first turn to 400 KB. */
async function growing(doors: Doors): Promise<readonly LatencyRow[]> {
  const bands = [
    { name: "up to 100 KB", below: 100 * KB, times: noTimes() },
    { name: "100 to 400 KB", below: Number.POSITIVE_INFINITY, times: noTimes() },
  ];
  for (let session = 0; session <= SESSIONS; session += 1) {
    for (const body of growingSession(1_000 + session, LARGE_BYTES)) {
      const { times } = bands.find(({ below }) => body.length < below)!;
      for (const door of DOORS) {
        const { totalMs } = answered(await doors[door].call({ body }));
        // The first session warms up.
        if (session > 0) times[door].push(totalMs);
      }
    }
  }
  return bands.map(({ name, times }) => latencyRow(`${SESSION_ROW}, ${name}`, times, LARGE_TARGET_MS));
}

/** That many streams at once, each of that many events. */
export async function streamsRow({ direct, through }: Pick<Doors, "direct" | "through">): Promise<StreamsRow> {
  const bodies = createBodies(SMALL_BYTES, { stream: true });
  const headers = { "x-bench-events": String(STREAM_EVENTS), "x-bench-pace-ms": String(STREAM_PACE_MS) };
  const all = async (door: Caller): Promise<{ readonly ms: number; readonly timings: readonly Timing[] }> => {
    const startMs = performance.now();
    const calls = Array.from({ length: STREAMS }, () => door.call({ body: bodies.fresh(), headers }));
    const timings = await Promise.all(calls);
    return { ms: performance.now() - startMs, timings };
  };
  await all(direct);
  await all(through);
  const [plain, relayed] = [await all(direct), await all(through)];
  const wanted = plain.timings[0]!.bytes;
  return {
    streams: STREAMS,
    complete: relayed.timings.filter(({ status, bytes }) => status === 200 && bytes === wanted).length,
    directMs: plain.ms,
    throughMs: relayed.ms,
    ratio: relayed.ms / plain.ms,
  };
}

/** A gateway that has just started, and what it holds after each two thousand requests. */
export async function memoryRow(kind: "same" | "fresh", gateway: Running): Promise<MemoryRow> {
  const bodies = createBodies(SMALL_BYTES);
  const caller = createCaller(gateway.url);
  const residentMb: Record<number, number> = { 0: gateway.residentMb() };
  for (let done = MEMORY_STEP; done <= MEMORY_REQUESTS; done += MEMORY_STEP) {
    const each = Array.from({ length: MEMORY_AT_ONCE }, async () => {
      for (let at = 0; at < MEMORY_STEP / MEMORY_AT_ONCE; at += 1)
        answered(await caller.call({ body: bodies[kind]() }));
    });
    await Promise.all(each);
    residentMb[done] = gateway.residentMb();
  }
  caller.close();
  return { name: `${MEMORY_REQUESTS} requests of 4 KB, ${KINDS[kind]}`, residentMb, targetMb: MEMORY_TARGET_MB };
}

function answered(timing: Timing): Timing {
  const { status, treatment } = timing;
  if (status !== 200) throw new Error(`a call was answered with ${status}`);
  if (treatment.startsWith("untouched") || treatment.startsWith("rewritten"))
    throw new Error(`a call was ${treatment}: that is another measurement`);
  return timing;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
