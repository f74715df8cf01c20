/**
 * Compactions as jobs of the database: enqueued with the messages that make them due, one a session, made by any process,
 * tried again where they fail, and right for the prefix that they cover wherever the conversation goes on.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, afterAll, describe, expect, it } from "vitest";
import type { GatewayEvent } from "../../src/gateway/contract.ts";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import { createWorker } from "../../src/gateway/background/worker.ts";
import { createProvider } from "../../provider/src/provider.ts";
import { openPostgresStore } from "../../src/store/postgres.ts";
import type { HistoryStore, Job } from "../../src/store/store.ts";
import { NO_POSTGRES, startPostgres, type TestPostgres } from "../store/postgres-server.ts";
import { ask, bodyOf, worked, type Told } from "./support/asking.ts";
import { atEnd, front, TENANT } from "./support/standing.ts";
import { unmarked } from "./support/unmarked.ts";

const PROTOCOL = "openai-chat";
const WINDOW_TOKENS = 6_000;
/** Small steps, so that every conversation is near its threshold for some of them. */
const RESULT_WORDS = 40;
const WAIT_MS = 15_000;
/** A worker that is not heard of for 15 seconds is taken for dead, which is looked for every 10, and then a pause goes by. */
const RECOVERY_MS = 60_000;
const OPTIONS: Partial<GatewayOptions> = { contextLength: WINDOW_TOKENS, workOnJobs: false };

const STORE_MODULE = pathToFileURL(join(import.meta.dirname, "../../src/store/postgres.ts")).href;

let server: TestPostgres;
beforeAll(async () => void (server = await startPostgres()));
afterAll(() => server.close());

interface Cluster {
  readonly url: string;
  readonly forwarded: () => string;
  readonly gateway: (options?: Partial<GatewayOptions>) => Promise<{
    readonly send: (steps: number) => Promise<Told>;
    readonly sendBody: (body: string) => Promise<Told>;
    readonly events: readonly GatewayEvent[];
  }>;
  readonly worker: () => Promise<{ readonly events: readonly GatewayEvent[]; readonly stop: () => Promise<void> }>;
  readonly store: () => Promise<HistoryStore>;
  readonly jobs: (state: string) => Promise<number>;
}

async function cluster(): Promise<Cluster> {
  const url = await server.newSchema();
  const schema = /search_path%3D(\w+)/.exec(url)![1]!;
  let forwarded = "";
  const provider = createProvider({
    every: { windowTokens: WINDOW_TOKENS },
    script: { text: "Read." },
    onRequest: ({ body }) => void (forwarded = unmarked(body)),
  });
  const { url: upstream, close } = await provider.listen();
  atEnd(close);
  const open = async (): Promise<HistoryStore> => {
    const store = await openPostgresStore({ url, jobs: true });
    atEnd(store.close);
    return store;
  };
  return {
    url,
    forwarded: () => forwarded,
    store: open,
    gateway: async (options = {}) => {
      const { url: address, events } = await front(upstream, { ...OPTIONS, ...options, store: await open() });
      const sendBody = (body: string): Promise<Told> => ask(address, { protocol: PROTOCOL, body });
      const send = (steps: number): Promise<Told> => sendBody(bodyOf(PROTOCOL, worked("one", steps, RESULT_WORDS)));
      return { send, sendBody, events };
    },
    worker: async () => {
      const store = await open();
      const events: GatewayEvent[] = [];
      const options = { ...OPTIONS, store, onEvent: (event: GatewayEvent) => void events.push(event) };
      const { stop } = await createWorker(options, { queue: store.jobs!, atOnce: 2 });
      atEnd(stop);
      return { events, stop };
    },
    jobs: async (state) => {
      const [row] = await server.sql(`select count(*)::int as count from ${schema}_jobs.job where state = '${state}'`);
      return row!["count"] as number;
    },
  };
}

/** Grows a conversation until a job waits for it. */
async function untilDue({ jobs }: Cluster, send: (steps: number) => Promise<Told>): Promise<number> {
  for (let steps = 8; steps < 40; steps += 1) {
    const told = await send(steps);
    expect([told.status, told.treatment]).toEqual([200, "unchanged"]);
    if ((await jobs("created")) > 0) return steps;
  }
  throw new Error("no job was enqueued");
}

const outcomes = (events: readonly GatewayEvent[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "job" ? [event.outcome] : []));

describe.skipIf(NO_POSTGRES !== undefined)("a compaction that will soon be due", { timeout: 2 * RECOVERY_MS }, () => {
  it("is made by a worker, and put in place by whichever gateway the conversation reaches", async () => {
    const all = await cluster();
    const [one, other] = [await all.gateway(), await all.gateway()];
    const due = await untilDue(all, one.send);
    const worker = await all.worker();
    await expect.poll(() => outcomes(worker.events), { timeout: WAIT_MS }).toEqual(["made"]);
    let steps = due;
    let told = await other.send(steps);
    while (!told.treatment.includes("fresh") && steps < due + 10) told = await other.send(++steps);
    expect(told.treatment).toContain("fresh");
    expect(other.events.filter(({ kind }) => kind === "compaction")).toMatchObject([{ ahead: true }]);
    const byOther = all.forwarded();
    expect((await one.send(steps)).treatment).toMatch(/^rewritten/);
    expect(all.forwarded()).toBe(byOther);
    expect(one.events.filter(({ kind }) => kind === "compaction")).toEqual([]);
    const store = await all.store();
    expect(await server.sql("select root from states where root like 'prepared:%'", all.url)).toEqual([]);
    expect(await store.check()).toEqual([]);
  });

  it("waits once for a session, for its newest request, and is not made twice", async () => {
    const all = await cluster();
    const { send } = await all.gateway();
    const due = await untilDue(all, send);
    await send(due);
    await all.gateway().then((again) => again.send(due));
    expect(await all.jobs("created")).toBe(1);
    const worker = await all.worker();
    await expect.poll(() => outcomes(worker.events), { timeout: WAIT_MS }).toEqual(["made"]);
    await send(due);
    await expect.poll(() => all.jobs("created"), { timeout: WAIT_MS }).toBe(0);
    expect(outcomes(worker.events).filter((one) => one === "made")).toEqual(["made"]);
  });

  it("is right for its prefix where the conversation has gone another way since", async () => {
    const all = await cluster();
    const { send } = await all.gateway();
    const due = await untilDue(all, send);
    const worker = await all.worker();
    await expect.poll(() => outcomes(worker.events), { timeout: WAIT_MS }).toEqual(["made"]);
    // The person takes the last step back and goes on with another, at another gateway.
    const branch = await all.gateway();
    const { messages, ...rest } = worked("one", due + 6, RESULT_WORDS);
    const kept = 1 + 2 * (due - 1);
    const other = worked("another way", due + 6, RESULT_WORDS).messages;
    const body = bodyOf(PROTOCOL, { ...rest, messages: [...messages.slice(0, kept), ...other.slice(kept)] });
    expect((await branch.sendBody(body)).treatment).toContain("fresh");
    expect(branch.events.filter(({ kind }) => kind === "compaction")).toMatchObject([{ ahead: true }]);
  });

  it("is tried again where it fails", async () => {
    const all = await cluster();
    const { send } = await all.gateway();
    await untilDue(all, send);
    const first = await all.store();
    const taken: Job[] = [];
    const failing = await first.jobs!.work(
      async (job) => {
        taken.push(job);
        throw new Error("failed on purpose");
      },
      { atOnce: 1, onError: () => undefined },
    );
    await expect.poll(() => taken.length, { timeout: WAIT_MS }).toBe(1);
    expect(taken[0]).toMatchObject({ tenant: TENANT });
    await expect.poll(() => all.jobs("retry"), { timeout: WAIT_MS }).toBe(1);
    await failing.stop();
    const worker = await all.worker();
    await expect.poll(() => outcomes(worker.events), { timeout: RECOVERY_MS }).toEqual(["made"]);
  });

  it("goes to another worker where its own is killed", async () => {
    const all = await cluster();
    const { send } = await all.gateway();
    await untilDue(all, send);
    const program = `
      import { openPostgresStore } from ${JSON.stringify(STORE_MODULE)};
      const { jobs } = await openPostgresStore({ url: process.env.DATABASE, jobs: true });
      await jobs.work(() => new Promise(() => console.log("taken")), { atOnce: 1, onError: () => undefined });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      env: { ...process.env, DATABASE: all.url },
      stdio: ["ignore", "pipe", "inherit"],
    });
    atEnd(() => child.kill("SIGKILL"));
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    expect(await all.jobs("active")).toBe(1);
    const worker = await all.worker();
    await expect.poll(() => outcomes(worker.events), { timeout: RECOVERY_MS }).toEqual(["made"]);
  });
});
