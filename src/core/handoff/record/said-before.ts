/** What a record has said already: the same sentence, or nearly the same words, need not be read twice. */
import { createAnswers, type Answers } from "./answers.ts";
import { wordsOf, type Words } from "./words.ts";

/** A sentence or a line. */
interface Sentence {
  readonly text: string;
  /** Worked out from the text where it is not set. */
  readonly words?: Words;
}

/** What earlier texts said. */
export interface SaidBefore {
  /**
   * The share of a sentence's words that no earlier one had, 0 to 1; 1 for a few words. Nothing where an earlier one says the
   * same. From then on, it has been said.
   */
  readonly newness: (sentence: Sentence) => number | undefined;
}

const SAID_CHARS_MIN = 8;
/** Only the newest are compared word by word. */
const RECENT_MAX = 60;
const WORDS_COMPARED_MIN = 7;
/** That many words, of two letters each, do not fit in less. */
const CHARS_COMPARED_MIN = 3 * WORDS_COMPARED_MIN - 1;
/** Of the words of a sentence, that many in one earlier sentence: it says the same again. */
const SAME_WORDS_SHARE = 0.85;

/** What was said, and can be unsaid. */
export interface ReversibleSaidBefore extends SaidBefore {
  readonly already: Answers;
  /** How many texts are compared word by word so far; `backTo` forgets those after. */
  readonly compared: () => number;
  /** How many different words have been said so far. */
  readonly words: () => number;
  readonly backTo: (mark: SaidMark) => void;
}

/** How far a record had come. */
export interface SaidMark {
  readonly asked: number;
  readonly compared: number;
  readonly words: number;
}

export function createSaid(already: readonly string[] = []): ReversibleSaidBefore {
  const answers = createAnswers();
  answers.replace(keysOf(already));
  const texts: Words[] = [];
  const vocabulary = createVocabulary();
  return {
    already: { ...answers, replace: (sentences) => answers.replace(keysOf(sentences)) },
    compared: () => texts.length,
    words: vocabulary.size,
    backTo: ({ asked, compared, words }) => {
      answers.backTo(asked);
      texts.length = compared;
      vocabulary.backTo(words);
    },
    newness: (sentence) => {
      const key = sentence.text.trim();
      if (key.length < SAID_CHARS_MIN) return 1;
      if (answers.wasAsked(key) || answers.has(key)) return undefined;
      if (key.length < CHARS_COMPARED_MIN) return 1;
      const words = sentence.words ?? wordsOf(sentence.text);
      const fresh = vocabulary.learn(words.all);
      if (words.all.length < WORDS_COMPARED_MIN) return 1;
      for (let at = Math.max(0, texts.length - RECENT_MAX); at < texts.length; at++)
        if (saysTheSame(texts[at]!, words)) return undefined;
      texts.push(words);
      return fresh / words.all.length;
    },
  };
}

/** The words of all sentences so far. */
interface Vocabulary {
  readonly size: () => number;
  /** How many of them are new. */
  readonly learn: (words: readonly number[]) => number;
  /** Forgets those that came after that many. */
  readonly backTo: (size: number) => void;
}

function createVocabulary(): Vocabulary {
  const known = new Set<number>();
  const inOrder: number[] = [];
  return {
    size: () => inOrder.length,
    learn: (words) => {
      const before = inOrder.length;
      for (const word of words) {
        if (known.has(word)) continue;
        known.add(word);
        inOrder.push(word);
      }
      return inOrder.length - before;
    },
    backTo: (size) => {
      for (const word of inOrder.splice(size)) known.delete(word);
    },
  };
}

function keysOf(already: Iterable<string>): readonly string[] {
  return Array.from(already, (text) => text.trim().replace(BULLET, ""));
}

const BULLET = /^-\s+/;

/** Whether another text holds nearly all of the words. */
function saysTheSame(other: Words, words: Words): boolean {
  const most = words.all.length * (1 - SAME_WORDS_SHARE);
  if (words.all.length - other.all.length > most) return false;
  // A bit that the other lacks is a word, at least, that it lacks.
  if (bitsIn(words.low & ~other.low) + bitsIn(words.high & ~other.high) > most) return false;
  let [missing, at] = [0, 0];
  for (const word of words.all) {
    while (other.all[at]! < word) at++;
    if (other.all[at] !== word && ++missing > most) return false;
  }
  return true;
}

function bitsIn(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
