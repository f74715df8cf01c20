/** `timeline`: what a person asked in a session, when, how much work each request took, and where it was compacted. */
import { byPerson, personText } from "../../core/events/person.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import { callsOf, type Message } from "../../core/transcript/message.ts";
import type { CompactionEntry } from "../../store/store.ts";
import { oneLine, type Answer } from "../../core/recall/pages.ts";
import type { ToolContext } from "./contract.ts";
import { sessionOf } from "./scope.ts";

const REQUEST_CHARS_MAX = 160;
const IDS_SHOWN_MAX = 8;

export interface TimelineArguments {
  readonly id?: string | undefined;
  readonly from?: number | undefined;
}

/** A turn: a person's message and all up to the next one. Indices from 0, the end excluded. */
interface Turn {
  readonly start: number;
  readonly end: number;
}

export async function timeline(context: ToolContext, { id, from = 1 }: TimelineArguments): Promise<Answer> {
  const { archive, store, tenant, limits } = context;
  const session = await sessionOf(context, id);
  const [messages, links] = await Promise.all([
    archive.messages({ tenant, id: session.id }),
    store.readLinks(tenant, session.head),
  ]);
  const turns = turnsOf(messages).filter(({ end }) => end >= from);
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
    head: `Session ${session.id}: messages 1 to ${messages.length}, compactions: ${compactions.length}, ${timeOf(session.createdAt)} to ${timeOf(session.updatedAt)}`,
    body,
    rest: (shown) => {
      const next = turns[shown];
      return next === undefined ? "" : `(more turns: from ${next.start + 1})`;
    },
  };
}

function turnsOf(messages: readonly Message[]): readonly Turn[] {
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
  const when = at === undefined ? "" : `, ${timeOf(at)}`;
  const asked = oneLine(redact(messages[0] === undefined ? "" : personText(messages[0])), REQUEST_CHARS_MAX);
  return `${start + 1} to ${end}${when}, calls: ${calls}, ≈ ${tokens} tokens: ${asked}`;
}

function compactionLine({ compaction: { covered, evicted, report }, undone, createdAt }: CompactionEntry): string {
  const ids = [...new Set(evicted.map(({ id }) => id))];
  const shown = ids.slice(0, IDS_SHOWN_MAX).join(" ");
  const more = ids.length > IDS_SHOWN_MAX ? ` and ${ids.length - IDS_SHOWN_MAX} more` : "";
  const { before, after } = report.tokens;
  return `  compacted (${report.reason}) ${timeOf(createdAt)}: messages 1 to ${covered}, ${before} → ${after} tokens${undone ? ", undone" : ""}; recall ids: ${shown === "" ? "none" : shown}${more}`;
}

/** As an agent reads it. */
export function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
