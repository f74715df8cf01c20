/**
 * What a conversation says of each identifier: where it stands and in whose words. Folded message by message, so that
 * a longer conversation costs only what is new in it.
 */
import type { CallSummary } from "../digest/call.ts";
import { resultOf, type Message } from "../transcript/message.ts";
import { createEdits } from "./edits.ts";
import type { MentionKind } from "./mentions.ts";
import { readMessage, type Reading } from "./reading.ts";
import { createRoots } from "./roots.ts";
import { createVocabulary, type Vocabulary } from "./words.ts";

/** A name that stands in more messages than this is everywhere: whatever is kept will show it (the measure of DESIGN §5). */
export const RARE_MESSAGES_MAX = 5;

/** One message of the fold. */
export interface Entry {
  readonly message: Message;
  readonly reading: Reading;
  /** The call that a result answers. */
  readonly call: CallSummary | undefined;
  /** For each of the message's distinct identifiers: its number in the tally. */
  readonly numbers: readonly number[];
}

/** An identifier and where it stands. Places are pairs: index of the message, index among its distinct identifiers. */
export interface Standing {
  readonly id: string;
  readonly kind: MentionKind;
  /** The first places, as many as a rare name has: message and local index, alternating. */
  readonly places: readonly number[];
}

/** Identifiers are numbered; what every ranking asks of each stands in arrays of its own, which are quick to walk. */
export interface Tally {
  readonly entries: readonly Entry[];
  readonly standings: readonly Standing[];
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
  readonly numberOf: (id: string) => number | undefined;
}

export interface TallyKeeper {
  readonly tallyOf: (messages: readonly Message[]) => Tally;
  /** The entries of messages that belong to the conversation last asked for; others are left out. */
  readonly entriesOf: (messages: readonly Message[]) => readonly Entry[];
}

export function createTallyKeeper(): TallyKeeper {
  const readings = new WeakMap<Message, Reading>();
  const read = (message: Message): Reading => {
    let reading = readings.get(message);
    if (reading === undefined) {
      reading = readMessage(message);
      readings.set(message, reading);
    }
    return reading;
  };
  let fold = createFold(read);
  return {
    tallyOf: (messages) => {
      if (!fold.isPrefixOf(messages)) fold = createFold(read);
      for (let at = fold.tally.entries.length; at < messages.length; at++) fold.add(messages[at]!);
      return fold.tally;
    },
    entriesOf: (messages) => messages.flatMap((message) => fold.entryOf(message) ?? []),
  };
}

interface Fold {
  readonly tally: Tally;
  readonly add: (message: Message) => void;
  readonly entryOf: (message: Message) => Entry | undefined;
  readonly isPrefixOf: (messages: readonly Message[]) => boolean;
}

function createFold(read: (message: Message) => Reading): Fold {
  const entries: Entry[] = [];
  const standings: Standing[] = [];
  const places: number[][] = [];
  const counts: number[] = [];
  const words: number[] = [];
  const wordStarts: number[] = [0];
  const vocabulary = createVocabulary();
  const edits = createEdits();
  const roots = createRoots();
  const numbers = new Map<string, number>();
  const byMessage = new Map<Message, Entry>();
  const pairing = createPairing();
  const count = (id: string, local: number, reading: Reading): number => {
    const known = numbers.get(id);
    if (known !== undefined) {
      if (++counts[known]! <= RARE_MESSAGES_MAX) places[known]!.push(entries.length, local);
      return known;
    }
    const number = standings.length;
    numbers.set(id, number);
    // Most names stand in one message, and an array that begins with all it will hold takes a tenth of the memory.
    const own = [entries.length, local];
    standings.push({ id, kind: reading.mentions.kinds[local]!, places: own });
    places.push(own);
    counts.push(1);
    vocabulary.add(id, words);
    wordStarts.push(words.length);
    return number;
  };
  return {
    tally: {
      entries,
      standings,
      counts,
      words,
      wordStarts,
      vocabulary,
      ofEditedFile: edits.shown,
      root: roots.root,
      numberOf: (id) => numbers.get(id),
    },
    add: (message) => {
      const reading = read(message);
      const call = pairing.callOf(message, reading.calls);
      edits.add(reading.calls, call);
      roots.add(reading.calls);
      const own = reading.mentions.ids.map((id, local) => count(id, local, reading));
      const entry = { message, reading, call, numbers: own };
      entries.push(entry);
      byMessage.set(message, entry);
    },
    entryOf: (message) => byMessage.get(message),
    isPrefixOf: (messages) =>
      entries.length <= messages.length && entries.every(({ message }, at) => message === messages[at]),
  };
}

interface Pairing {
  /** The call that the message answers, where it answers one. Ids repeat, so pairs are made in order within the turn. */
  readonly callOf: (message: Message, calls: readonly CallSummary[]) => CallSummary | undefined;
}

function createPairing(): Pairing {
  let open: { readonly id: string; readonly call: CallSummary }[] = [];
  return {
    callOf: (message, calls) => {
      if (message.role === "assistant") {
        const ids = message.parts.flatMap((part) => (part.kind === "tool-call" ? [part.id] : []));
        open = calls.map((call, at) => ({ id: ids[at]!, call }));
      }
      const answered = resultOf(message)?.callId;
      const at = answered === undefined ? -1 : open.findIndex(({ id }) => id === answered);
      return at < 0 ? undefined : open.splice(at, 1)[0]!.call;
    },
  };
}
