/**
 * Archives (Dual Compression chapter, 16.7): when a session restarts from a summary, what it was until then is kept as a
 * session of its own, a branch that shares every message. The two are linked in a note beside the chain's root.
 */
import { figure, isRecord, listOf, record, text } from "../../core/shapes.ts";
import type { Compaction } from "../../core/compaction/compaction.ts";
import type { ChainAppend, HistoryStore, UsageEntry } from "../../store/store.ts";
import type { Archive } from "../../session/history.ts";
import { costOf } from "../../models/ai-sdk.ts";
import type { HistoryDependencies } from "./sizes.ts";

type ArchiveStore = Pick<HistoryStore, "appendChain" | "getSession" | "getState" | "putState">;

/** Of one conversation; the oldest stay as sessions, and are no longer named as archives. */
const ARCHIVES_MAX = 100;
const NAME_CHARS = 12;

const archivesShape = record({
  archives: listOf(record({ session: text, of: text, covers: text, messages: figure, createdAt: figure })),
});

interface Kept extends Archive {
  /** The session that went on. */
  readonly of: string;
  /** Link of the last message that its compaction covers: one archive for each. */
  readonly covers: string;
}

/** Keeps the session as it is now where this compaction restarts it; does nothing the second time. */
export async function archiveRestart(
  store: ArchiveStore,
  tenant: string,
  { covers, report }: Compaction,
  { links, messages }: Pick<ChainAppend, "links" | "messages">,
): Promise<void> {
  const root = links[0];
  if (report.restarted !== true || root === undefined) return;
  const known = await readArchives(store, tenant, root);
  if (known.some((one) => one.covers === covers)) return;
  const { session } = await store.appendChain(tenant, {
    links,
    messages,
    session: `archive-${covers.slice(0, NAME_CHARS)}`,
  });
  const entry = await store.getSession(tenant, session);
  if (entry?.parent === undefined) return;
  const { parent: of, createdAt } = entry;
  const archives = [...known, { session, of, covers, messages: entry.messages, createdAt }].slice(-ARCHIVES_MAX);
  await store.putState(tenant, stateName(root), { archives });
}

/** The archives of a session, the oldest first, and the session that this one is an archive of. */
export async function archivesOf(
  store: Pick<HistoryStore, "getState">,
  tenant: string,
  { session, root }: { readonly session: string; readonly root: string },
): Promise<{ readonly archives: readonly Archive[]; readonly archiveOf?: string }> {
  const known = await readArchives(store, tenant, root);
  const of = known.find((one) => one.session === session)?.of;
  const own = known.filter((one) => one.of === session);
  return {
    archives: own.map(({ session: id, messages, createdAt }) => ({ session: id, messages, createdAt })),
    ...(of === undefined ? {} : { archiveOf: of }),
  };
}

async function readArchives(
  store: Pick<HistoryStore, "getState">,
  tenant: string,
  root: string,
): Promise<readonly Kept[]> {
  const state = await store.getState(tenant, stateName(root));
  if (!isRecord(state)) return [];
  try {
    archivesShape(state, "archives");
    return (state as { readonly archives: readonly Kept[] }).archives;
  } catch {
    return [];
  }
}

function stateName(root: string): string {
  return `archives:${root}`;
}

/** US dollars; undefined where no price is known for any of them. */
export function spendOf(
  usages: readonly UsageEntry[],
  { pricesOf }: Pick<HistoryDependencies, "pricesOf">,
): number | undefined {
  let spend: number | undefined;
  for (const usage of usages) {
    const cost = usage.costUsd ?? priced(usage, pricesOf);
    if (cost !== undefined) spend = (spend ?? 0) + cost;
  }
  return spend;
}

function priced(
  { model, input, output, cacheRead, cacheWrite }: UsageEntry,
  pricesOf: HistoryDependencies["pricesOf"],
): number | undefined {
  const prices = pricesOf(model);
  if (prices === undefined) return undefined;
  const tokens = {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
  };
  return costOf(tokens, prices);
}
