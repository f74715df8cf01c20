/** Requests of a wanted size in bytes, and conversations that grow: realistic traffic made from a seed. */
import { createTraffic } from "../traffic/session.ts";

const CHARS_PER_TOKEN = 4;
/** Made a little too long, and cut. */
const SLACK = 1.1;
const FIRST_TURN_TOKENS = 500;
const WORD = "word ";
/** So that it stays about as large as it was asked for. */
const NEXT_MESSAGES_MAX = 20;

interface Body {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly [key: string]: unknown;
}

export interface Bodies {
  /** The same conversation every time. */
  readonly same: () => Buffer;
  /** A conversation that nobody has seen: its first words differ. */
  readonly fresh: () => Buffer;
  /** The next turn of a conversation: two messages more each time, and after some turns another conversation. */
  readonly next: () => Buffer;
}

let conversations = 0;

/** About `bytes` long. */
export function createBodies(bytes: number, more: object = {}): Bodies {
  const base = { ...sizedTo(bytes), ...more };
  const [system, ...rest] = base.messages;
  const first = Buffer.from(JSON.stringify(base));
  let grown: Body["messages"][number][] = [];
  return {
    same: () => first,
    fresh: () => Buffer.from(JSON.stringify({ ...base, messages: [system, opening(), ...rest] })),
    next: () => {
      if (grown.length === 0 || grown.length > base.messages.length + NEXT_MESSAGES_MAX)
        grown = [...base.messages].toSpliced(1, 0, opening());
      const turn = grown.length;
      grown.push(
        { role: "assistant", content: `Step ${turn} is done.` },
        { role: "user", content: `Now step ${turn + 1}.` },
      );
      return Buffer.from(JSON.stringify({ ...base, messages: grown }));
    },
  };
}

function opening(): Body["messages"][number] {
  return { role: "user", content: `Conversation ${(conversations += 1)} of ${process.pid}.` };
}

function sizedTo(bytes: number): Body {
  const { body } = createTraffic(bytes, Math.ceil((bytes / CHARS_PER_TOKEN) * SLACK));
  const whole = JSON.parse(body) as Body;
  const messages: Body["messages"][number][] = [];
  let room = bytes - JSON.stringify({ ...whole, messages }).length;
  for (const message of whole.messages) {
    const { length } = JSON.stringify(message);
    if (length > room) break;
    messages.push(message);
    room -= length;
  }
  // A call without its result would be no valid request.
  if (messages.at(-1)?.role === "assistant") messages.pop();
  messages.push({ role: "user", content: WORD.repeat(Math.max(1, Math.floor(room / WORD.length))) });
  return { ...whole, messages };
}

/** A session as an agent sends it, turn by turn, up to about `bytes`; another seed, another session. */
export function growingSession(seed: number, bytes: number): readonly Buffer[] {
  const { longer } = createTraffic(seed, FIRST_TURN_TOKENS);
  const turns: Buffer[] = [];
  for (let turn = 0; (turns.at(-1)?.length ?? 0) < bytes; turn += 1) turns.push(Buffer.from(longer(turn)));
  return turns;
}
