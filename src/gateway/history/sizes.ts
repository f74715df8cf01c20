/** How large a session is, on one scale everywhere: tokens of whole requests, by the newest that its provider reported. */
import { calibrated, type Measure, createMeasure } from "../../core/transcript/measure.ts";
import { type Message, callsOf, contentText, type Part } from "../../core/transcript/message.ts";
import { FACTOR_MIN, initialFactor } from "../../session/state.ts";
import { savedScale } from "../../session/saved-state.ts";
import type { CompactionEntry, UsageEntry, HistoryStore } from "../../store/store.ts";
import type { Which, MessageInFull, Page, PartShown } from "../../session/history.ts";
import { findSession, type FoundSession, readConversation, type StoredConversation } from "./find.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { Chain } from "../../core/transcript/links.ts";
import type { OperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import type { Prices } from "../../models/ai-sdk.ts";
import type { EmitEvent } from "../contract.ts";
import type { ModelBook } from "../models/models.ts";
import type { sessionOptions } from "../gateway-options.ts";

interface DatedCompaction extends CompactionEntry {
  /** The number of the last message of the first request that went out with it. */
  readonly since: number;
}

export interface SessionSizes {
  readonly weigh: (message: Message) => number;
  readonly besideTokens: number;
  /** After each message: as the client knows the conversation, and with the newest compaction that existed by then. */
  readonly original: readonly number[];
  readonly sent: readonly number[];
  readonly compactions: readonly DatedCompaction[];
}

interface StoredSession extends Pick<RecentConversation, "messages" | "links"> {
  readonly usages: readonly UsageEntry[];
  readonly compactions: readonly CompactionEntry[];
  readonly state: unknown;
}

export interface SizedSession extends StoredSession, FoundSession {
  readonly conversation: RecentConversation;
  readonly model: string | undefined;
  readonly sizes: SessionSizes;
}

export async function readSized(dependencies: HistoryDependencies, which: Which): Promise<SizedSession> {
  const { store, readRecent, measureOf, models } = dependencies;
  const found = await findSession(store, which);
  const { tenant, entry } = found;
  const conversation = await readRecent(tenant, entry.head);
  const { messages, links } = conversation;
  const [usages, compactions, state] = await Promise.all([
    store.listUsage(tenant, links),
    store.listCompactions(tenant, links),
    store.getState(tenant, links[0] ?? ""),
  ]);
  const model = newestUsage(usages, links)?.model;
  const stored = { messages, links, usages, compactions, state };
  const sizes = sizesOf(stored, measureOf(model === undefined ? {} : models().of(tenant, model)));
  return { ...found, ...stored, conversation, model, sizes };
}

export function sizesOf(session: StoredSession, base: Measure): SessionSizes {
  const { weigh, besideTokens } = findScale(session, base);
  const compactions = dated(session);
  const standing = compactions.filter(({ undone }) => !undone);
  const original: number[] = [];
  const sent: number[] = [];
  let total = besideTokens;
  let removed = 0;
  let next = 0;
  for (const message of session.messages) {
    total += weigh(message);
    original.push(total);
    for (; standing[next] !== undefined && standing[next]!.since <= original.length; next++) {
      const { covered, after } = standing[next]!.compaction;
      removed = (original[covered - 1] ?? 0) - besideTokens - sum(after, weigh);
    }
    sent.push(Math.max(0, total - removed));
  }
  return { weigh, besideTokens, original, sent, compactions };
}

/** What is reported beyond the estimate of its messages is what goes along with them. */
function findScale(session: StoredSession, base: Measure): Pick<SessionSizes, "weigh" | "besideTokens"> {
  const { usages, state } = session;
  const { factor = initialFactor(usages.at(-1)?.model), fixedTokens = 0 } = savedScale(state);
  const known = { weigh: weighing(base, factor), besideTokens: fixedTokens };
  const newest = newestReport(session);
  if (newest === undefined) return known;
  const { input, messages } = newest;
  const rest = input - sum(messages, known.weigh);
  if (rest >= 0) return { ...known, besideTokens: rest };
  const exact = (input - messages.length) / Math.max(1, sum(messages, weighing(base, 1)));
  if (exact < FACTOR_MIN) return known;
  const weigh = weighing(base, exact);
  return { weigh, besideTokens: input - sum(messages, weigh) };
}

/** The newest request whose usage is known, with what went out; undefined where that was undone since. */
function newestReport({ messages, links, usages, compactions }: StoredSession) {
  const newest = newestUsage(usages, links);
  if (newest === undefined || newest.input === 0) return undefined;
  const { at, link, input } = newest;
  const count = links.indexOf(link) + 1;
  const used = compactions.findLast(({ createdAt, compaction }) => createdAt <= at && compaction.covered <= count);
  if (used?.undone === true) return undefined;
  const { after = [], covered = 0 } = used?.compaction ?? {};
  return { input, messages: [...after, ...messages.slice(covered, count)] };
}

/** Of the longest prefix that has one, as `findUsage` of a store answers. */
export function newestUsage(usages: readonly UsageEntry[], links: readonly string[]): UsageEntry | undefined {
  const newest = new Map(usages.map((usage) => [usage.link, usage]));
  const link = usages.length === 0 ? undefined : links.findLast((one) => newest.has(one));
  return link === undefined ? undefined : newest.get(link);
}

function weighing(base: Measure, factor: number): SessionSizes["weigh"] {
  const measure = calibrated(base, factor);
  return (message) => measure.transcript({ system: [], messages: [message] });
}

/** By the times of requests; where none was reported, it is taken to be the one that ended in what is covered. */
function dated({ messages, links, usages, compactions }: StoredSession): readonly DatedCompaction[] {
  const places = new Map(links.map((link, at) => [link, at + 1]));
  return compactions.map((entry) => {
    const { covered } = entry.compaction;
    if (usages.length === 0) return { ...entry, since: covered };
    const first = usages.find(({ at, link }) => at >= entry.createdAt && (places.get(link) ?? 0) >= covered);
    return { ...entry, since: places.get(first?.link ?? "") ?? messages.length };
  });
}

function sum(messages: readonly Message[], weigh: SessionSizes["weigh"]): number {
  return messages.reduce((total, message) => total + weigh(message), 0);
}

export interface HistoryDependencies {
  readonly store: HistoryStore;
  readonly chain: Chain;
  readonly models: () => ModelBook;
  readonly windowIsStated: boolean;
  readonly readRecent: ReadRecent;
  readonly measureOf: ReturnType<typeof createMeasures>;
  readonly pricesOf: (model: string) => Prices | undefined;
  readonly runtime: ReturnType<typeof sessionOptions>;
  readonly redact: Redactor;
  readonly hooks: OperatorHooks | undefined;
  readonly onEvent: EmitEvent;
}

/** Of one part; its message's original has the rest. */
const PART_CHARS_MAX = 20_000;

export async function readMessages(
  dependencies: HistoryDependencies,
  which: Which,
  { from, count }: Page,
): Promise<readonly MessageInFull[]> {
  const { redact } = dependencies;
  const { messages, sizes } = await readSized(dependencies, which);
  const tools = toolNames(messages);
  return messages.slice(from - 1, from - 1 + count).map((message, at) => ({
    number: from + at,
    role: message.role,
    tokens: sizes.weigh(message),
    parts: message.parts.map((part) => shownPart(part, tools, redact)),
  }));
}

export function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  return new Map(messages.flatMap((message) => callsOf(message).map(({ id, name }) => [id, name] as const)));
}

function shownPart(part: Part, tools: ReadonlyMap<string, string>, redact: Redactor): PartShown {
  switch (part.kind) {
    case "text":
      return { kind: "text", ...cut(redact(part.text)) };
    case "reasoning":
      return { kind: "thinking", ...cut(redact(part.text)) };
    case "tool-call":
      return { kind: "call", tool: part.name, ...cut(redact(part.arguments)) };
    case "tool-result": {
      const tool = tools.get(part.callId);
      const text = cut(redact(contentText(part.content)));
      return {
        kind: "result",
        ...text,
        ...(tool === undefined ? {} : { tool }),
        ...(part.isError === true ? { failed: true as const } : {}),
      };
    }
    case "image":
    case "file":
      return { kind: "media", text: part.kind };
    case "opaque":
      return { kind: "media", text: part.type };
  }
}

/** Secrets are masked before anything is cut. */
function cut(text: string): Pick<PartShown, "text" | "chars"> {
  return text.length <= PART_CHARS_MAX ? { text } : { text: text.slice(0, PART_CHARS_MAX), chars: text.length };
}

const REMEMBERED_MAX = 2;
const REMEMBERED_MS = 60_000;

interface RecentConversation extends StoredConversation {
  readonly links: readonly string[];
}

type ReadRecent = (tenant: string, head: string) => Promise<RecentConversation>;

export function createReadRecent(store: HistoryStore, now: () => number = Date.now): ReadRecent {
  const remembered = new Map<string, { readonly until: number; readonly conversation: Promise<RecentConversation> }>();
  return (tenant, head) => {
    for (const [key, { until }] of remembered) if (until < now()) remembered.delete(key);
    const key = `${tenant}\n${head}`;
    const known = remembered.get(key);
    const conversation = known?.conversation ?? readWithLinks(store, tenant, head);
    remembered.delete(key);
    remembered.set(key, { until: now() + REMEMBERED_MS, conversation });
    conversation.catch(() => remembered.delete(key));
    for (const oldest of remembered.keys()) {
      if (remembered.size <= REMEMBERED_MAX) break;
      remembered.delete(oldest);
    }
    return conversation;
  };
}

async function readWithLinks(store: HistoryStore, tenant: string, head: string): Promise<RecentConversation> {
  const [conversation, links] = await Promise.all([
    readConversation(store, tenant, head),
    store.readLinks(tenant, head),
  ]);
  return { ...conversation, links };
}

/** Measures that remember what each message weighs, as long as the message is remembered. */
export function createMeasures(): (model: Pick<Measure, "imageTokens">) => Measure {
  const measures = new Map<number | undefined, Measure>();
  return ({ imageTokens }) => {
    const known = measures.get(imageTokens) ?? createMeasure(imageTokens === undefined ? {} : { imageTokens });
    measures.set(imageTokens, known);
    return known;
  };
}
