/** Many pages that ask the same at once cost about as much as one, and none is told what was so before it asked. */
import { join } from "node:path";
import { hash } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { createChain } from "../../../src/core/transcript/links.ts";
import { createHistory } from "../../../src/gateway/history/history.ts";
import type { SessionSummary } from "../../../src/session/history.ts";
import { createMetrics } from "../../../src/gateway/operation/metrics.ts";
import { createOwnRoutes } from "../../../src/gateway/operation/own-routes.ts";
import { createTally } from "../../../src/gateway/operation/tally.ts";
import { openSqliteStore } from "../../../src/store/index.ts";
import type { HistoryStore } from "../../../src/store/store.ts";
import { worked } from "../support/asking.ts";
import { atEnd, temporaryFolder } from "../support/standing.ts";

const TOKEN = "the token of the operator";
const SESSIONS = 20;
const PAGES = 50;
/** Two answers are made, and fifty sent. Each by itself would be fifty. */
const TIMES_MAX = 8;
const ATTEMPTS = 3;

let store: HistoryStore;
let ask: (path: string) => Promise<Response>;
const chain = createChain((text) => hash("sha256", text));

function conversation(name: string) {
  const { messages } = worked(name, 100, 40);
  return { links: chain.linksOf(messages), messages };
}

beforeEach(async () => {
  store = await openSqliteStore({ path: join(temporaryFolder(), "history.db") });
  atEnd(store.close);
  for (let at = 0; at < SESSIONS; at++) await store.appendChain("local", conversation(`session ${at}`));
  const app = createOwnRoutes({
    metrics: createMetrics({ upstreams: [], processMetrics: false }),
    status: () => ({ version: "1", mode: "", upstreams: {}, store: "", upSeconds: 0, totals: createTally().totals() }),
    checkStore: async () => undefined,
    stopping: () => false,
    history: createHistory({ store }),
    loopback: true,
    token: TOKEN,
  });
  ask = async (path) =>
    app.fetch(new Request(`http://127.0.0.1:4020${path}`, { headers: { authorization: `Bearer ${TOKEN}` } }));
});

async function list(): Promise<readonly SessionSummary[]> {
  const response = await ask("/_precis/api/sessions");
  expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
    200,
    "application/json",
    "no-store",
  ]);
  return (await response.json()) as readonly SessionSummary[];
}

/** What it takes of the processor, with the store's thread. */
async function processorMs(pages: number): Promise<number> {
  const before = process.cpuUsage();
  const lists = await Promise.all(Array.from({ length: pages }, list));
  const { user, system } = process.cpuUsage(before);
  for (const one of lists) expect(one).toEqual(lists[0]);
  expect(lists[0]!.length).toBeGreaterThanOrEqual(SESSIONS);
  return (user + system) / 1_000;
}

it(`is read for ${PAGES} pages in less than ${TIMES_MAX} times the time of one`, async () => {
  await processorMs(PAGES);
  const times: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) times.push((await processorMs(PAGES)) / (await processorMs(1)));
  expect(Math.min(...times)).toBeLessThan(TIMES_MAX);
});

it("tells whoever asks later what has come meanwhile, and answers after a refusal", async () => {
  const late = conversation("a late one");
  let isAnswered = false;
  const before = list().finally(() => (isAnswered = true));
  // The store answers in turn: by now the first page's list is read, and its sessions are looked up.
  for (let turn = 0; turn < 4; turn++) await store.listSessions("local", { limit: 1 });
  await store.appendChain("local", late);
  expect(isAnswered).toBe(false);
  const later = list();
  expect((await later).map(({ title }) => title)).toEqual(
    expect.arrayContaining([expect.stringContaining("a late one")]),
  );
  await before;
  const refused = await Promise.all(Array.from({ length: 3 }, () => ask("/_precis/api/sessions/nobody")));
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect((await list()).length).toBe(SESSIONS + 1);
});
