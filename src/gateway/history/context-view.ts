/** What fills a session's context: its size after each message, by role and tool, and what each compaction made of which message. */
import type { Compaction } from "../../core/compaction/compaction.ts";
import { described, labelOf } from "../../core/digest/call.ts";
import type { Measure } from "../../core/transcript/measure.ts";
import { callsOf, contentText, resultOf, type Message } from "../../core/transcript/message.ts";
import { savedTiming, savedWindow } from "../../session/saved-state.ts";
import type { WindowInUse } from "../../session/window-in-use.ts";
import type { CompactionEntry, UsageEntry } from "../../store/store.ts";
import type { CompactionView, ContextView, MessageShown, Page, Which } from "./contract.ts";
import type { HistoryDependencies } from "./dependencies.ts";
import { findSession } from "./find.ts";
import { PrecisError } from "../../core/errors.ts";
import { toolNames } from "./read-messages.ts";
import { spendOf } from "./spend.ts";

/** What is shown of one message; its original has the rest. */
const TEXT_CHARS_MAX = 4_000;

interface SessionRead {
  readonly tenant: string;
  readonly links: readonly string[];
  readonly messages: readonly Message[];
  readonly compactions: readonly CompactionEntry[];
  readonly windowTokens: number | undefined;
  readonly thresholdTokens: number | undefined;
  readonly measure: Measure;
}

async function read(dependencies: HistoryDependencies, which: Which): Promise<SessionRead> {
  const { store } = dependencies;
  const { tenant, entry } = await findSession(store, which);
  const { messages, links } = await dependencies.readRecent(tenant, entry.head);
  const [compactions, usage, state] = await Promise.all([
    store.listCompactions(tenant, links),
    store.findUsage(tenant, links),
    store.getState(tenant, links[0] ?? ""),
  ]);
  const known = usage === undefined ? undefined : dependencies.models().of(tenant, usage.model);
  return {
    tenant,
    links,
    messages,
    compactions,
    windowTokens: (await windowOf(dependencies, { tenant, model: usage?.model, state }))?.tokens,
    thresholdTokens: savedTiming(state)?.thresholdTokens,
    measure: dependencies.measureOf(known ?? {}),
  };
}

interface RecordedSession {
  readonly tenant: string;
  /** The one that was asked last; undefined where no answer has named one. */
  readonly model: string | undefined;
  readonly state: unknown;
}

/** What its gateway worked with last, unless that was learned and is forgotten or on trial by now. */
export async function windowOf(
  { models, windowIsStated }: Pick<HistoryDependencies, "models" | "windowIsStated">,
  { tenant, model, state }: RecordedSession,
): Promise<WindowInUse | undefined> {
  const saved = savedWindow(state);
  if (model === undefined || (saved !== undefined && saved.from !== "learned" && !windowIsStated)) return saved;
  const book = models();
  if (saved?.from === "learned") await book.recalled(tenant, model);
  return book.of(tenant, model, saved?.learned?.upstream).window;
}

export async function contextView(dependencies: HistoryDependencies, which: Which): Promise<ContextView> {
  const { tenant, links, messages, compactions, windowTokens, thresholdTokens, measure } = await read(
    dependencies,
    which,
  );
  const usages = await dependencies.store.listUsage(tenant, links);
  const weights = messages.map((message) => measure.message(message));
  const requests = requestsOf(usages, links, dependencies);
  const dated = compactions.map((entry) => ({ ...entry, since: firstWith(entry, requests, messages.length) }));
  return {
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(thresholdTokens === undefined ? {} : { thresholdTokens }),
    requests,
    ...sizes(
      weights,
      dated.filter(({ undone }) => !undone),
      measure,
    ),
    fills: fillsOf(messages, weights),
    compactions: dated.map(({ compaction: { covered, report }, undone, since }) => {
      return { at: covered, since, undone, tokens: report.tokens };
    }),
  };
}

interface DatedCompaction extends CompactionEntry {
  /** The number of the last message of the first request that went out with it. */
  readonly since: number;
}

/** By the times of requests; where none was reported, it is taken to be the one that ended in what is covered. */
function firstWith(
  { compaction, createdAt }: CompactionEntry,
  requests: ContextView["requests"],
  last: number,
): number {
  if (requests.length === 0) return compaction.covered;
  const first = requests.find(({ at, message }) => at >= createdAt && message >= compaction.covered);
  return first?.message ?? last;
}

function requestsOf(
  usages: readonly UsageEntry[],
  links: readonly string[],
  dependencies: HistoryDependencies,
): ContextView["requests"] {
  const numbers = new Map(links.map((link, at) => [link, at + 1]));
  return usages.map((usage) => {
    const { link, model, at, input, output, cacheRead, cacheWrite } = usage;
    const costUsd = spendOf([usage], dependencies);
    const counted = { message: numbers.get(link) ?? 0, model, at, input, output, cacheRead, cacheWrite };
    return costUsd === undefined ? counted : { ...counted, costUsd };
  });
}

/** After each message: as the client knows the conversation, and with the newest compaction that existed by then. */
function sizes(
  weights: readonly number[],
  standing: readonly DatedCompaction[],
  measure: Measure,
): Pick<ContextView, "original" | "sent"> {
  const original: number[] = [];
  const sent: number[] = [];
  let total = 0;
  let removed = 0;
  let next = 0;
  for (const weight of weights) {
    total += weight;
    original.push(total);
    for (; standing[next] !== undefined && standing[next]!.since <= original.length; next++) {
      const { covered, after } = standing[next]!.compaction;
      removed = (original[covered - 1] ?? 0) - measure.messages(after);
    }
    sent.push(Math.max(0, total - removed));
  }
  return { original, sent };
}

function fillsOf(messages: readonly Message[], weights: readonly number[]): ContextView["fills"] {
  const tools = toolNames(messages);
  const fills = new Map<string, { role: Message["role"]; tool?: string; messages: number; tokens: number }>();
  messages.forEach((message, at) => {
    const result = resultOf(message);
    const tool = result === undefined ? undefined : tools.get(result.callId);
    const key = `${message.role} ${tool ?? ""}`;
    const fill = fills.get(key) ?? {
      role: message.role,
      ...(tool === undefined ? {} : { tool }),
      messages: 0,
      tokens: 0,
    };
    fill.messages++;
    fill.tokens += weights[at] ?? 0;
    fills.set(key, fill);
  });
  return [...fills.values()].toSorted((one, other) => other.tokens - one.tokens);
}

/** `number` counts the compactions of the session from 1, in the order of `history`. @throws PrecisError `unknown_compaction`. */
export async function compactionView(
  dependencies: HistoryDependencies,
  which: Which,
  number: number,
  page?: Page,
): Promise<CompactionView> {
  const session = await read(dependencies, which);
  const { compactions } = session;
  const compaction = compactions[number - 1]?.compaction;
  if (compaction === undefined)
    throw new PrecisError(`the session has no compaction ${number}`, {
      code: "unknown_compaction",
      hint: `It has ${compactions.length}, counted from 1.`,
    });
  return viewOf(dependencies, session, compaction, page);
}

/** The same of one that is not kept. */
export async function unkeptView(
  dependencies: HistoryDependencies,
  which: Which,
  compaction: Compaction,
  page?: Page,
): Promise<CompactionView> {
  return viewOf(dependencies, await read(dependencies, which), compaction, page);
}

function viewOf(
  dependencies: HistoryDependencies,
  { messages, measure }: SessionRead,
  compaction: Compaction,
  page: Page | undefined,
): CompactionView {
  const shown = (message: Message, at: number): MessageShown => shownMessage(dependencies, message, at, measure);
  const { after, map, covered } = compaction;
  const { from, count } = page ?? { from: 1, count: covered };
  const handoff = after.filter(({ origin }) => origin === "summary").map(({ parts }) => contentText(parts));
  return {
    report: compaction.report,
    map: Array.from({ length: covered }, (_, at) => map[at] ?? { kind: "summarised" }),
    ...(handoff.length === 0 ? {} : { handoff: dependencies.redact(handoff.join("\n\n")) }),
    before: messages.slice(from - 1, Math.min(covered, from - 1 + count)).map((message, index) => {
      const at = from - 1 + index;
      const recall = recallOf(compaction, at);
      return {
        ...shown(message, at),
        became: map[at] ?? { kind: "summarised" },
        ...(recall === undefined ? {} : { recall }),
      };
    }),
    after: after.map((message, at) => {
      return { ...shown(message, at), ...(message.origin === undefined ? {} : { origin: message.origin }) };
    }),
  };
}

function recallOf({ evicted }: Compaction, at: number): string | undefined {
  return evicted.find(({ message, end = message + 1 }) => message <= at && at < end)?.id;
}

function shownMessage({ redact }: HistoryDependencies, message: Message, at: number, measure: Measure): MessageShown {
  return {
    number: at + 1,
    role: message.role,
    tokens: measure.message(message),
    text: redact(contentText(message.parts)).slice(0, TEXT_CHARS_MAX),
    calls: callsOf(message).map((call) => redact(labelOf(described(call)))),
  };
}
