/**
 * What a conversation says of each identifier: where it stands and in whose words. Folded message by message, so that
 * a longer conversation costs only what is new in it.
 */
import type { CallSummary } from "../digest/call.ts";
import { resultOf, type Message } from "../transcript/message.ts";
import type { MentionKind } from "./mentions.ts";
import type { Fixed } from "./features.ts";
import { readMessage, type Reading } from "./reading.ts";
import { eachWord } from "./words.ts";

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

/** All that is known of one identifier. Places are pairs: index of the message, index among its distinct identifiers. */
export interface Standing {
  readonly id: string;
  readonly kind: MentionKind;
  /** Hashes of the words it is made of. */
  readonly words: readonly number[];
  /** Messages that hold it. */
  messages: number;
  /** The first places, as many as a rare name has: message and local index, alternating. */
  readonly places: number[];
  /** What the ranking has worked out of all this. */
  fixed?: Fixed;
}

export interface Tally {
  readonly entries: readonly Entry[];
  readonly standings: readonly Standing[];
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
  const numbers = new Map<string, number>();
  const byMessage = new Map<Message, Entry>();
  const pairing = createPairing();
  const count = (id: string, local: number, reading: Reading): number => {
    let number = numbers.get(id);
    if (number === undefined) {
      number = standings.length;
      numbers.set(id, number);
      standings.push({
        id,
        kind: reading.mentions.kinds[local]!,
        words: wordsIn(id),
        messages: 0,
        places: [],
      });
    }
    const standing = standings[number]!;
    standing.messages++;
    if (standing.messages <= RARE_MESSAGES_MAX) standing.places.push(entries.length, local);
    return number;
  };
  return {
    tally: { entries, standings, numberOf: (id) => numbers.get(id) },
    add: (message) => {
      const reading = read(message);
      const call = pairing.callOf(message, reading.calls);
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

function wordsIn(id: string): readonly number[] {
  const words: number[] = [];
  eachWord(id, { from: 0, to: id.length }, (hash) => {
    if (!words.includes(hash)) words.push(hash);
  });
  return words;
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
