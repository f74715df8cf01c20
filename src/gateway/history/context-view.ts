/** What fills a session's context: its size after each message, by role and tool, and what each compaction made of which message. */
import type { Compaction } from "../../core/compaction/compaction.ts";
import { described, labelOf } from "../../core/digest/call.ts";
import { createMeasure, type Measure } from "../../core/transcript/measure.ts";
import { callsOf, contentText, resultOf, type Message } from "../../core/transcript/message.ts";
import type { CompactionEntry } from "../../store/store.ts";
import type { CompactionView, ContextView, MessageShown, Which } from "./contract.ts";
import { readConversation } from "./conversation.ts";
import type { HistoryDependencies } from "./dependencies.ts";
import { findSession } from "./find.ts";
import { PrecisError } from "../../core/errors.ts";

/** What is shown of one message; its original has the rest. */
const TEXT_CHARS_MAX = 4_000;

interface SessionRead {
  readonly messages: readonly Message[];
  readonly compactions: readonly CompactionEntry[];
  readonly windowTokens: number | undefined;
  readonly measure: Measure;
}

async function read(dependencies: HistoryDependencies, which: Which): Promise<SessionRead> {
  const { store } = dependencies;
  const { tenant, entry } = await findSession(store, which);
  const [conversation, links] = await Promise.all([
    readConversation(store, tenant, entry.head),
    store.readLinks(tenant, entry.head),
  ]);
  const [compactions, usage] = await Promise.all([
    store.listCompactions(tenant, links),
    store.findUsage(tenant, links),
  ]);
  const known = usage === undefined ? undefined : dependencies.models().of(tenant, usage.model);
  return {
    messages: conversation.messages,
    compactions,
    windowTokens: known?.windowTokens,
    measure: createMeasure(known ?? {}),
  };
}

export async function contextView(dependencies: HistoryDependencies, which: Which): Promise<ContextView> {
  const { messages, compactions, windowTokens, measure } = await read(dependencies, which);
  const weights = messages.map((message) => measure.message(message));
  const standing = compactions.filter(({ undone }) => !undone);
  return {
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...sizes(weights, standing, measure),
    fills: fillsOf(messages, weights),
    compactions: compactions.map(({ compaction: { covered, report }, undone }) => {
      return { at: covered, undone, tokens: report.tokens };
    }),
  };
}

/** After each message: as the client knows the conversation, and with the newest compaction that existed by then. */
function sizes(
  weights: readonly number[],
  standing: readonly CompactionEntry[],
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
    for (; standing[next] !== undefined && standing[next]!.compaction.covered <= original.length; next++) {
      const { covered, after } = standing[next]!.compaction;
      removed = (original[covered - 1] ?? 0) - measure.messages(after);
    }
    sent.push(Math.max(0, total - removed));
  }
  return { original, sent };
}

function fillsOf(messages: readonly Message[], weights: readonly number[]): ContextView["fills"] {
  const tools = new Map<string, string>();
  const fills = new Map<string, { role: Message["role"]; tool?: string; messages: number; tokens: number }>();
  messages.forEach((message, at) => {
    for (const call of callsOf(message)) tools.set(call.id, call.name);
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
): Promise<CompactionView> {
  const { messages, compactions, measure } = await read(dependencies, which);
  const compaction = compactions[number - 1]?.compaction;
  if (compaction === undefined)
    throw new PrecisError(`the session has no compaction ${number}`, {
      code: "unknown_compaction",
      hint: `It has ${compactions.length}, counted from 1.`,
    });
  const shown = (message: Message, at: number): MessageShown => shownMessage(dependencies, message, at, measure);
  const { after, map, covered } = compaction;
  return {
    report: compaction.report,
    before: messages.slice(0, covered).map((message, at) => {
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
