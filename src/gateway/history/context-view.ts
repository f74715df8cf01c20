/** What fills a session's context: its size after each message, by role and tool, and what each compaction made of which message. */
import { defined } from "../../core/defined.ts";
import type { Compaction } from "../../core/compaction/compaction.ts";
import { described, labelOf } from "../../core/digest/call.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import { callsOf, contentText, resultOf, type Message } from "../../core/transcript/message.ts";
import { savedTiming, savedWindow } from "../../session/saved-state.ts";
import type { WindowInUse } from "../../session/timing.ts";
import type { UsageEntry } from "../../store/store.ts";
import type { CompactionView, ContextView, MessageShown, Page, Which } from "../../session/history.ts";
import { type HistoryDependencies, readSized, type SessionSizes, type SizedSession, toolNames } from "./sizes.ts";
import { PrecisError } from "../../core/errors.ts";
import { spendOf } from "./archive.ts";

const TEXT_CHARS_MAX = 4_000;

interface RecordedSession {
  readonly tenant: string;
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
  const session = await readSized(dependencies, which);
  const { links, messages, usages, state, sizes } = session;
  const windowTokens = (await windowOf(dependencies, session))?.tokens;
  const thresholdTokens = savedTiming(state)?.thresholdTokens;
  const { original, sent, compactions } = sizes;
  return {
    ...defined({ windowTokens, thresholdTokens }),
    requests: listRequests(usages, links, dependencies),
    original,
    sent,
    fills: groupFills(messages, sizes),
    compactions: compactions.map(({ compaction: { covered, report }, undone, since }) => {
      return { at: covered, since, undone, tokens: report.tokens };
    }),
  };
}

function listRequests(
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

function groupFills(messages: readonly Message[], { weigh, besideTokens }: SessionSizes): ContextView["fills"] {
  const tools = toolNames(messages);
  const fills = new Map<string, { role: Message["role"]; tool?: string; messages: number; tokens: number }>();
  if (besideTokens > 0) fills.set("beside", { role: "system", messages: 0, tokens: besideTokens });
  messages.forEach((message) => {
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
    fill.tokens += weigh(message);
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
  const session = await readSized(dependencies, which);
  const { compactions } = session;
  const compaction = compactions[number - 1]?.compaction;
  if (compaction === undefined)
    throw new PrecisError(`the session has no compaction ${number}`, {
      code: "unknown_compaction",
      hint: `It has ${compactions.length}, counted from 1.`,
    });
  return showCompaction(dependencies, session, compaction, page);
}

export async function unkeptView(
  dependencies: HistoryDependencies,
  which: Which,
  compaction: Compaction,
  page?: Page,
): Promise<CompactionView> {
  return showCompaction(dependencies, await readSized(dependencies, which), compaction, page);
}

function showCompaction(
  dependencies: HistoryDependencies,
  { messages, sizes }: SizedSession,
  compaction: Compaction,
  page: Page | undefined,
): CompactionView {
  const shownWith = { redact: dependencies.redact, weigh: sizes.weigh };
  const shown = (message: Message, at: number): MessageShown => shownMessage(message, at + 1, shownWith);
  const { after, map, covered } = compaction;
  const { from, count } = page ?? { from: 1, count: covered };
  const handoff = after.filter(({ origin }) => origin === "summary").map(({ parts }) => contentText(parts));
  return {
    report: compaction.report,
    map: Array.from({ length: covered }, (_, at) => map[at] ?? { kind: "summarised" }),
    ...(handoff.length === 0 ? {} : { handoff: dependencies.redact(handoff.join("\n\n")) }),
    before: messages.slice(from - 1, Math.min(covered, from - 1 + count)).map((message, index) => {
      const at = from - 1 + index;
      const recall = findRecallId(compaction, at);
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

export function findRecallId({ evicted }: Pick<Compaction, "evicted">, at: number): string | undefined {
  return evicted.find(({ message, end = message + 1 }) => message <= at && at < end)?.id;
}

interface ShownWith {
  readonly redact: Redactor;
  readonly weigh: (message: Message) => number;
  readonly charsMax?: number;
}

/** The first message is number 1. Secrets are masked before anything is cut. */
export function shownMessage(
  message: Message,
  number: number,
  { redact, weigh, charsMax = TEXT_CHARS_MAX }: ShownWith,
): MessageShown {
  return {
    number,
    role: message.role,
    tokens: weigh(message),
    text: redact(contentText(message.parts)).slice(0, charsMax),
    calls: callsOf(message).map((call) => redact(labelOf(described(call)))),
  };
}
