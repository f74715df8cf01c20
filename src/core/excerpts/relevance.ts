/**
 * How likely the continuation asks for an identifier: a logistic model over ten plain facts about where it is.
 * Company says most: a name that shares its message with few others was meant. How long ago it was named is not among
 * them: with recency the ranking does worse on repositories that it has not seen.
 */
import { liveRequestOf } from "../ledger/readers/live-request.ts";
import type { Message } from "../transcript/message.ts";
import { COUNT_WEIGHTS, type WordBag } from "./characters.ts";
import { RARE_MESSAGES_MAX, type Occurrences } from "./occurrences.ts";
import { FEATURES, WEIGHTS, type Weights } from "./weights.ts";

/** What the features are read against: the conversation as it is. */
export interface RelevanceContext {
  readonly occurrences: Occurrences;
  /** What is asked for: the live request, as far as it is read, and the words of the task beyond it. */
  readonly asked: readonly string[];
  readonly request: WordBag;
  readonly replies: WordBag;
}

const REPLIES_MESSAGES = 12;
const REPLY_CHARS_MAX = 8_000;
const REQUEST_CHARS_MAX = 4_000;
const INVERSE_COUNT_MIN = 1e-3;

export function sceneOf(
  messages: readonly Message[],
  occurrences: Occurrences,
  focus: readonly string[] = [],
): RelevanceContext {
  const { entries, readingOf, vocabulary } = occurrences;
  const at = liveRequestOf(messages);
  const live = at < 0 ? "" : readingOf(entries[at]!).text;
  const asked = [live.slice(0, REQUEST_CHARS_MAX), ...focus];
  const recent = entries.slice(-REPLIES_MESSAGES).filter(({ message }) => message.role === "assistant");
  const replied = recent.map((entry) => readingOf(entry).text.slice(0, REPLY_CHARS_MAX));
  return { occurrences, asked, request: vocabulary.bag(asked), replies: vocabulary.bag(replied) };
}

/** Whether the ranking has a say: names that are everywhere need no help to be kept. */
export function isRare({ counts }: Occurrences, number: number): boolean {
  return counts[number]! <= RARE_MESSAGES_MAX;
}

/** The features of an identifier, in the order of `FEATURES`. */
export function featuresOf(number: number, scene: RelevanceContext): readonly number[] {
  const { occurrences, request, replies } = scene;
  return [
    ...lastingFeatures(number, occurrences),
    overlap(number, occurrences, request),
    overlap(number, occurrences, replies),
  ];
}

/** All but those about words. */
const LASTING_FEATURES = FEATURES.length - 2;
/** Where they are written: thousands of identifiers are read, and their memory is one. */
const lasting = new Float64Array(LASTING_FEATURES);

/**
 * All but the words: what stays the same until the identifier is mentioned again or a file that shows it is edited.
 * What one call answers is good until the next.
 */
function lastingFeatures(number: number, { entries, standings, signs, ofEditedFile }: Occurrences): Float64Array {
  const { kind, places } = standings[number]!;
  let edited = 0;
  for (let place = 0; place < places.length; place += 2) if (ofEditedFile[places[place]!]!) edited++;
  lasting[0] = Math.log(signs.inverseIdentifierCount[number]! + INVERSE_COUNT_MIN);
  lasting[1] = Math.log1p(signs.neighbours[number]!);
  lasting[2] = kind === "path" ? 1 : 0;
  lasting[3] = entries[places[0]!]!.message.role === "assistant" ? 1 : 0;
  lasting[4] = signs.writtenByAssistant[number]!;
  lasting[5] = signs.quoted[number]!;
  lasting[6] = signs.results[number]!;
  lasting[7] = edited;
  return lasting;
}

/** Mean weight of an identifier's words in a bag. */
function overlap(number: number, { words, wordStarts }: Occurrences, bag: WordBag): number {
  const start = wordStarts[number]!;
  const end = wordStarts[number + 1]!;
  let sum = 0;
  for (let at = start; at < end; at++) sum += COUNT_WEIGHTS[bag[words[at]!]!]!;
  return start === end ? 0 : sum / (end - start);
}

export interface Ranking {
  /** Probability for each identifier of the occurrences, by its number; 0 for those that are everywhere. */
  readonly probabilities: (scene: RelevanceContext) => Float64Array;
}

/** Remembers what lasts of the occurrences it saw last, so that a new message costs only what it changes. */
export function createRanking(weights: Weights = WEIGHTS): Ranking {
  let settled: Settled | undefined;
  return {
    probabilities: (scene) => {
      if (settled?.occurrences !== scene.occurrences) settled = createSettled(scene.occurrences, weights);
      settled.refresh(scene);
      return withReplies(scene, settled, weights.wordsOfRecentReplies);
    },
  };
}

function probability(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** The newest replies share words with few of the names: only those are worked out again. */
function withReplies({ occurrences, replies }: RelevanceContext, settled: Settled, weight: number): Float64Array {
  const { logits } = settled;
  const { heads, nexts, owners } = settled.chains;
  const scores = settled.scores();
  const seen = new Uint8Array(scores.length);
  for (let word = 0; word < replies.length; word++) {
    if (replies[word] === 0) continue;
    for (let slot = heads[word] ?? -1; slot >= 0; slot = nexts[slot]!) {
      const number = owners[slot]!;
      if (seen[number] === 1) continue;
      seen[number] = 1;
      if (isRare(occurrences, number))
        scores[number] = probability(logits[number]! + weight * overlap(number, occurrences, replies));
    }
  }
  return scores;
}

/** What of a occurrences's scores stays the same from one message to the next; brought up to date by `refresh`. */
interface Settled {
  readonly occurrences: Occurrences;
  readonly refresh: (scene: RelevanceContext) => void;
  /** For each rare identifier: bias and weighed features, all but the words of the newest replies. */
  readonly logits: readonly number[];
  /** The probabilities that these come to, 0 for what is not rare: a new array each time. */
  readonly scores: () => Float64Array;
  readonly chains: WordChains;
}

/**
 * Which identifiers hold a word, as chains through the occurrences's `words`: the last place of each word, for each place the
 * one before it of the same word or -1, and the identifier that it belongs to.
 */
interface WordChains {
  readonly heads: readonly number[];
  readonly nexts: readonly number[];
  readonly owners: readonly number[];
  /** Adds the words of the next identifier. */
  readonly add: (number: number) => void;
}

function createWordChains({ words, wordStarts }: Occurrences): WordChains {
  const [heads, nexts, owners]: [number[], number[], number[]] = [[], [], []];
  return {
    heads,
    nexts,
    owners,
    add: (number) => {
      for (let at = wordStarts[number]!; at < wordStarts[number + 1]!; at++) {
        const word = words[at]!;
        while (heads.length <= word) heads.push(-1);
        nexts.push(heads[word]!);
        heads[word] = owners.push(number) - 1;
      }
    },
  };
}

function createSettled(occurrences: Occurrences, weights: Weights): Settled {
  const list = FEATURES.map((feature) => weights[feature]);
  /** Without any words, with those of the request, and what that comes to. */
  const [plain, logits, scores]: [number[], number[], number[]] = [[], [], []];
  const counts: number[] = [];
  const overlaps: number[] = [];
  const chains = createWordChains(occurrences);
  let ofEditedFile: readonly boolean[] = [];
  let asked: readonly string[] = [];
  const settle = (number: number): void => {
    const logit = plain[number]! + weights.wordsOfRequest * overlaps[number]!;
    logits[number] = logit;
    scores[number] = isRare(occurrences, number) ? probability(logit) : 0;
  };
  const weigh = (number: number): void => {
    let logit = weights.bias;
    if (isRare(occurrences, number)) {
      const features = lastingFeatures(number, occurrences);
      for (let at = 0; at < LASTING_FEATURES; at++) logit += list[at]! * features[at]!;
    }
    plain[number] = logit;
  };
  return {
    occurrences,
    logits,
    scores: () => new Float64Array(scores),
    chains,
    refresh: (scene) => {
      const asksAnew = !isEqual(asked, scene.asked);
      asked = scene.asked;
      for (let number = 0; number < occurrences.counts.length; number++) {
        const isNew = number >= counts.length;
        if (isNew) chains.add(number);
        if (isNew || asksAnew) overlaps[number] = overlap(number, occurrences, scene.request);
        if (isNew || counts[number] !== occurrences.counts[number]) {
          counts[number] = occurrences.counts[number]!;
          weigh(number);
        } else if (!asksAnew) continue;
        settle(number);
      }
      ofEditedFile.forEach((was, index) => {
        if (was === occurrences.ofEditedFile[index]) return;
        const reading = occurrences.readingOf(occurrences.entries[index]!);
        for (let local = 0; local < reading.mentions.names.length; local++) {
          const number = occurrences.numberOf(reading, local);
          weigh(number);
          settle(number);
        }
      });
      ofEditedFile = occurrences.ofEditedFile.slice();
    },
  };
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
