/**
 * From one agent's session to another's. A session that stays in its format is given back as it was, byte for byte,
 * with every line that precis does not know.
 */
import { adapt } from "./adapt.ts";
import { FORMATS } from "./formats.ts";
import type { Remark } from "./losses.ts";
import type { LogFormat, LogNote } from "./log.ts";
import { readSession } from "./read-session.ts";
import { liveMessages, type Session } from "./session.ts";
import { stampsOf, uuidFrom, type WriteContext } from "./written.ts";

export interface Converted {
  readonly text: string;
  readonly from: LogFormat;
  readonly to: LogFormat;
  readonly id: string;
  /** The id that the written text has, where the format makes another of it. */
  readonly ownId: string;
  /** When it began, in milliseconds since the epoch. */
  readonly startMs: number;
  readonly cwd?: string;
  readonly messages: number;
  /** Of these, what the agent sends when it goes on. */
  readonly live: number;
  readonly compactions: number;
  /** What was lost and what was changed on the way. */
  readonly remarks: readonly Remark[];
  /** What the reader left out or repaired. */
  readonly notes: readonly LogNote[];
}

export interface ConvertOptions {
  readonly to: LogFormat;
  readonly nowMs: number;
  /** The folder in which the work goes on; that of the session where not given. */
  readonly cwd?: string;
}

/** Throws `unreadable_input` where the text holds no session of the format. */
export function convertLog(text: string, from: LogFormat, { to, nowMs, cwd }: ConvertOptions): Converted {
  const read = readSession(text, from);
  const moved = cwd === undefined ? read : { ...read, cwd };
  const { notes } = read;
  if (from === to && cwd === undefined)
    return { ...aboutOf(read, nowMs), text, from, to, id: read.id ?? "", ownId: read.id ?? "", remarks: [], notes };
  const written = writeSession(moved, to, { id: uuidFrom(from, to, read.id ?? "", text), nowMs });
  return { ...aboutOf(written.session, nowMs), ...textOf(written), from, to, notes };
}

type About = Pick<Converted, "cwd" | "messages" | "live" | "compactions" | "startMs">;

function aboutOf(session: Session, nowMs: number): About {
  const { cwd, messages, compactions } = session;
  return {
    ...(cwd !== undefined && { cwd }),
    messages: messages.length,
    live: liveMessages(session).length,
    compactions: compactions.length,
    startMs: stampsOf(session, nowMs)[0] ?? nowMs,
  };
}

function textOf({ text, id, ownId, remarks }: WrittenSession): Pick<Converted, "text" | "id" | "ownId" | "remarks"> {
  return { text, id, ownId, remarks };
}

export interface WrittenSession {
  readonly text: string;
  readonly id: string;
  readonly ownId: string;
  /** As the format holds it. */
  readonly session: Session;
  readonly remarks: readonly Remark[];
}

export function writeSession(session: Session, to: LogFormat, context: WriteContext): WrittenSession {
  const { session: held, remarks } = adapt(session, FORMATS[to], FORMATS[session.format].tools);
  const text = FORMATS[to].write(held, context);
  const ownId = FORMATS[to].read(text, "live").id ?? context.id;
  return { text, id: context.id, ownId, session: held, remarks };
}
