/**
 * What history in a file costs: messages of 2 KB, searchable and on the disk before they are acknowledged, and finding
 * what stands for a long conversation. Beside it, how long the event loop was held up meanwhile.
 */
import { hash } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { COMPACTION_SCHEMA_VERSION, type Compaction } from "../src/core/compaction/compaction.ts";
import { createChain } from "../src/core/transcript/links.ts";
import { textMessage, type Message } from "../src/core/transcript/message.ts";
import { openSqliteStore } from "../src/store/index.ts";
import type { HistoryStore } from "../src/store/store.ts";
import { timed } from "./stopwatch.ts";
import { createNames } from "./traffic/names.ts";
import { log } from "./traffic/outputs.ts";

const MESSAGES = 10_000;
const MESSAGE_CHARACTERS = 2_000;
const CONVERSATIONS = 50;
/** What one request adds to a conversation. */
const TURN_MESSAGES = 4;
const LONG_CHAIN = 2_000;
const ROUNDS = { warmups: 5, samples: 31 };
const TENANT = "bench";

export interface StoreRow {
  readonly name: string;
  readonly milliseconds: number;
  readonly remark: string;
}

interface Talk {
  readonly links: readonly string[];
  readonly messages: readonly Message[];
}

export async function storeRows(): Promise<readonly StoreRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "precis-bench-"));
  const path = join(folder, "history.db");
  const rows: StoreRow[] = [];
  try {
    const opening = performance.now();
    const store = await openSqliteStore({ path });
    await store.holdings(TENANT);
    rows.push({ name: "open a new file, first answer", milliseconds: performance.now() - opening, remark: "" });
    rows.push(...(await appending(store)));
    rows.push(...(await oneByOne(store)));
    rows.push(...(await reading(store)));
    const closing = performance.now();
    await store.close();
    const megabytes = (statSync(path).size / 1e6).toFixed(0);
    rows.push({ name: "close", milliseconds: performance.now() - closing, remark: `file of ${megabytes} MB` });
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Many conversations that grow by a turn at a time, as a gateway sees them. */
async function appending(store: HistoryStore): Promise<readonly StoreRow[]> {
  const talks = Array.from({ length: CONVERSATIONS }, (_, at) => talkOf(at + 1, MESSAGES / CONVERSATIONS));
  await pause(50);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  for (let end = TURN_MESSAGES; end <= MESSAGES / CONVERSATIONS; end += TURN_MESSAGES) {
    await Promise.all(
      talks.map(({ links, messages }) =>
        store.appendChain(TENANT, { links: links.slice(0, end), messages: messages.slice(0, end) }),
      ),
    );
  }
  const milliseconds = performance.now() - start;
  delay.disable();
  const held = (percentile: number): number => Math.max(0, delay.percentile(percentile) / 1e6 - 1);
  return [
    { name: `append ${MESSAGES} messages of 2 KB, ${CONVERSATIONS} at once`, milliseconds, remark: "" },
    { name: "  meanwhile, event loop held up, p99", milliseconds: held(99), remark: `p50 ${held(50).toFixed(2)} ms` },
  ];
}

async function oneByOne(store: HistoryStore): Promise<readonly StoreRow[]> {
  const { links, messages } = talkOf(99, (ROUNDS.warmups + ROUNDS.samples) * TURN_MESSAGES);
  const turn = await row("append one turn, alone", (round) => {
    const end = (round + 1) * TURN_MESSAGES;
    return store.appendChain(TENANT, { links: links.slice(0, end), messages: messages.slice(0, end) });
  });
  return [turn];
}

async function reading(store: HistoryStore): Promise<readonly StoreRow[]> {
  const { links, messages } = talkOf(100, LONG_CHAIN);
  await store.appendChain(TENANT, { links, messages });
  const find = (): unknown => store.findCompaction(TENANT, links);
  const none = await row(`find the record of a chain of ${LONG_CHAIN}, there is none`, find);
  await store.putCompaction(TENANT, recordOf(links, LONG_CHAIN / 2));
  return [
    none,
    await row(`find the record of a chain of ${LONG_CHAIN}, half way`, find),
    await row(`append to a chain of ${LONG_CHAIN} nothing new`, () => store.appendChain(TENANT, { links, messages })),
    await row(`read a chain of ${LONG_CHAIN}`, () => store.readChain(TENANT, links.at(-1)!)),
    await row("search all messages for two words", () => store.searchMessages(TENANT, "timeout retry", 20)),
  ];
}

async function row(name: string, run: (round: number) => unknown): Promise<StoreRow> {
  const { medianMs, p95Ms } = await timed(run, ROUNDS);
  return { name, milliseconds: medianMs, remark: `p95 ${p95Ms.toFixed(2)} ms` };
}

function talkOf(seed: number, count: number): Talk {
  const names = createNames(seed);
  const chain = createChain((text) => hash("sha256", text));
  const messages = Array.from({ length: count }, (_, at) =>
    textMessage(at % 2 === 0 ? "user" : "assistant", log(names, 40).slice(0, MESSAGE_CHARACTERS)),
  );
  return { links: chain.linksOf(messages), messages };
}

function recordOf(links: readonly string[], covered: number): Compaction {
  const tokens = { before: 0, after: 0 };
  return {
    schemaVersion: COMPACTION_SCHEMA_VERSION,
    after: [textMessage("user", "what came before", "summary")],
    covered,
    covers: links[covered - 1]!,
    map: [],
    evicted: [],
    state: {},
    report: {
      engine: "bench",
      reason: "explicit",
      tokens,
      messages: { ...tokens, kept: 0, edited: 0, summarised: 0 },
      parts: { system: 0, tools: 0, head: 0, handoff: 0, anchor: 0, tail: 0 },
      rung: 0,
      degraded: [],
      recall: [],
      modelCalls: 0,
      costUsd: 0,
    },
  };
}
