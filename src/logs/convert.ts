/**
 * From one agent's session to another's. A session that stays in its format is given back as it was, byte for byte,
 * with every line that precis does not know.
 */
import { adapt } from "./adapt.ts";
import { FORMATS } from "./formats.ts";
import type { Remark } from "./losses.ts";
import {
  type LogFormat,
  type LogNote,
  liveMessages,
  type Session,
  type RecordedCompaction,
  type SessionMessage,
} from "./log.ts";
import { fillTimes, deriveUuid, type WriteContext } from "./document.ts";
import { isDeepStrictEqual } from "node:util";
import type { Message } from "../core/transcript/message.ts";
import { groupNotes, readAssembled } from "./read.ts";

export interface Converted {
  readonly text: string;
  readonly from: LogFormat;
  readonly to: LogFormat;
  readonly id: string;
  /** The id that the written text has, if the format changes it. */
  readonly ownId: string;
  /** When it began, in milliseconds since the epoch. */
  readonly startMs: number;
  readonly cwd?: string;
  readonly messages: number;
  /** Of these, what the agent sends when it continues. */
  readonly live: number;
  readonly compactions: number;
  readonly remarks: readonly Remark[];
  readonly notes: readonly LogNote[];
}

interface ConvertOptions {
  readonly to: LogFormat;
  readonly nowMs: number;
  /** The folder in which the work continues; that of the session if not given. */
  readonly cwd?: string;
}

/** Throws `unreadable_input` if the text holds no session of the format. */
export function convertLog(text: string, from: LogFormat, { to, nowMs, cwd }: ConvertOptions): Converted {
  const read = readSession(text, from);
  const moved = cwd === undefined ? read : { ...read, cwd };
  const { notes } = read;
  if (from === to && cwd === undefined)
    return {
      ...describeSession(read, nowMs),
      text,
      from,
      to,
      id: read.id ?? "",
      ownId: read.id ?? "",
      remarks: [],
      notes,
    };
  const context = { id: deriveUuid(from, to, read.id ?? "", text), nowMs };
  const { session, ...written } = writeSession(moved, to, context);
  return { ...describeSession(session, nowMs), ...written, from, to, notes };
}

type About = Pick<Converted, "cwd" | "messages" | "live" | "compactions" | "startMs">;

function describeSession(session: Session, nowMs: number): About {
  const { cwd, messages, compactions } = session;
  return {
    ...(cwd !== undefined && { cwd }),
    messages: messages.length,
    live: liveMessages(session).length,
    compactions: compactions.length,
    startMs: fillTimes(session, nowMs)[0] ?? nowMs,
  };
}

interface WrittenSession {
  readonly text: string;
  readonly id: string;
  readonly ownId: string;
  readonly session: Session;
  readonly remarks: readonly Remark[];
}

export function writeSession(session: Session, to: LogFormat, context: WriteContext): WrittenSession {
  const { session: held, remarks } = adapt(session, FORMATS[to], FORMATS[session.format].tools);
  const text = FORMATS[to].write(held, context);
  const ownId = FORMATS[to].read(text, "live").id ?? context.id;
  return { text, id: context.id, ownId, session: held, remarks };
}

interface ReadSession extends Session {
  readonly notes: readonly LogNote[];
}

/** Throws `unreadable_input` if no record of the format is found. */
export function readSession(text: string, format: LogFormat): ReadSession {
  const all = readAssembled(text, format, "all");
  const live = collectMessages(readAssembled(text, format, "live"));
  const found = withCompactions(text, format, collectMessages(all));
  const followed = isSameHistory(liveMessages(found), live);
  const { id, title, model, cwd, system = [] } = all.reading;
  return {
    format,
    ...(id !== undefined && { id }),
    ...(title !== undefined && { title }),
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    system,
    otherRecords: Math.max(0, all.reading.recognised - new Set(all.lines).size),
    ...(followed ? found : { messages: live.map(withoutLine), compactions: [] }),
    notes: groupNotes([...all.reading.notes, ...all.notes, ...(followed ? [] : [onlyLive(all.messages.length, live)])]),
  };
}

/** A cleared context, or a compaction whose history is not in the file: what the agent sends is certain, the rest is not. */
function onlyLive(count: number, live: readonly ReadMessage[]): LogNote {
  const text = `${Math.max(0, count - live.length)} messages that the agent no longer sends were left out`;
  return { code: "history_replaced", line: live[0]?.line ?? 0, text };
}

function isSameHistory(ours: readonly SessionMessage[], live: readonly SessionMessage[]): boolean {
  return ours.length === live.length && ours.every(({ message }, at) => isSameMessage(message, live[at]!.message));
}

function collectMessages({
  reading,
  messages,
  injected,
  lines,
}: ReturnType<typeof readAssembled>): readonly ReadMessage[] {
  const marked = new Set(injected);
  return messages.map((message, at) => {
    const line = lines[at]!;
    const timeMs = reading.times.get(line);
    return { message, line, ...(timeMs !== undefined && { timeMs }), ...(marked.has(at) && { injected: true }) };
  });
}

function withoutLine({ line: _, ...rest }: ReadMessage): SessionMessage {
  return rest;
}

interface ReadMessage extends SessionMessage {
  readonly line: number;
}

/**
 * What a compaction left is what the agent would have sent right after it: the file is read once more up to each
 * recorded summary. Its messages are found again among all others; those that are not become messages of their own.
 */
function withCompactions(
  text: string,
  format: LogFormat,
  read: readonly ReadMessage[],
): Pick<Session, "messages" | "compactions"> {
  const messages: ReadMessage[] = [];
  const compactions: RecordedCompaction[] = [];
  let done = 0;
  for (const one of read) {
    if (one.message.origin === "summary" && one.line > done) {
      done = one.line;
      const found = compactionAt(text, format, { line: done, before: messages, own: selectOwn(read, done) });
      if (found !== undefined) compactions.push(found.compaction);
      if (found !== undefined) for (const each of found.added) messages.push(each);
    }
    messages.push(one);
  }
  return { messages: messages.map(withoutLine), compactions };
}

function selectOwn(read: readonly ReadMessage[], line: number): readonly ReadMessage[] {
  return read.filter((one) => one.line === line);
}

interface Place {
  readonly line: number;
  readonly before: readonly ReadMessage[];
  readonly own: readonly ReadMessage[];
}

interface FoundCompaction {
  readonly compaction: RecordedCompaction;
  /** What the compaction added that was not in the history: it comes before the summary. */
  readonly added: readonly ReadMessage[];
}

/** Undefined if the summary replaced nothing: it is then a message like others. */
function compactionAt(text: string, format: LogFormat, { line, before, own }: Place): FoundCompaction | undefined {
  const live = readAssembled(FORMATS[format].upTo(text, line), format, "live");
  const added: ReadMessage[] = [];
  const used = new Set<number>();
  const places = live.messages.flatMap((message, at): readonly Placed[] => {
    const ownAt = own.findIndex((one) => isSameMessage(one.message, message));
    if (live.lines[at] === line && ownAt >= 0) return [{ kind: "own", at: ownAt }];
    const earlier = before.findLastIndex((one, index) => !used.has(index) && isSameMessage(one.message, message));
    if (earlier >= 0) {
      used.add(earlier);
      return [{ kind: "before", at: earlier }];
    }
    // The call is answered later in the file.
    if (message.origin === "stub") return [];
    const timeMs = own[0]?.timeMs;
    const injected = live.injected.includes(at);
    added.push({ message, line, ...(timeMs !== undefined && { timeMs }), ...(injected && { injected: true }) });
    return [{ kind: "added", at: added.length - 1 }];
  });
  const kept = places.filter(({ kind }) => kind === "before").length;
  if (before.length > 0 && kept === before.length) return undefined;
  const starts = { before: 0, added: before.length, own: before.length + added.length };
  const summary = own.findIndex(({ message }) => message.origin === "summary");
  const context = places.map(({ kind, at }) => starts[kind] + at);
  return { compaction: { at: before.length, summary: starts.own + summary, context }, added };
}

interface Placed {
  readonly kind: "before" | "added" | "own";
  readonly at: number;
}

function isSameMessage(one: Message, other: Message): boolean {
  return one === other || (one.role === other.role && isDeepStrictEqual(one.parts, other.parts));
}
