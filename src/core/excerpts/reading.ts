/** What one message says, read once: its text as a model sees it, the identifiers in it and how each of them is there. */
import { type CallSummary, described } from "../digest/call.ts";
import { opensWithHandoff } from "../handoff/marks.ts";
import { type Message, type Role, type ToolCallPart, callsOf, contentText } from "../transcript/message.ts";
import { remembered } from "../transcript/remembered.ts";
import { BACKTICK } from "./characters.ts";
import { firstBlockIn } from "./exposure.ts";
import { type Mentions, mentionsIn } from "./mentions.ts";
import type { NameTable } from "./name-table.ts";

export interface MessageReading {
  /** Content, then each call's tool name and decoded argument strings, a line break between any two. */
  readonly text: string;
  readonly calls: readonly CallSummary[];
  /** Where each call begins in the text. */
  readonly callStarts: readonly number[];
  readonly mentions: Mentions;
  /** Where the first key block opens; -1 where none does. */
  readonly firstBlock: number;
  /** For each distinct identifier: its first mention. */
  readonly first: readonly number[];
  /** For each mention: the next one of the same identifier, or -1. */
  readonly next: readonly number[];
  /** The fewest neighbours that any of its mentions has: names in a crowd mean little. */
  readonly neighbours: readonly number[];
  /** 1 where it is in backticks: someone named it on purpose. */
  readonly quoted: readonly number[];
  /** 1 where an assistant wrote it himself, in content or a short argument. */
  readonly writtenByAssistant: readonly number[];
}

/** Longest argument that counts as written by hand: a command, a path, a query; not the body of a file. */
const SHORT_ARGUMENT_CHARS_MAX = 300;
/** How far a neighbour may stand from a mention. */
const NEIGHBOUR_CHARS = 150;
const NEIGHBOURS_MAX = 99;

export function readMessage(message: Message, table: NameTable): MessageReading {
  const calls = callsOf(message).map((call) => described(call));
  const said = contentText(message.parts);
  // An earlier handoff is read back by the next one; quoting it would be quoting a copy.
  const content = opensWithHandoff(said) ? "" : said;
  const pieces = [content];
  const callStarts: number[] = [];
  let length = content.length;
  for (const call of callsOf(message)) {
    callStarts.push(length + 1);
    for (const piece of [call.name, ...leavesOf(call)]) {
      pieces.push(piece);
      length += 1 + piece.length;
    }
  }
  const text = calls.length === 0 ? content : pieces.join("\n");
  const mentions = withoutGutter(text, mentionsIn(text, table));
  const { first, next } = chainsOf(mentions);
  const neighbours = neighboursOf(mentions);
  const quoted: number[] = new Array(first.length).fill(0);
  for (let at = 0; at < mentions.which.length; at++)
    if (text.charCodeAt(mentions.starts[at]! - 1) === BACKTICK) quoted[mentions.which[at]!] = 1;
  const writtenByAssistant =
    message.role === "assistant" ? pointedOf(mentions, pieces) : new Array<number>(first.length).fill(0);
  return {
    text,
    calls,
    callStarts,
    mentions,
    firstBlock: firstBlockIn(text),
    first,
    next,
    neighbours,
    quoted,
    writtenByAssistant,
  };
}

/** The decoded values among a call's arguments; the raw text where they are not JSON. */
function leavesOf({ arguments: raw }: ToolCallPart): readonly string[] {
  let root: unknown;
  try {
    root = JSON.parse(raw);
  } catch {
    return [raw];
  }
  const found: string[] = [];
  // A stack, not recursion: arguments can be nested deeper than the call stack is.
  const stack: unknown[] = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === "object" && value !== null)
      for (const child of Object.values(value).toReversed()) stack.push(child);
    else if (value !== null && value !== undefined) found.push(String(value));
  }
  return found;
}

const GUTTER_MARK = 0x2192;

/** Without the numbers that a tool put before lines (`1240→`): they name nothing. */
function withoutGutter(text: string, mentions: Mentions): Mentions {
  const { names, kinds, which, starts, ends } = mentions;
  const isGutter = (at: number): boolean =>
    kinds[which[at]!] === "number" && text.charCodeAt(ends[at]!) === GUTTER_MARK;
  let numbered = false;
  for (let at = 0; at < which.length && !numbered; at++) numbered = isGutter(at);
  if (!numbered) return mentions;
  const kept = which.flatMap((_, at) => (isGutter(at) ? [] : [at]));
  const order = [...new Set(kept.map((at) => which[at]!))];
  const renumbered = new Map(order.map((id, at) => [id, at]));
  return {
    names: order.map((id) => names[id]!),
    kinds: order.map((id) => kinds[id]!),
    which: kept.map((at) => renumbered.get(which[at]!)!),
    starts: kept.map((at) => starts[at]!),
    ends: kept.map((at) => ends[at]!),
  };
}

function chainsOf({ names, which }: Mentions): Pick<MessageReading, "first" | "next"> {
  const first: number[] = new Array(names.length).fill(-1);
  const last: number[] = new Array(names.length).fill(-1);
  const next: number[] = new Array(which.length).fill(-1);
  let seen = 0;
  for (let at = 0; at < which.length; at++) {
    const id = which[at]!;
    if (id === seen) {
      first[id] = at;
      seen++;
    } else next[last[id]!] = at;
    last[id] = at;
  }
  if (seen !== names.length) throw new RangeError("identifiers are numbered in order of first mention");
  return { first, next };
}

function neighboursOf({ names, which, starts, ends }: Mentions): number[] {
  const fewest: number[] = new Array(names.length).fill(NEIGHBOURS_MAX);
  let [from, until] = [0, 0];
  for (let at = 0; at < which.length; at++) {
    while (starts[at]! - ends[from]! >= NEIGHBOUR_CHARS) from++;
    while (until < which.length && starts[until]! - ends[at]! < NEIGHBOUR_CHARS) until++;
    const id = which[at]!;
    fewest[id] = Math.min(fewest[id]!, until - from - 1);
  }
  return fewest;
}

/** Which identifiers stand outside long arguments. */
function pointedOf({ names, which, starts }: Mentions, pieces: readonly string[]): number[] {
  const writtenByAssistant: number[] = new Array(names.length).fill(0);
  let [piece, end] = [0, pieces[0]!.length];
  for (let at = 0; at < which.length; at++) {
    while (starts[at]! > end) end += 1 + pieces[++piece]!.length;
    if (piece === 0 || pieces[piece]!.length <= SHORT_ARGUMENT_CHARS_MAX) writtenByAssistant[which[at]!] = 1;
  }
  return writtenByAssistant;
}

/** About what all readings may take. A window of a million tokens takes a third at most. */
export const READINGS_BYTES_MAX = 64_000_000;
/** Of a mention, in the arrays of a reading. */
const MENTION_BYTES = 64;

export type ReadingOf = (message: Message) => MessageReading;

export function createReadings(table: NameTable, bytesMax: number): ReadingOf {
  const readings = remembered<Message, MessageReading>({ bytesOf, bytesMax });
  /** One message is mostly asked for several times in a row. */
  let last: { readonly message: Message; readonly reading: MessageReading } | undefined;
  return (message) => {
    if (last?.message !== message) last = { message, reading: readings(message, () => readMessage(message, table)) };
    return last.reading;
  };
}

function bytesOf({ text, mentions }: MessageReading): number {
  return text.length + mentions.which.length * MENTION_BYTES;
}

/** By the number of the identifier, over the places that count. */
export interface OccurrenceFacts {
  /** From each place 1 / (identifiers of the message + `IDENTIFIER_COUNT_OFFSET`): the more, the fewer names it is among. */
  readonly inverseIdentifierCount: readonly number[];
  /** The fewest neighbours that any of its mentions has. */
  readonly neighbours: readonly number[];
  /** Places where an assistant wrote it himself. */
  readonly writtenByAssistant: readonly number[];
  /** 1 where it is in backticks anywhere. */
  readonly quoted: readonly number[];
  /** Places that are results. */
  readonly results: readonly number[];
}

/** A message that was read. */
export interface SpokenText {
  readonly role: Role;
  readonly reading: MessageReading;
}

export interface SignsKeeper extends OccurrenceFacts {
  /** Another place of an identifier, by its index among those of the message; identifiers are new in order of number. */
  readonly add: (number: number, local: number, said: SpokenText) => void;
}

/** Added to the number of identifiers in a message, so that one alone in a message does not outweigh all else. */
const IDENTIFIER_COUNT_OFFSET = 2;

export function createOccurrenceFacts(): SignsKeeper {
  const inverseIdentifierCount: number[] = [];
  const neighbours: number[] = [];
  const writtenByAssistant: number[] = [];
  const quoted: number[] = [];
  const results: number[] = [];
  return {
    inverseIdentifierCount,
    neighbours,
    writtenByAssistant,
    quoted,
    results,
    add: (number, local, { role, reading }) => {
      const isNew = number === inverseIdentifierCount.length;
      const share = 1 / (reading.first.length + IDENTIFIER_COUNT_OFFSET);
      const near = reading.neighbours[local]!;
      inverseIdentifierCount[number] = isNew ? share : inverseIdentifierCount[number]! + share;
      neighbours[number] = isNew ? near : Math.min(neighbours[number]!, near);
      writtenByAssistant[number] = (isNew ? 0 : writtenByAssistant[number]!) + reading.writtenByAssistant[local]!;
      quoted[number] = (isNew ? 0 : quoted[number]!) | reading.quoted[local]!;
      results[number] = (isNew ? 0 : results[number]!) + (role === "tool" ? 1 : 0);
    },
  };
}
