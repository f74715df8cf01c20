/**
 * How likely the continuation asks for an identifier: a logistic model over ten plain facts about where it stands.
 * Company tells most: a name that shares its message with few others was meant. How long ago it was named is not among
 * them: with recency the ranking does worse on repositories that it has not seen.
 */
import type { Message } from "../transcript/message.ts";
import { liveRequestOf } from "./facts/live-request.ts";
import { FEATURES, type Weights } from "./features.ts";
import { RARE_MESSAGES_MAX, type Entry, type Tally } from "./tally.ts";
import { WEIGHTS } from "./weights.ts";
import { COUNT_WEIGHTS, wordBag, wordsOf, type WordBag } from "./words.ts";

/** What the features are read against: the conversation as it stands. */
export interface Scene {
  readonly tally: Tally;
  readonly request: WordBag;
  readonly replies: WordBag;
  /** Index of an entry → whether it shows a file that was edited or written. */
  readonly ofEditedFile: readonly boolean[];
}

const REPLIES_MESSAGES = 12;
const REPLY_CHARS_MAX = 8_000;
const REQUEST_CHARS_MAX = 4_000;
/** Added to the number of identifiers in a message, so that one alone in a message does not outweigh all else. */
const COMPANY_OFFSET = 2;
const COMPANY_LEAST = 1e-3;

export function sceneOf(messages: readonly Message[], tally: Tally, focus: readonly string[] = []): Scene {
  const live = tally.entries[liveRequestOf(messages)]?.reading.text ?? "";
  const request = wordBag(wordsOf(live.slice(0, REQUEST_CHARS_MAX)), ...focus.map(wordsOf));
  const recent = tally.entries.slice(-REPLIES_MESSAGES).filter(({ message }) => message.role === "assistant");
  const replies = wordBag(...recent.map(({ reading }) => wordsOf(reading.text.slice(0, REPLY_CHARS_MAX))));
  const edited = editedBy(tally.entries);
  const ofEditedFile = tally.entries.map(({ call }) => call?.paths.some((path) => edited.has(nameOf(path))) ?? false);
  return { tally, request, replies, ofEditedFile };
}

function editedBy(entries: readonly Entry[]): ReadonlySet<string> {
  const edited = new Set<string>();
  for (const { reading } of entries)
    for (const { action, paths } of reading.calls)
      if (action === "edit" || action === "write") for (const path of paths) edited.add(nameOf(path));
  return edited;
}

/** The last two components: one file is named in full here and relatively there. */
function nameOf(path: string): string {
  const parent = path.lastIndexOf("/", path.lastIndexOf("/") - 1);
  return path.slice(parent + 1);
}

/** Whether the ranking has a say: names that are everywhere need no help to be kept. */
export function isRare({ counts }: Tally, number: number): boolean {
  return counts[number]! <= RARE_MESSAGES_MAX;
}

/** The features of an identifier, in the order of `FEATURES`. */
export function featuresOf(number: number, scene: Scene): readonly number[] {
  const { tally, request, replies } = scene;
  return [...lastingFeatures(number, scene), overlap(number, tally, request), overlap(number, tally, replies)];
}

/** All but the words: what stays the same until the identifier is mentioned again or a file that shows it is edited. */
function lastingFeatures(number: number, { tally, ofEditedFile }: Scene): readonly number[] {
  const { entries, standings } = tally;
  const { kind, places } = standings[number]!;
  let [company, neighbours, pointed, quoted, results, edited] = [0, Infinity, 0, 0, 0, 0];
  for (let place = 0; place < places.length; place += 2) {
    const index = places[place]!;
    const local = places[place + 1]!;
    const { reading, message } = entries[index]!;
    company += 1 / (reading.first.length + COMPANY_OFFSET);
    if (reading.neighbours[local]! < neighbours) neighbours = reading.neighbours[local]!;
    pointed += reading.pointed[local]!;
    quoted |= reading.quoted[local]!;
    if (message.role === "tool") results++;
    if (ofEditedFile[index]!) edited++;
  }
  const path = kind === "path" ? 1 : 0;
  const startedByAssistant = entries[places[0]!]!.message.role === "assistant" ? 1 : 0;
  const [alone, crowd] = [Math.log(company + COMPANY_LEAST), Math.log1p(neighbours)];
  return [alone, crowd, path, startedByAssistant, pointed, quoted, results, edited];
}

/** Mean weight of an identifier's words in a bag. */
function overlap(number: number, { words, wordStarts }: Tally, bag: WordBag): number {
  const [start, end] = [wordStarts[number]!, wordStarts[number + 1]!];
  let sum = 0;
  for (let at = start; at < end; at++) sum += COUNT_WEIGHTS[bag[words[at]!]!]!;
  return start === end ? 0 : sum / (end - start);
}

export interface Ranking {
  /** Probability for each identifier of the tally, by its number; 0 for those that are everywhere. */
  readonly probabilities: (scene: Scene) => Float64Array;
}

/** Remembers what lasts of the tally it saw last, so that a new message costs only what it changes. */
export function createRanking(weights: Weights = WEIGHTS): Ranking {
  const list = FEATURES.map((feature) => weights[feature]);
  const [ofRequest, ofReplies] = [weights.wordsOfRequest, weights.wordsOfRecentReplies];
  let lasting = createLasting(list, weights.bias);
  let seen: Tally | undefined;
  return {
    probabilities: (scene) => {
      const { tally, request, replies } = scene;
      if (tally !== seen) [lasting, seen] = [createLasting(list, weights.bias), tally];
      const logits = lasting(scene);
      const { counts } = tally;
      const scores = new Float64Array(counts.length);
      for (let number = 0; number < scores.length; number++) {
        if (counts[number]! > RARE_MESSAGES_MAX) continue;
        const words = ofRequest * overlap(number, tally, request) + ofReplies * overlap(number, tally, replies);
        scores[number] = 1 / (1 + Math.exp(-(logits[number]! + words)));
      }
      return scores;
    },
  };
}

/** For each rare identifier: bias and weighed features, without those about words. */
function createLasting(list: readonly number[], bias: number): (scene: Scene) => readonly number[] {
  const logits: number[] = [];
  const counts: number[] = [];
  let ofEditedFile: readonly boolean[] = [];
  const refresh = (number: number, scene: Scene): void => {
    const features = lastingFeatures(number, scene);
    let logit = bias;
    for (let at = 0; at < features.length; at++) logit += list[at]! * features[at]!;
    logits[number] = logit;
  };
  return (scene) => {
    const { tally } = scene;
    for (let number = 0; number < tally.standings.length; number++) {
      if (counts[number] === tally.counts[number]!) continue;
      counts[number] = tally.counts[number]!;
      if (isRare(tally, number)) refresh(number, scene);
      else logits[number] = 0;
    }
    ofEditedFile.forEach((was, index) => {
      if (was === scene.ofEditedFile[index]) return;
      for (const number of tally.entries[index]!.numbers) if (isRare(tally, number)) refresh(number, scene);
    });
    ({ ofEditedFile } = scene);
    return logits;
  };
}
