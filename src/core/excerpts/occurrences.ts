/**
 * What a conversation says of each identifier: where it is and in whose words. Folded message by message, so that
 * a longer conversation costs only what is new in it.
 */
import type { CallSummary } from "../digest/call.ts";
import { createRoots } from "../ledger/roots.ts";
import { type Message, callsOf, resultOf } from "../transcript/message.ts";
import { createPairing } from "../transcript/pairing.ts";
import { type Vocabulary, createVocabulary } from "./characters.ts";
import { type OnMention, type LineReader, type MentionKind, createLineReader } from "./mentions.ts";
import { type NameTable, createNameTable } from "./name-table.ts";
import {
  READINGS_BYTES_MAX,
  type MessageReading,
  type ReadingOf,
  type SpokenText,
  type OccurrenceFacts,
  createReadings,
  createOccurrenceFacts,
} from "./reading.ts";

/** A name that is in more messages than this is everywhere: whatever is kept will show it. */
export const RARE_MESSAGES_MAX = 5;

/** One message of the fold. */
export interface MessageEntry {
  readonly message: Message;
  /** The call that a result answers. */
  readonly call: CallSummary | undefined;
}

/** An identifier and where it is. Places are pairs: index of the message, index among its distinct identifiers. */
export interface IdentifierPositions {
  readonly id: string;
  readonly kind: MentionKind;
  /** The first places, as many as a rare name has: message and local index, alternating. */
  readonly places: readonly number[];
}

/** Identifiers are numbered; what every ranking asks of each is in arrays of its own, which are quick to walk. */
export interface Occurrences {
  readonly entries: readonly MessageEntry[];
  /** What an entry's message says. */
  readonly readingOf: (entry: MessageEntry) => MessageReading;
  /** The number of an identifier, by its index among those of a message. */
  readonly numberOf: (reading: MessageReading, local: number) => number;
  readonly standings: readonly IdentifierPositions[];
  /** How each is in those places. */
  readonly signs: OccurrenceFacts;
  /** For each identifier: how many messages hold it. */
  readonly counts: readonly number[];
  /** The words that identifiers are made of: those of number n are `words[wordStarts[n] .. wordStarts[n + 1])`. */
  readonly words: readonly number[];
  readonly wordStarts: readonly number[];
  readonly vocabulary: Vocabulary;
  /** For each entry: whether it shows a file that was edited or written. */
  readonly ofEditedFile: readonly boolean[];
  /** The folder that most absolute paths lie below; empty where there is none. */
  readonly root: () => string;
  /** Hears of each place where a text names an identifier of the conversation, in order, by its number here. */
  readonly eachNamed: (text: string, hear: OnMention) => void;
}

export interface OccurrencesKeeper {
  readonly occurrencesOf: (messages: readonly Message[]) => Occurrences;
  /** The entries of messages that belong to the conversation last asked for; others are left out. */
  readonly entriesOf: (messages: readonly Message[]) => readonly MessageEntry[];
}

/** A conversation names some thousands; a keeper that has read of more than this begins again with the next. */
const NAMES_KEPT_MAX = 100_000;

/** `readingsBytesMax` bounds what is remembered of the messages themselves. */
export function createOccurrencesKeeper(readingsBytesMax = READINGS_BYTES_MAX): OccurrencesKeeper {
  let reader = createReader(readingsBytesMax);
  let fold = createFold(reader);
  /** The list that was folded last, where nobody changes it any more: one compaction asks for it half a dozen times. */
  let last: readonly Message[] | undefined;
  return {
    occurrencesOf: (messages) => {
      if (messages === last) return fold.occurrences;
      last = undefined;
      if (!fold.isPrefixOf(messages)) {
        if (reader.table.names.length > NAMES_KEPT_MAX) reader = createReader(readingsBytesMax);
        fold = createFold(reader);
      }
      for (let at = fold.occurrences.entries.length; at < messages.length; at++) fold.add(messages[at]!);
      if (Object.isFrozen(messages)) last = messages;
      return fold.occurrences;
    },
    entriesOf: (messages) => messages.flatMap((message) => fold.entryOf(message) ?? []),
  };
}

/** Reads messages, and the lines of other texts; what it reads goes by the numbers of one table of names. */
interface Reader {
  readonly table: NameTable;
  readonly readingOf: ReadingOf;
  readonly lines: LineReader;
}

function createReader(readingsBytesMax: number): Reader {
  const table = createNameTable();
  return { table, readingOf: createReadings(table, readingsBytesMax), lines: createLineReader(table) };
}

interface Fold {
  readonly occurrences: Occurrences;
  readonly add: (message: Message) => void;
  readonly entryOf: (message: Message) => MessageEntry | undefined;
  readonly isPrefixOf: (messages: readonly Message[]) => boolean;
}

function createFold(reader: Reader): Fold {
  const entries: MessageEntry[] = [];
  const edits = createEdits();
  const roots = createRoots();
  const byMessage = new Map<Message, MessageEntry>();
  const pairing = createPairing<CallSummary>();
  const { count, ...counted } = createRegister(reader);
  return {
    occurrences: {
      ...counted,
      entries,
      readingOf: ({ message }) => reader.readingOf(message),
      ofEditedFile: edits.shown,
      root: roots.root,
    },
    add: (message) => {
      const reading = reader.readingOf(message);
      callsOf(message).forEach(({ id }, at) => pairing.ask(id, entries.length, reading.calls[at]!));
      const call = pairing.answer(resultOf(message)?.callId);
      edits.add(reading.calls, call);
      roots.add(reading.calls);
      count({ role: message.role, reading }, entries.length);
      const entry = { message, call };
      entries.push(entry);
      byMessage.set(message, entry);
    },
    entryOf: (message) => byMessage.get(message),
    isPrefixOf: (messages) =>
      entries.length <= messages.length && entries.every(({ message }, at) => message === messages[at]),
  };
}

/** What a occurrences says of each identifier. */
interface Register extends Omit<Occurrences, "entries" | "readingOf" | "ofEditedFile" | "root"> {
  /** Adds what a message says. */
  readonly count: (said: SpokenText, message: number) => void;
}

function createRegister({ table, lines }: Reader): Register {
  const standings: IdentifierPositions[] = [];
  const places: number[][] = [];
  const counts: number[] = [];
  const words: number[] = [];
  const wordStarts: number[] = [0];
  const vocabulary = createVocabulary();
  const { add: sign, ...signs } = createOccurrenceFacts();
  /** For each name of the table: its number here, or -1. */
  const numbers: number[] = [];
  const add = (id: string, kind: MentionKind, message: number, local: number): number => {
    // Most names are in one message, and an array that begins with all it will hold takes a tenth of the memory.
    const own = [message, local];
    places.push(own);
    counts.push(1);
    vocabulary.add(id, words);
    wordStarts.push(words.length);
    return standings.push({ id, kind, places: own }) - 1;
  };
  return {
    standings,
    signs,
    counts,
    words,
    wordStarts,
    vocabulary,
    eachNamed: (text, hear) =>
      lines(text, (name, start, end) => {
        const number = numbers[name] ?? -1;
        if (number >= 0) hear(number, start, end);
      }),
    numberOf: ({ mentions }, local) => numbers[mentions.names[local]!]!,
    count: (said, message) => {
      while (numbers.length < table.names.length) numbers.push(-1);
      const { names, kinds } = said.reading.mentions;
      for (let local = 0; local < names.length; local++) {
        const name = names[local]!;
        const known = numbers[name]!;
        if (known < 0) numbers[name] = add(table.names[name]!, kinds[local]!, message, local);
        else if (++counts[known]! <= RARE_MESSAGES_MAX) places[known]!.push(message, local);
        else continue;
        sign(numbers[name]!, local, said);
      }
    },
  };
}

export interface Edits {
  /** For each message: whether it answers a call that names such a file. */
  readonly shown: readonly boolean[];
  /** The next message: the calls that it makes, and the one that it answers. */
  readonly add: (calls: readonly CallSummary[], answered: CallSummary | undefined) => void;
}

function createEdits(): Edits {
  const edited = new Set<string>();
  const messagesOf = new Map<string, number[]>();
  const shown: boolean[] = [];
  const edit = (name: string): void => {
    if (edited.has(name)) return;
    edited.add(name);
    for (const message of messagesOf.get(name) ?? []) shown[message] = true;
  };
  return {
    shown,
    add: (calls, answered) => {
      for (const { action, paths } of calls)
        if (action === "edit" || action === "write") for (const path of paths) edit(nameOf(path));
      const names = (answered?.paths ?? []).map(nameOf);
      const message = shown.push(names.some((name) => edited.has(name))) - 1;
      for (const name of names) {
        const messages = messagesOf.get(name);
        if (messages === undefined) messagesOf.set(name, [message]);
        else messages.push(message);
      }
    },
  };
}

/** The last two components: one file is named in full here and relatively there. */
function nameOf(path: string): string {
  const parent = path.lastIndexOf("/", path.lastIndexOf("/") - 1);
  return path.slice(parent + 1);
}
