/** Sessions as an operator sees them: in a list, and one with its compactions and its newest messages. Secrets are masked before anything is cut. */
import { defined } from "../../core/defined.ts";
import { applyCompaction, type Compaction, type Evicted } from "../../core/compaction/compaction.ts";
import { personText } from "../../core/events/person.ts";
import { type Message, type Transcript } from "../../core/transcript/message.ts";
import type { CompactionEntry, SessionEntry, UsageEntry } from "../../store/store.ts";
import { savedRests, savedTiming, savedEngineState } from "../../session/saved-state.ts";
import { readThreshold } from "../../session/threshold.ts";
import { archivesOf, spendOf } from "./archive.ts";
import type {
  CompactionShown,
  EngineFigures,
  MessageShown,
  SessionShown,
  SessionSummary,
  Which,
  HiddenResult,
} from "../../session/history.ts";
import { conversationOf, readConversation, findSession } from "./find.ts";
import { shownMessage, windowOf } from "./context-view.ts";
import { newestUsage, readSized, sizesOf, type SessionSizes, type HistoryDependencies } from "./sizes.ts";
import { sacredZoneStatistics } from "../../core/engines/sacred-zone/sacred-zone.ts";
import { hiddenResults } from "../../core/engines/stepped.ts";

const TITLE_CHARS_MAX = 200;
const OPENING_MESSAGES_MAX = 16;
const MESSAGE_CHARS_MAX = 2_000;
const CALLS_SHOWN_MAX = 20;
const AT_ONCE = 16;
/** More are counted as this many. */
const BRANCHES_COUNTED_MAX = 1_000;

export async function list(
  dependencies: HistoryDependencies,
  tenant: string | undefined,
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number | undefined },
): Promise<readonly SessionSummary[]> {
  const { store } = dependencies;
  const tenants = tenant === undefined ? (await store.listTenants()).map((one) => one.tenant) : [tenant];
  const found: { readonly tenant: string; readonly entry: SessionEntry }[] = [];
  for (const one of tenants)
    for (const entry of await store.listSessions(one, { limit: offset + limit })) found.push({ tenant: one, entry });
  const newest = found.toSorted((a, b) => b.entry.updatedAt - a.entry.updatedAt).slice(offset, offset + limit);
  const summaries: SessionSummary[] = [];
  for (let at = 0; at < newest.length; at += AT_ONCE) {
    const some = newest.slice(at, at + AT_ONCE);
    for (const each of await Promise.all(some.map((one) => summarise(dependencies, one.tenant, one.entry))))
      summaries.push(each);
  }
  return summaries;
}

async function summarise(
  dependencies: HistoryDependencies,
  tenant: string,
  entry: SessionEntry,
): Promise<SessionSummary> {
  const { store } = dependencies;
  const { id, head, messages, parent, forkedAt, createdAt, updatedAt } = entry;
  const links = await store.readLinks(tenant, head);
  const [title, usages, compactions, standing, branches, state, archived] = await Promise.all([
    readTitle(dependencies, tenant, links),
    store.listUsage(tenant, links),
    store.listCompactions(tenant, links),
    store.findCompaction(tenant, links),
    store.listSessions(tenant, { parent: id, limit: BRANCHES_COUNTED_MAX }),
    store.getState(tenant, links[0] ?? ""),
    archivesOf(store, tenant, { session: id, root: links[0] ?? "" }),
  ]);
  const timing = savedTiming(state);
  const usage = newestUsage(usages, links);
  const estimated = async (): Promise<number> => {
    const { messages: all } = await readConversation(store, tenant, head);
    const { sent } = sizesOf({ messages: all, links, usages, compactions, state }, dependencies.measureOf({}));
    return sent.at(-1) ?? 0;
  };
  const counted =
    usage === undefined
      ? { tokens: await estimated(), tokensAre: "estimated" as const }
      : { tokens: usage.input, tokensAre: "reported" as const, model: usage.model };
  return {
    tenant,
    id,
    title,
    messages,
    ...counted,
    ...(await readFigures(dependencies, { tenant, model: usage?.model, usages, state, compactions })),
    compactions: compactions.filter(({ undone }) => !undone).length,
    undone: standing.undone,
    branches: Math.max(0, branches.length - archived.archives.length),
    ...archived,
    ...(timing === undefined ? {} : { timing }),
    resting: savedRests(state),
    ...(parent === undefined ? {} : { parent }),
    ...(forkedAt === undefined ? {} : { forkedAt: links.indexOf(forkedAt) + 1 }),
    createdAt,
    updatedAt,
  };
}

interface Recorded {
  readonly tenant: string;
  readonly model: string | undefined;
  readonly usages: readonly UsageEntry[];
  readonly state: unknown;
  readonly compactions: readonly CompactionEntry[];
}

async function readFigures(
  dependencies: HistoryDependencies,
  { usages, compactions, ...recorded }: Recorded,
): Promise<Pick<SessionSummary, "window" | "spendUsd" | "compactedBy" | "lastCompaction">> {
  const window = await windowOf(dependencies, recorded);
  const spendUsd = spendOf(usages, dependencies);
  const last = compactions.findLast(({ undone }) => !undone);
  return {
    ...defined({ window, spendUsd }),
    ...(last === undefined
      ? {}
      : {
          compactedBy: last.compaction.report.engine,
          lastCompaction: { at: last.createdAt, tokens: last.compaction.report.tokens },
        }),
  };
}

/** A label quotes what a tool was asked. */
function redactedFigures(engine: EngineFigures, redact: HistoryDependencies["redact"]): EngineFigures {
  return { ...engine, hidden: engine.hidden.map((one) => ({ ...one, label: redact(one.label) })) };
}

/** The first words of a person, which a client's own records may come before. */
async function readTitle(
  { store, redact }: HistoryDependencies,
  tenant: string,
  links: readonly string[],
): Promise<string> {
  for (const last of [0, OPENING_MESSAGES_MAX - 1]) {
    const { messages } = conversationOf(await store.readChain(tenant, links[last] ?? links.at(-1) ?? ""));
    const said = messages.map(personText).find((text) => text !== "");
    if (said !== undefined) return redact(said).replaceAll(/\s+/g, " ").slice(0, TITLE_CHARS_MAX);
  }
  return "";
}

export async function show(dependencies: HistoryDependencies, which: Which, tail: number): Promise<SessionShown> {
  const { store } = dependencies;
  const { tenant, entry, conversation, links, messages, compactions, state, sizes } = await readSized(
    dependencies,
    which,
  );
  const [summary, { compaction }, threshold] = await Promise.all([
    summarise(dependencies, tenant, entry),
    store.findCompaction(tenant, links),
    readThreshold({ store, tenant, root: links[0] ?? "" }),
  ]);
  const engine = engineFigures(state, compaction);
  const original: Transcript = { system: [], messages };
  const sent = compaction === undefined ? original : applyCompaction(original, compaction);
  return {
    ...summary,
    ...(threshold === undefined ? {} : { threshold }),
    ...(conversation.protocol === undefined ? {} : { protocol: conversation.protocol }),
    estimate: { original: sizes.original.at(-1) ?? 0, sent: sizes.sent.at(-1) ?? 0 },
    sentMessages: sent.messages.length,
    history: compactions.map(({ compaction: { covered, covers, report }, undone, createdAt }): CompactionShown => {
      return { covered, undone, stands: !undone && covers === compaction?.covers, createdAt, report };
    }),
    ...(engine === undefined ? {} : { engine: redactedFigures(engine, dependencies.redact) }),
    tail: showTail(dependencies, messages, tail, sizes),
  };
}

export async function messagesOf({ store }: HistoryDependencies, which: Which): Promise<readonly Message[]> {
  const { tenant, entry } = await findSession(store, which);
  return (await readConversation(store, tenant, entry.head)).messages;
}

function showTail(
  { redact }: HistoryDependencies,
  messages: readonly Message[],
  count: number,
  { weigh }: SessionSizes,
): readonly MessageShown[] {
  const from = Math.max(0, messages.length - count);
  const shownWith = { redact, weigh, charsMax: MESSAGE_CHARS_MAX };
  return messages.slice(from).map((message, at) => {
    const shown = shownMessage(message, from + at + 1, shownWith);
    return { ...shown, calls: shown.calls.slice(0, CALLS_SHOWN_MAX) };
  });
}

/** `state`: the session's, as it was saved; `standing`: the compaction that its next request goes out with. */
function engineFigures(state: unknown, standing: Compaction | undefined): EngineFigures | undefined {
  const engine = savedEngineState(state) ?? standing?.state;
  const name = standing?.report.engine ?? engineName(engine);
  if (name === undefined) return undefined;
  const hidden = standing === undefined ? [] : listHidden(standing);
  return { name, ...(name === "sacred-zone" ? { statistics: sacredZoneStatistics(engine) } : {}), hidden };
}

function engineName(state: unknown): string | undefined {
  const name = typeof state === "object" && state !== null && "engine" in state ? state.engine : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Results that stand in the conversation in short: a digest, a line with the recall id, a reference. */
function listHidden({ map, evicted, state }: Compaction): readonly HiddenResult[] {
  const times = new Map(hiddenResults(state).map(({ id, at }) => [id, at]));
  const stands = ({ kind, message }: Evicted): boolean => kind === "result" && map[message]?.kind === "edited";
  return evicted.filter(stands).map(({ id, message, label }) => {
    const at = times.get(id);
    return { id, number: message + 1, label, ...(at === undefined ? {} : { at }) };
  });
}
