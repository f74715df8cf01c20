/** `describe`: what a session or an original is, when it was, how large, and what is around it. */
import { estimateText } from "../../core/transcript/estimate.ts";
import type { Evicted } from "../../core/compaction/compaction.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import type { Message } from "../../core/transcript/message.ts";
import type { SessionEntry } from "../../store/store.ts";
import { oneLine, type Answer } from "../../core/recall/pages.ts";
import { messageText } from "../../core/recall/messages.ts";
import type { ToolContext } from "./contract.ts";
import { pinLines } from "./changes.ts";
import { originalOf, placeOf, sessionOf, sessionsOf, type RemovalPoint } from "./scope.ts";
import { timeOf } from "./timeline.ts";
import { isRecallId } from "../../core/transcript/links.ts";

const TITLE_CHARS_MAX = 120;
const LABEL_CHARS_MAX = 100;

export async function describe(context: ToolContext, { id }: { readonly id?: string | undefined }): Promise<Answer> {
  if (id !== undefined && isRecallId(id)) return describeOriginal(context, id);
  if (id === undefined && context.session === undefined) return listSessions(context);
  return describeSession(context, await sessionOf(context, id));
}

async function listSessions(context: ToolContext): Promise<Answer> {
  const body: string[] = [];
  for (const { id, messages, updatedAt } of await sessionsOf(context)) {
    const { title } = await context.archive.show({ tenant: context.tenant, id }, 0);
    body.push(`${id}  ${timeOf(updatedAt)}  ${messages} messages  ${oneLine(title, TITLE_CHARS_MAX)}`);
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
  // Of another session nothing is said where one is all that may be seen.
  const parentId = parent === undefined || context.session !== undefined ? undefined : parent;
  const body = [
    `begins with: ${oneLine(about.title, TITLE_CHARS_MAX)}`,
    `used: ${timeOf(createdAt)} to ${timeOf(updatedAt)}`,
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
  const [original, place] = await Promise.all([originalOf(context, id), placeOf(context, id)]);
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
  const [from, end] = rangeOf(evicted);
  return [
    `where: session ${session.id}, ${end === from + 1 ? `message ${end}` : `messages ${from + 1} to ${end}`}`,
    `left it: ${timeOf(compaction.createdAt)}, by a compaction (${report.reason}${compaction.undone ? ", undone since" : ""})`,
    ...neighbour(context, messages[from - 1], `before it, message ${from}`),
    ...neighbour(context, messages[end], `after it, message ${end + 1}`),
  ];
}

function rangeOf({ message, end = message + 1 }: Evicted): readonly [from: number, end: number] {
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
