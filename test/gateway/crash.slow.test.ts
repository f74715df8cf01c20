/**
 * A gateway that is killed under load: what it had answered is kept, nothing is kept by half, and the same request goes
 * on as the same bytes when it is back. A history that cannot be written costs nobody an answer.
 */
import { hash } from "node:crypto";
import { chmodSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { applyCompaction } from "../../src/core/compaction/compaction.ts";
import { createChain } from "../../src/core/transcript/links.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { openSqliteStore, type SqliteOptions } from "../../src/store/index.ts";
import { type HistoryStore } from "../../src/store/store.ts";
import { ask, bodyOf, PROTOCOLS, worked, type Told } from "./support/asking.ts";
import { recordingProvider } from "./support/recording-provider.ts";
import { serve } from "./support/serving.ts";
import { atEnd, stand, temporaryFolder } from "./support/standing.ts";
import { unmarked } from "./support/unmarked.ts";
import { lostOf } from "./support/witness.ts";

/** 3 in `npm test`, 50 in `npm run test:full`. */
const KILLS = Math.max(3, Math.round(Number(process.env["PRECIS_TEST_RUNS"] ?? 500) / 200));
const LIFE_MS_MAX = 1_000;
/** Two starts of a process and all that is looked at between them, on a machine that has other things to do. */
const KILL_MS_MAX = 60_000;
const LANES = 6;
const TOOL_MS_MAX = 60;
/** A conversation begins where its first compaction is near. */
const STEPS_MIN = 10;
const STEPS_MAX = 200;
/** Small, so that conversations are compacted again and again. */
const WINDOW_TOKENS = 6_000;
const TENANT = "local";

interface Acknowledged {
  readonly protocol: ProtocolName;
  readonly key: string;
  readonly body: string;
  readonly forwarded: string;
  readonly treatment: string;
}

/** One conversation after another step, until the gateway is gone; answers with the last that was answered whole. */
async function lane(
  url: string,
  name: string,
  { forwarded, onAnswered }: { readonly forwarded: ReadonlyMap<string, string>; readonly onAnswered: () => void },
): Promise<Acknowledged | undefined> {
  const protocol = PROTOCOLS[Number(name.split("_").at(-1)) % PROTOCOLS.length]!;
  let last: Acknowledged | undefined;
  for (let step = STEPS_MIN; step <= STEPS_MAX; step += 1) {
    const body = bodyOf(protocol, worked(name, step, 120), { stream: step % 2 === 0 });
    const told = await ask(url, { protocol, body, key: name }).catch(() => undefined);
    if (told === undefined || !isWhole(told)) return last;
    last = { protocol, key: name, body, forwarded: forwarded.get(name)!, treatment: told.treatment };
    onAnswered();
    // As long as a tool runs.
    await pause(Math.random() * TOOL_MS_MAX);
  }
  return last;
}

/** What a request is to be sent as, by nothing but what is kept. */
async function standingFor(body: string, protocol: ProtocolName, store: HistoryStore): Promise<string> {
  const decoded = protocols[protocol].decode(body);
  const links = createChain((text) => hash("sha256", text)).linksOf(decoded.transcript.messages);
  const { compaction } = await store.findCompaction(TENANT, links);
  if (compaction === undefined) return body;
  return protocols[protocol].splice(decoded, applyCompaction(decoded.transcript, compaction));
}

/** A stream that broke off is no answer. */
function isWhole({ status, text, headers }: Told): boolean {
  if (status !== 200) return false;
  if (headers.get("content-type")?.startsWith("text/event-stream") !== true) return true;
  return /\[DONE\]|message_stop|response\.completed/.test(text);
}

describe("a gateway that is killed under load", { timeout: KILLS * KILL_MS_MAX }, () => {
  it(`has kept what it answered and sends the same bytes, ${KILLS} times`, async () => {
    const { url: upstream, forwarded } = await recordingProvider(WINDOW_TOKENS, /\blane_\d+_\d+\b/);
    const folder = temporaryFolder();
    const flags = { "context-length": String(WINDOW_TOKENS) };
    let compacted = 0;
    let answered = 0;
    let same = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const gateway = await serve({ upstream, folder, flags });
      const begun = Promise.withResolvers<void>();
      const lanes = Array.from({ length: LANES }, (_, at) =>
        lane(gateway.url, `lane_${round}_${at}`, { forwarded, onAnswered: begun.resolve }),
      );
      await begun.promise;
      await pause(Math.random() * LIFE_MS_MAX);
      await gateway.kill("SIGKILL");
      const acknowledged = (await Promise.all(lanes)).filter((one) => one !== undefined);
      const store = await openSqliteStore({ path: join(folder, "history.db") });
      expect(await store.check()).toEqual([]);
      const due = new Map<string, string>();
      for (const { protocol, body, key } of acknowledged) {
        expect(await lostOf(body, { protocol, store, tenant: TENANT })).toEqual([]);
        due.set(key, unmarked(await standingFor(body, protocol, store)));
      }
      await store.close();
      const back = await serve({ upstream, folder, flags });
      for (const { protocol, key, body, forwarded: before, treatment } of acknowledged) {
        const told = await ask(back.url, { protocol, body, key });
        const now = forwarded.get(key);
        expect([key, treatment, told.treatment, told.status, now === due.get(key)]).toEqual([
          key,
          treatment,
          told.treatment,
          200,
          true,
        ]);
        if (now === before) same += 1;
      }
      await back.kill("SIGTERM");
      answered += acknowledged.length;
      compacted += acknowledged.filter(({ treatment }) => treatment.startsWith("rewritten")).length;
    }
    expect(answered).toBeGreaterThan(KILLS);
    // All but those whose next request, which was not answered any more, had been compacted.
    expect(same).toBeGreaterThan(answered / 2);
    expect(compacted).toBeGreaterThan(0);
  });
});

describe("a history that cannot be kept", () => {
  const UNTOUCHED = "untouched; because=store_unavailable";

  /** A conversation that would be compacted, sent twice: a store that only fails to write is noticed by the first. */
  async function through(options: Omit<SqliteOptions, "path">, spoil: (path: string) => unknown) {
    const folder = temporaryFolder();
    const path = join(folder, "history.db");
    await (await openSqliteStore({ path })).close();
    const store = await openSqliteStore({ path, ...options });
    atEnd(() => store.close().catch(() => undefined));
    const standing = await stand({ gateway: { store, contextLength: 200_000 } });
    await spoil(path);
    const told: Told[] = [];
    const sent: string[] = [];
    for (const protocol of PROTOCOLS) {
      for (const step of [10, 11]) {
        const body = bodyOf(protocol, worked("spoiled", step), { stream: step === 11 });
        sent.push(body);
        told.push(await ask(standing.url, { protocol, body }));
      }
    }
    return { ...standing, told, sent };
  }

  it.each<readonly [string, Omit<SqliteOptions, "path">, (path: string) => unknown]>([
    ["is read-only", { readOnly: true }, (path) => chmodSync(path, 0o400)],
    ["is full", { sizeBytesMax: 16_384 }, () => undefined],
    [
      "is locked by another process",
      { busyTimeoutMs: 50 },
      (path) => {
        const other = new DatabaseSync(path);
        other.exec("BEGIN EXCLUSIVE");
        atEnd(() => other.close());
      },
    ],
  ])("passes requests on as they came where it %s", async (_, options, spoil) => {
    const { provider, told, sent, events } = await through(options, spoil);
    expect(told.map(({ status }) => status)).toEqual(sent.map(() => 200));
    expect(provider.requests.map(({ body }) => unmarked(body))).toEqual(sent.map(unmarked));
    const marks = told.map(({ treatment }) => treatment);
    expect(marks.slice(1)).toEqual(marks.slice(1).map(() => UNTOUCHED));
    expect(events).toContainEqual(expect.objectContaining({ kind: "notice", code: "store_unavailable" }));
    const requests = await vi.waitFor(() => {
      const toldOf = events.filter((event) => event.kind === "request");
      expect(toldOf).toHaveLength(sent.length);
      return toldOf;
    });
    expect(requests.filter(({ treatment }) => treatment.kind === "untouched")).toHaveLength(
      marks.filter((mark) => mark === UNTOUCHED).length,
    );
  });

  it("passes them on where it was closed under the gateway, and tells each", async () => {
    const store = await openSqliteStore({ path: join(temporaryFolder(), "history.db") });
    const { url, provider } = await stand({ gateway: { store, contextLength: 4_000 } });
    await store.close();
    for (const protocol of PROTOCOLS) {
      const body = bodyOf(protocol, worked("closed", 20));
      const told = await ask(url, { protocol, body });
      expect([told.status, told.treatment]).toEqual([200, UNTOUCHED]);
      expect(provider.requests.at(-1)!.body).toBe(body);
    }
  });
});
