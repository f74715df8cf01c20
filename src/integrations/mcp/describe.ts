/** `describe`: what a session or an original is, when it was, how large, and what is around it. */
import { estimateText } from "../../core/transcript/estimate.ts";
import type { Evicted } from "../../core/compaction/compaction.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import { type Message, callsOf } from "../../core/transcript/message.ts";
import type { SessionEntry, CompactionEntry } from "../../store/store.ts";
import { oneLine } from "../../core/digest/cut.ts";
import { type Answer } from "../../core/recall/pages.ts";
import { messageText } from "../../core/recall/messages.ts";
import type { ToolContext } from "./contract.ts";
import { pinLines } from "./changes.ts";
import { findOriginal, findPlace, findSession, listScopedSessions, type RemovalPoint } from "./scope.ts";
import { isRecallId } from "../../core/transcript/links.ts";
import { byPerson, personText } from "../../core/events/person.ts";

const TITLE_CHARS_MAX = 120;
const LABEL_CHARS_MAX = 100;

export async function describe(context: ToolContext, { id }: { readonly id?: string | undefined }): Promise<Answer> {
  if (id !== undefined && isRecallId(id)) return describeOriginal(context, id);
  if (id === undefined && context.session === undefined) return listSessions(context);
  return describeSession(context, await findSession(context, id));
}

async function listSessions(context: ToolContext): Promise<Answer> {
  const body: string[] = [];
  for (const { id, messages, updatedAt } of await listScopedSessions(context)) {
    const { title } = await context.archive.show({ tenant: context.tenant, id }, 0);
    body.push(`${id}  ${formatTime(updatedAt)}  ${messages} messages  ${oneLine(title, TITLE_CHARS_MAX)}`);
  }
  const head = body.length === 0 ? "No sessions are stored." : "Sessions, most recently used first:";
  return { head, body, rest: (shown) => left(body.length - shown) };
}

async function describeSession(context: ToolContext, session: SessionEntry): Promise<Answer> {
  const { archive, store, tenant } = context;
  const { id, head, messages, parent, forkedAt, createdAt, updatedAt } = session;
  const [about, links, pinned] = await Promise.all([
    archive.show({ tenant, id }, 0),
    store.readLinks(tenant, head),
    archive.pins({ tenant, id }),
  ]);
  const compactions = await store.listCompactions(tenant, links);
  const standing = compactions.filter(({ undone }) => !undone).length;
  const removed = new Set(compactions.flatMap(({ compaction }) => compaction.evicted.map((one) => one.id)));
  const { original, sent } = about.estimate;
  // If only one session may be seen, nothing is said of others.
  const parentId = parent === undefined || context.session !== undefined ? undefined : parent;
  const body = [
    `begins with: ${oneLine(about.title, TITLE_CHARS_MAX)}`,
    `used: ${formatTime(createdAt)} to ${formatTime(updatedAt)}`,
    ...(about.model === undefined
      ? []
      : [`model: ${oneLine(context.redact(about.model), LABEL_CHARS_MAX)}, ${about.protocol ?? ""}`]),
    `as it is: ${messages} messages, ≈ ${original} tokens`,
    `goes out as: ${about.sentMessages} messages, ≈ ${sent} tokens`,
    `compactions: ${standing} active, ${compactions.length - standing} undone; recall ids: ${removed.size}`,
    ...pinLines(context, pinned).map((line) => `pinned ${line}`),
    ...(parentId === undefined
      ? []
      : [`left the session ${parentId} after its message ${links.indexOf(forkedAt ?? "") + 1}`]),
  ];
  return { head: `Session ${id}`, body, rest: () => "`timeline` lists its turns, `expand` returns its messages." };
}

async function describeOriginal(context: ToolContext, id: string): Promise<Answer> {
  const [original, place] = await Promise.all([findOriginal(context, id), findPlace(context, id)]);
  const { kind, label, text } = original;
  const what = {
    result: "a tool's result",
    arguments: "a call's arguments",
    media: "media",
    text: "a text",
    span: "whole messages",
  };
  const body = [
    `what: ${what[kind]}, ${oneLine(context.redact(label), LABEL_CHARS_MAX)}`,
    `size: ${text.length} characters, ≈ ${estimateText(text.slice(0, context.limits.originalChars))} tokens, ${text.split("\n").length} lines`,
    ...(place === undefined ? [] : await surroundings(context, place)),
  ];
  return { head: `Original ${id}`, body, rest: () => `\`expand\` gives it back: id ${id}.` };
}

async function surroundings(
  context: ToolContext,
  { session, compaction, evicted }: RemovalPoint,
): Promise<readonly string[]> {
  const messages = await context.archive.messages({ tenant: context.tenant, id: session.id });
  const { report } = compaction.compaction;
  const [from, end] = findRange(evicted);
  return [
    `where: session ${session.id}, ${end === from + 1 ? `message ${end}` : `messages ${from + 1} to ${end}`}`,
    `left it: ${formatTime(compaction.createdAt)}, by a compaction (${report.reason}${compaction.undone ? ", undone since" : ""})`,
    ...neighbour(context, messages[from - 1], `before it, message ${from}`),
    ...neighbour(context, messages[end], `after it, message ${end + 1}`),
  ];
}

function findRange({ message, end = message + 1 }: Evicted): readonly [from: number, end: number] {
  return [message, end];
}

const MEASURE = createMeasure();

function neighbour(context: ToolContext, message: Message | undefined, where: string): readonly string[] {
  if (message === undefined) return [];
  const said = oneLine(context.redact(messageText(message)), TITLE_CHARS_MAX);
  return [`${where}: ${message.role}, ≈ ${MEASURE.message(message)} tokens: ${said}`];
}

function left(count: number): string {
  return count === 0 ? "" : `(${count} more did not fit)`;
}

const REQUEST_CHARS_MAX = 160;
const IDS_SHOWN_MAX = 8;

interface TimelineArguments {
  readonly id?: string | undefined;
  readonly from?: number | undefined;
}

interface Turn {
  readonly start: number;
  readonly end: number;
}

export async function timeline(context: ToolContext, { id, from = 1 }: TimelineArguments): Promise<Answer> {
  const { archive, store, tenant, limits } = context;
  const session = await findSession(context, id);
  const [messages, links] = await Promise.all([
    archive.messages({ tenant, id: session.id }),
    store.readLinks(tenant, session.head),
  ]);
  const turns = splitTurns(messages).filter(({ end }) => end >= from);
  const compactions = await store.listCompactions(tenant, links);
  const listed = turns.slice(0, limits.turns);
  const body: string[] = [];
  for (const turn of listed) {
    const usage = await store.findUsage(tenant, links.slice(0, turn.end));
    const at = usage !== undefined && links.indexOf(usage.link) >= turn.start ? usage.at : undefined;
    const here = compactions.filter(({ compaction: { covered } }) => covered > turn.start && covered <= turn.end);
    body.push(
      [turnLine(context, messages.slice(turn.start, turn.end), turn, at), ...here.map(compactionLine)].join("\n"),
    );
  }
  return {
    head: `Session ${session.id}: messages 1 to ${messages.length}, compactions: ${compactions.length}, ${formatTime(session.createdAt)} to ${formatTime(session.updatedAt)}`,
    body,
    rest: (shown) => {
      const next = turns[shown];
      return next === undefined ? "" : `(more turns: from ${next.start + 1})`;
    },
  };
}

function splitTurns(messages: readonly Message[]): readonly Turn[] {
  const starts = messages.flatMap((message, at) => (at === 0 || byPerson(message) ? [at] : []));
  return starts.map((start, at) => ({ start, end: starts[at + 1] ?? messages.length }));
}

function turnLine(
  { redact }: ToolContext,
  messages: readonly Message[],
  { start, end }: Turn,
  at: number | undefined,
): string {
  const calls = messages.reduce((total, message) => total + callsOf(message).length, 0);
  const tokens = createMeasure().messages(messages);
  const when = at === undefined ? "" : `, ${formatTime(at)}`;
  const asked = oneLine(redact(messages[0] === undefined ? "" : personText(messages[0])), REQUEST_CHARS_MAX);
  return `${start + 1} to ${end}${when}, calls: ${calls}, ≈ ${tokens} tokens: ${asked}`;
}

function compactionLine({ compaction: { covered, evicted, report }, undone, createdAt }: CompactionEntry): string {
  const ids = [...new Set(evicted.map(({ id }) => id))];
  const shown = ids.slice(0, IDS_SHOWN_MAX).join(" ");
  const more = ids.length > IDS_SHOWN_MAX ? ` and ${ids.length - IDS_SHOWN_MAX} more` : "";
  const { before, after } = report.tokens;
  return `  compacted (${report.reason}) ${formatTime(createdAt)}: messages 1 to ${covered}, ${before} → ${after} tokens${undone ? ", undone" : ""}; recall ids: ${shown === "" ? "none" : shown}${more}`;
}

function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
