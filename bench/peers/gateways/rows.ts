/** What a gateway adds to a call, everyone in turns of a block each, in one run, against the same upstream. */
import { createCaller, type Caller, type Timing } from "../../gateway/caller.ts";
import type { Running } from "../../gateway/processes.ts";
import { medianOf } from "../compaction/pooled.ts";
import { createProgress } from "../progress.ts";
import { createTurns, type Wire } from "./bodies.ts";
import { portkeyHeaders, ROUTER_MODELS } from "./processes.ts";

const KB = 1_024;
const BLOCK_CALLS = 5;
/** Of the blocks, that many more before the first that counts. */
const WARM_UP_SHARE = 0.3;
const TAIL_SHARE = 0.95;

interface Door {
  readonly name: string;
  readonly wire: Wire;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
}

export interface Everyone {
  readonly upstream: Running;
  readonly bare: Running;
  readonly precis: Running;
  readonly portkey: Running | undefined;
  readonly router: Running | undefined;
}

interface Case {
  readonly name: string;
  readonly bytes: number;
  readonly stream: boolean;
  readonly take: (timing: Timing) => number;
}

const CASES: readonly Case[] = [
  { name: "JSON 4 KB", bytes: 4 * KB, stream: false, take: ({ totalMs }) => totalMs },
  { name: "JSON 400 KB", bytes: 400 * KB, stream: false, take: ({ totalMs }) => totalMs },
  { name: "SSE first byte, 4 KB", bytes: 4 * KB, stream: true, take: ({ firstByteMs }) => firstByteMs },
  { name: "SSE first byte, 400 KB", bytes: 400 * KB, stream: true, take: ({ firstByteMs }) => firstByteMs },
];

export interface GatewayRow {
  readonly case: string;
  readonly door: string;
  readonly wire: Wire;
  readonly medianMs: number;
  /** Over the direct call on the same wire. */
  readonly addedMs: number;
  readonly addedP95Ms: number;
  readonly calls: number;
  /** Answers that were not a 200, or to a request that precis did not read or did rewrite; their times do not count. */
  readonly failed: number;
}

export async function gatewayRows(running: Everyone, blocks: number): Promise<readonly GatewayRow[]> {
  const doors = doorsOf(running);
  const progress = createProgress("gateways", CASES.length * (blocks + warmUps(blocks)));
  const rows: GatewayRow[] = [];
  for (const one of CASES) rows.push(...(await rowsOf(one, doors, { blocks, step: progress.step })));
  progress.end();
  return rows;
}

function doorsOf({ upstream, bare, precis, portkey, router }: Everyone): readonly Door[] {
  const chat = { wire: "chat" } as const;
  const messages = { wire: "messages" } as const;
  return [
    { ...chat, name: "direct", url: upstream.url },
    { ...chat, name: "a bare proxy", url: bare.url },
    { ...chat, name: "precis", url: precis.url },
    ...(portkey === undefined
      ? []
      : [{ ...chat, name: "Portkey", url: portkey.url, headers: portkeyHeaders(upstream.url) }]),
    { ...messages, name: "direct", url: upstream.url },
    { ...messages, name: "precis", url: precis.url },
    ...(router === undefined
      ? []
      : Object.entries(ROUTER_MODELS).map(([how, model]) => ({
          ...messages,
          name: `claude-code-router, ${how}`,
          url: router.url,
          model,
        }))),
  ];
}

interface Pace {
  readonly blocks: number;
  readonly step: (detail: string) => void;
}

async function rowsOf(
  { name, bytes, stream, take }: Case,
  doors: readonly Door[],
  pace: Pace,
): Promise<readonly GatewayRow[]> {
  const more = stream ? { stream, stream_options: { include_usage: true } } : {};
  const calling = doors.map((door) => {
    const next = createTurns(door.wire, bytes, door.model === undefined ? more : { ...more, model: door.model });
    return { door, next, caller: callerOf(door), times: [] as number[], failed: 0 };
  });
  for (let block = -warmUps(pace.blocks); block < pace.blocks; block += 1) {
    for (const one of calling) {
      for (let call = 0; call < BLOCK_CALLS; call += 1) {
        const timing = await one.caller.call({ body: one.next(), headers: one.door.headers ?? {} });
        if (block < 0) continue;
        if (isAnswer(timing)) one.times.push(take(timing));
        else one.failed += 1;
      }
    }
    pace.step(name);
  }
  for (const { caller } of calling) caller.close();
  return calling.map(({ door, times, failed }) => {
    const direct = calling.find((other) => other.door.name === "direct" && other.door.wire === door.wire)!.times;
    return {
      case: name,
      door: door.name,
      wire: door.wire,
      medianMs: medianOf(times),
      addedMs: medianOf(times) - medianOf(direct),
      addedP95Ms: tailOf(times) - tailOf(direct),
      calls: times.length,
      failed,
    };
  });
}

function isAnswer({ status, treatment }: Timing): boolean {
  return status === 200 && !/^(?:untouched|rewritten)/.test(treatment);
}

function warmUps(blocks: number): number {
  return Math.ceil(blocks * WARM_UP_SHARE);
}

function callerOf({ url, wire }: Door): Caller {
  return wire === "chat" ? createCaller(url) : createCaller(url, "/v1/messages");
}

function tailOf(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * TAIL_SHARE)] ?? Number.NaN;
}
