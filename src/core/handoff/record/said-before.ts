/** What a record has said already: the same sentence, or nearly the same words, need not be read twice. */
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
  readonly mark: () => SaidMark;
  /** Forgets what was said after that. */
  readonly backTo: (mark: SaidMark) => void;
}

/** How far a record had come. */
export interface SaidMark {
  /** How many sentences were said, how many of them are compared word by word, and how many different words they have. */
  readonly sentences: number;
  readonly compared: number;
  readonly words: number;
}

export function createSaid(): ReversibleSaidBefore {
  const sentences = createCourse<string>();
  const words = createCourse<number>();
  const texts: { readonly text: string; readonly words: Words }[] = [];
  return {
    mark: () => ({ sentences: sentences.size(), compared: texts.length, words: words.size() }),
    backTo: (mark) => {
      sentences.backTo(mark.sentences);
      texts.length = mark.compared;
      words.backTo(mark.words);
    },
    newness: (sentence) => {
      const key = sentence.text.trim();
      if (key.length < SAID_CHARS_MIN) return 1;
      if (!sentences.add(key)) return undefined;
      if (key.length < CHARS_COMPARED_MIN) return 1;
      const own = sentence.words ?? wordsOf(sentence.text);
      const before = words.size();
      for (const word of own.all) words.add(word);
      if (own.all.length < WORDS_COMPARED_MIN) return 1;
      for (let at = Math.max(0, texts.length - RECENT_MAX); at < texts.length; at++)
        if (saysTheSame(texts[at]!.words, own) && !namesAnother(sentence.text, texts[at]!.text)) return undefined;
      texts.push({ text: key, words: own });
      return (words.size() - before) / own.all.length;
    },
  };
}

/** Things in the order in which they first came, so that the later ones can be forgotten. */
interface Course<T> {
  readonly size: () => number;
  /** False where it came before. */
  readonly add: (one: T) => boolean;
  readonly backTo: (size: number) => void;
}

function createCourse<T>(): Course<T> {
  const known = new Set<T>();
  const inOrder: T[] = [];
  return {
    size: () => inOrder.length,
    add: (one) => {
      if (known.has(one)) return false;
      known.add(one);
      inOrder.push(one);
      return true;
    },
    backTo: (size) => {
      for (const one of inOrder.splice(size)) known.delete(one);
    },
  };
}

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

/** Whether a text names something by an id that the other does not hold: the same said of another ticket is new. */
function namesAnother(text: string, other: string): boolean {
  return (text.match(ID) ?? []).some((id) => !other.includes(id));
}

/** Capital letters and digits in one word: `KC18K6`, `E-40911`; a longer one, or one in an address, says nothing to anybody. */
const ID = /(?<![\w=/&%.-])(?=[A-Z-]*\d)(?=[\d-]*[A-Z])[A-Z\d](?:-?[A-Z\d]){4,11}(?![\w=/-])/g;

function bitsIn(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
