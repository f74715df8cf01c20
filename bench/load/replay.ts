/** Replays sessions against one or several doors: so many at once, each turn at the next door, at a given rate or as fast as they go. */
import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "../stopwatch.ts";
import type { Caller } from "../gateway/caller.ts";
import type { SessionSource } from "./sessions.ts";

export interface Load {
  /** Whole sessions. */
  readonly sessions: number;
  readonly atOnce: number;
  /** Requests a second by all of them; as fast as they go where not given. A turn never begins before the one before it has ended. */
  readonly perSecond?: number;
  /** Of a session that has not ended by then no further turn is sent. */
  readonly secondsMax?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Replayed {
  readonly requests: number;
  readonly seconds: number;
  /** Of request bodies. */
  readonly bytes: number;
  /** By status, other than 200. */
  readonly refused: Readonly<Record<number, number>>;
  /** Of the turns that were answered with 200, in the order in which they ended. */
  readonly latenciesMs: readonly number[];
  /** Turns on which a compaction was made. */
  readonly compactions: number;
}

/** Each turn goes to the door that comes next, as a round-robin balancer does it. */
export async function replay(
  doors: readonly Caller[],
  source: SessionSource,
  load: Load,
  name: string,
): Promise<Replayed> {
  const latenciesMs: number[] = [];
  const refused: Record<number, number> = {};
  let [begun, requests, bytes, compactions] = [0, 0, 0, 0];
  const startedMs = performance.now();
  const untilMs = startedMs + (load.secondsMax ?? Number.POSITIVE_INFINITY) * 1_000;
  const send = async (body: Buffer): Promise<void> => {
    const door = doors[requests % doors.length]!;
    requests += 1;
    bytes += body.length;
    const { status, totalMs, treatment } = await door.call({
      body,
      ...(load.headers ? { headers: load.headers } : {}),
    });
    if (status === 200) latenciesMs.push(totalMs);
    else refused[status] = (refused[status] ?? 0) + 1;
    if (treatment.endsWith("fresh")) compactions += 1;
  };
  const live = async (slot: number): Promise<void> => {
    const everyMs = load.perSecond === undefined ? 0 : (load.atOnce / load.perSecond) * 1_000;
    let dueMs = startedMs + (everyMs * slot) / load.atOnce;
    while (begun < load.sessions && performance.now() < untilMs) {
      const number = begun++;
      const session = source(number, `${name} ${number}`);
      for (let turn = 0; performance.now() < untilMs; turn += 1) {
        const body = session.bodyOf(turn);
        if (body === undefined) break;
        if (everyMs > 0) await pause(Math.max(0, dueMs - performance.now()));
        dueMs = Math.max(dueMs + everyMs, performance.now());
        await send(body);
      }
    }
  };
  await Promise.all(Array.from({ length: load.atOnce }, (_, slot) => live(slot)));
  const seconds = (performance.now() - startedMs) / 1_000;
  return { requests, seconds, bytes, refused, latenciesMs, compactions };
}

export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export function latencyOf(latenciesMs: readonly number[]): Latency {
  const at = (share: number): number => quantile(latenciesMs, share);
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}
