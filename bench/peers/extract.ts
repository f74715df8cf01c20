/**
 * The model of every peer that asks one: no model at all, but the same stub for all. It answers with lines of what it
 * was shown, word for word, evenly spaced over the whole, as many as fit the length; it leaves out whatever is not the
 * conversation's (the peer's own instructions). So what differs between two peers is what they show, keep and ask for.
 */
import { textOf, tokensOf, type ChatMessage } from "../../eval/src/recall/future-use.ts";

/** Lines shorter than this say nothing. */
const LINE_CHARS_MIN = 12;
const LINE_CHARS_MAX = 400;
/** Who speaks, as peers write it before a message. */
const SPEAKER = /^(?:\[?[A-Za-z ]{2,24}\]?|\[TOOL RESULT [^\]]*\]): /;

export interface Told {
  readonly calls: number;
  /** Tokens that were shown and written, by the measure's count. */
  readonly shown: number;
  readonly written: number;
}

export interface Extractor {
  /** The answer to a prompt, of at most `tokens`. */
  readonly answer: (prompt: string, tokens: number) => string;
  readonly told: () => Told;
}

/** `conversation` grows: what has been said is known from then on. */
export interface Conversation {
  readonly has: (line: string) => boolean;
  readonly say: (messages: readonly ChatMessage[]) => void;
  /** An answer that is at hand, where time is taken: what a stub costs is nobody's time. */
  readonly ready?: string;
}

export function createConversation(messages: readonly ChatMessage[] = []): Conversation {
  const lines = new Set<string>();
  const say = (said: readonly ChatMessage[]): void => {
    for (const message of said) for (const line of textOf(message).split("\n")) lines.add(line.trim());
  };
  say(messages);
  return { has: (line) => lines.has(line), say };
}

/** For where time is taken. */
export function summaryAtHand(): Conversation {
  return { ...createConversation(), ready: "A summary that was there before it was asked for. ".repeat(100) };
}

export function createExtractor({ has, ready }: Pick<Conversation, "has" | "ready">): Extractor {
  const told = { calls: 0, shown: 0, written: 0 };
  const answer = (prompt: string, tokens: number): string => {
    if (ready !== undefined) {
      // To be sent, a prompt must be made into bytes; only then has it been written.
      told.shown += Buffer.byteLength(prompt);
      return ready;
    }
    const lines = prompt
      .split("\n")
      .map((line) => line.trim().replace(SPEAKER, ""))
      .filter((line) => line.length >= LINE_CHARS_MIN && has(line))
      .map((line) => line.slice(0, LINE_CHARS_MAX));
    const text = evenly(lines, tokens).join("\n");
    told.calls += 1;
    told.shown += tokensOf(prompt);
    told.written += tokensOf(text);
    return text;
  };
  return { answer, told: () => ({ ...told }) };
}

/** Every n-th line, n the smallest for which they fit. */
function evenly(lines: readonly string[], tokens: number): readonly string[] {
  const all = lines.reduce((sum, line) => sum + line.length / 4 + 1, 0);
  const every = Math.max(1, all / Math.max(1, tokens));
  const chosen: string[] = [];
  let room = tokens;
  for (let at = 0; at < lines.length; at += every) {
    const line = lines[Math.floor(at)]!;
    room -= tokensOf(line) + 1;
    if (room < 0) break;
    chosen.push(line);
  }
  return chosen;
}
