/**
 * Two gateways and a worker on one PostgreSQL database, and a balancer that sends every request to whichever gateway comes
 * next: to its provider each conversation is the same as from one gateway, also while gateways, the worker and the database
 * are killed and come back.
 */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ProtocolName } from "../../src/core/protocols.ts";
import { openStore } from "../../src/store/index.ts";
import { type HistoryStore } from "../../src/store/store.ts";
import { NO_POSTGRES, startPostgres } from "../store/postgres-server.ts";
import { ask, bodyOf, PROTOCOLS, worked, type Told } from "./support/asking.ts";
import { recordingProvider, type RecordingProvider } from "./support/recording-provider.ts";
import { serve, type Serving } from "./support/serving.ts";
import { atEnd, temporaryFolder } from "./support/standing.ts";
import { lostOf } from "./support/witness.ts";
import { work, type Working } from "./support/working.ts";

/** 20 and 4 with the other slow tests; 200 and 30 in `npm run test:full`. */
const SCALE = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const SESSIONS = Math.min(200, Math.max(20, Math.round(SCALE / 25)));
const KILLS = Math.min(30, Math.max(4, Math.round(SCALE / 125)));
const AT_ONCE = 20;
const STEPS_MIN = 10;
const STEPS = 12;
const WINDOW_TOKENS = 6_000;
const TENANT = "local";
const TEST_MS_MAX = 120_000 + 20_000 * KILLS + 3_000 * SESSIONS;

const PARTS = ["gateway 0", "gateway 1", "worker", "database"] as const;
type Part = (typeof PARTS)[number];

interface Cluster extends Pick<RecordingProvider, "forwarded" | "refused"> {
  readonly store: HistoryStore;
  /** To the next gateway, or to the one after it where that one is gone. */
  readonly send: (protocol: ProtocolName, body: string, key: string) => Promise<Told & { readonly gateway: number }>;
  /** One of them is killed, and started again. */
  readonly disturb: (which: Part) => Promise<void>;
  /** Compactions that the worker made. */
  readonly prepared: () => number;
}

async function cluster(): Promise<Cluster> {
  const { url: upstream, forwarded, refused } = await recordingProvider(WINDOW_TOKENS, /\bsession_\d+\b/);
  const server = await startPostgres();
  atEnd(server.close);
  const url = await server.newSchema();
  const store = await openStore(url);
  atEnd(store.close);
  const folder = temporaryFolder();
  const start = (port?: number): Promise<Serving> =>
    serve({
      upstream,
      folder,
      flags: { "context-length": String(WINDOW_TOKENS), store: url, set: "gateway.jobs=worker" },
      ...(port === undefined ? {} : { port }),
    });
  const gateways = await Promise.all([start(), start()]);
  const startWorker = (): Promise<Working> =>
    work({ folder, store: url, flags: { "context-length": String(WINDOW_TOKENS) } });
  const workers = [await startWorker()];
  let turn = 0;
  const send: Cluster["send"] = async (protocol, body, key) => {
    for (let attempt = 0; ; attempt += 1) {
      const gateway = turn++ % gateways.length;
      try {
        return { ...(await ask(gateways[gateway]!.url, { protocol, body, key })), gateway };
      } catch (error) {
        if (attempt > 200) throw error;
        await pause(50);
      }
    }
  };
  const disturb: Cluster["disturb"] = async (which) => {
    if (which === "database") {
      await server.kill();
      return server.start();
    }
    if (which === "worker") {
      await workers.at(-1)!.kill("SIGKILL");
      return void workers.push(await startWorker());
    }
    const at = which === "gateway 0" ? 0 : 1;
    const port = Number(new URL(gateways[at]!.url).port);
    await gateways[at]!.kill("SIGKILL");
    gateways[at] = await start(port);
  };
  const prepared: Cluster["prepared"] = () =>
    workers.flatMap(({ events }) => events()).filter(({ event, outcome }) => event === "job" && outcome === "made")
      .length;
  return { store, forwarded, send, disturb, refused, prepared };
}

interface Conversation {
  readonly name: string;
  readonly compactions: number;
  /** By the other gateway, for the same request. */
  readonly compactedAgain: number;
  readonly gateways: ReadonlySet<number>;
}

/** From its first request to its last; every answered request comes again by the other gateway, as the same bytes. */
async function converse({ send, forwarded, store }: Cluster, at: number, again: boolean): Promise<Conversation> {
  const name = `session_${at}`;
  const protocol = PROTOCOLS[at % PROTOCOLS.length]!;
  const gateways = new Set<number>();
  let compactions = 0;
  let compactedAgain = 0;
  let body = "";
  for (let step = STEPS_MIN; step < STEPS_MIN + STEPS; step += 1) {
    body = bodyOf(protocol, worked(name, step, 120));
    const told = await send(protocol, body, name);
    expect([name, step, told.status]).toEqual([name, step, 200]);
    gateways.add(told.gateway);
    if (told.treatment.includes("fresh")) compactions += 1;
    if (!again) continue;
    const before = forwarded.get(name);
    const other = await send(protocol, body, name);
    gateways.add(other.gateway);
    expect([name, step, other.status]).toEqual([name, step, 200]);
    // At its very threshold a conversation may be due to the one that counts its tokens a little higher.
    if (other.treatment.includes("fresh")) compactedAgain += 1;
    else expect(forwarded.get(name)).toBe(before);
  }
  // While the database is away for longer than a gateway waits, what a request brings is stored with the next one.
  const lost = await lostOf(body, { protocol, store, tenant: TENANT });
  if (lost.length > 0 && !again) expect((await send(protocol, body, name)).status).toBe(200);
  expect(await lostOf(body, { protocol, store, tenant: TENANT })).toEqual([]);
  return { name, compactions, compactedAgain, gateways };
}

/** That many, and further ones until enough has happened. */
async function all(
  count: number,
  run: (at: number) => Promise<Conversation>,
  isEnough: () => boolean = () => true,
): Promise<readonly Conversation[]> {
  const done: Conversation[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count || !isEnough()) done.push(await run(next++));
  };
  await Promise.all(Array.from({ length: Math.min(count, AT_ONCE) }, worker));
  return done;
}

describe.skipIf(NO_POSTGRES !== undefined)(
  "two gateways and a worker on one database",
  { timeout: TEST_MS_MAX },
  () => {
    it(`are as one to ${SESSIONS} conversations`, async () => {
      const both = await cluster();
      const done = await all(SESSIONS, (at) => converse(both, at, true));
      expect(both.refused()).toEqual([]);
      expect(done.filter(({ gateways }) => gateways.size === 2).length).toBeGreaterThan(SESSIONS / 2);
      expect(done.reduce((sum, { compactions }) => sum + compactions, 0)).toBeGreaterThan(SESSIONS);
      expect(done.reduce((sum, { compactedAgain }) => sum + compactedAgain, 0)).toBeLessThan((SESSIONS * STEPS) / 50);
      // Each compaction was made once, and what the worker made was used, or is what is due next.
      const compactions = done.reduce((sum, one) => sum + one.compactions + one.compactedAgain, 0);
      expect(await both.store.holdings(TENANT)).toMatchObject({ sessions: SESSIONS, compactions });
      expect(both.prepared()).toBeGreaterThan(0);
      expect(both.prepared()).toBeLessThanOrEqual(compactions + SESSIONS);
      expect(await both.store.check()).toEqual([]);
    });

    it(`go on while one of them or the database is killed at random, ${KILLS} times`, async () => {
      const both = await cluster();
      let kills = 0;
      const over = new AbortController();
      const disturbing = async (): Promise<void> => {
        while (kills < KILLS && !over.signal.aborted) {
          await pause(300 + Math.random() * 700);
          // Each once, and then at random.
          await both.disturb(PARTS[kills] ?? PARTS[Math.floor(Math.random() * PARTS.length)]!);
          kills += 1;
        }
      };
      const conversing = all(
        SESSIONS,
        (at) => converse(both, at, false),
        () => kills === KILLS || over.signal.aborted,
      );
      // Where one of them fails, the other ends too.
      const [done] = await Promise.all(
        [conversing, disturbing()].map((one) => one.finally(() => kills < KILLS && over.abort())),
      );
      expect(done!.length).toBeGreaterThanOrEqual(SESSIONS);
      expect(kills).toBe(KILLS);
      expect(both.refused()).toEqual([]);
      expect(await both.store.check()).toEqual([]);
    });
  },
);
