/** The sessions that are replayed, turn by turn as an agent sends them: generated traffic, or recorded sessions of a corpus. */
import { createTraffic } from "../traffic/session.ts";

export interface ReplayedSession {
  /** The body of a turn, which holds all turns before it; undefined after the last one. */
  readonly bodyOf: (turn: number) => Buffer | undefined;
}

/** Makes the session with a number; the same number and name give the same session, another name another conversation. */
export type SessionSource = (number: number, name: string) => ReplayedSession;

interface ChatBody {
  readonly messages: readonly { readonly role: string }[];
}

const FIRST_TURN_TOKENS = 500;
const RECORDED_MESSAGES_MIN = 20;

/** Sessions that grow to about `bytes`, with whole tool results or no more than the beginning of each. */
export function generatedSessions(bytes: number, resultChars = Number.POSITIVE_INFINITY): SessionSource {
  return (number, name) => {
    const { longer } = createTraffic(1 + number, FIRST_TURN_TOKENS);
    let isOver = false;
    return {
      bodyOf: (turn) => {
        if (isOver) return undefined;
        const body = named(shortened(longer(turn), resultChars), name);
        isOver = body.length >= bytes;
        return body;
      },
    };
  };
}

function shortened(text: string, resultChars: number): string {
  if (resultChars === Number.POSITIVE_INFINITY) return text;
  const body = JSON.parse(text) as {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
  };
  const messages = body.messages.map((one) =>
    one.role === "tool" ? { ...one, content: one.content.slice(0, resultChars) } : one,
  );
  return JSON.stringify({ ...body, messages });
}

/** Recorded sessions in the format of Chat Completions, one after another and then again; others are left out. */
export function recordedSessions(texts: readonly string[]): SessionSource {
  const bodies = texts
    .map((text) => JSON.parse(text) as ChatBody)
    .filter(({ messages }) => Array.isArray(messages) && messages.length >= RECORDED_MESSAGES_MIN);
  if (bodies.length === 0)
    throw new Error("no sessions in the format of Chat Completions: name a corpus in PRECIS_CORPUS");
  return (number, name) => {
    const body = bodies[number % bodies.length]!;
    const ends = body.messages.flatMap(({ role }, at) => (role === "assistant" && at > 0 ? [at] : []));
    return {
      bodyOf: (turn) => {
        const end = ends[turn];
        if (end === undefined) return undefined;
        return named(JSON.stringify({ ...body, stream: false, messages: body.messages.slice(0, end) }), name);
      },
    };
  };
}

/** Nobody has seen a conversation that begins with a name of its own. */
function named(text: string, name: string): Buffer {
  const list = text.indexOf('"messages":[') + '"messages":['.length;
  // Behind the system prompt, which stays the first message.
  const at = Math.max(list, text.indexOf('{"role":"user"', list));
  const opening = JSON.stringify({ role: "user", content: `This is conversation ${name}.` });
  return Buffer.from(`${text.slice(0, at)}${opening},${text.slice(at)}`);
}
