/**
 * The terms of a text: names and figures, and the words that are neither. Each has a number, so that what is counted
 * and looked up for every line is a place in a list.
 */
import { wordsIn } from "./turns/novelty.ts";

/** Each once, in order. */
export interface Terms {
  readonly names: readonly number[];
  readonly words: readonly number[];
}

export interface Vocabulary {
  readonly termsIn: (text: string) => Terms;
  /** Whether there is a digit in it. */
  readonly isFigure: (term: number) => boolean;
  /** Above every number. */
  readonly size: () => number;
}

const FIGURE = /\d/;

export function createVocabulary(): Vocabulary {
  const numbers = new Map<string, number>();
  const figures: boolean[] = [];
  /** Of each term, the last text that had it. */
  const seenIn: number[] = [];
  let texts = 0;
  return {
    termsIn: (text) => {
      const [names, words]: [number[], number[]] = [[], []];
      texts += 1;
      eachTerm(text, (term, isName) => {
        let number = numbers.get(term);
        if (number === undefined) {
          numbers.set(term, (number = numbers.size));
          figures.push(FIGURE.test(term));
        }
        if (seenIn[number] === texts) return;
        seenIn[number] = texts;
        (isName ? names : words).push(number);
      });
      return { names, words };
    },
    isFigure: (term) => figures[term]!,
    size: () => numbers.size,
  };
}

const TERM_CHARS_MIN = 3;
/** Words, words that signs join, and figures, of which none begins within another; and what makes a name of one. */
const TERM = /[\p{L}_][\p{L}\p{N}_]*(?:[._/:-][\p{L}\p{N}_]+)*|[\p{N}][\p{L}][\p{L}\p{N}_]*|\d[\d.,:]*\d/gu;
const NAME_SIGN = /[\p{Ll}][\p{Lu}]|[\p{N}_./:-]/u;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const WIDE = /(?=[^\0-\x7f])[\p{L}\p{N}]/u;

type TakeTerm = (term: string, isName: boolean) => void;

export function eachTerm(text: string, take: TakeTerm): void {
  if (!BEYOND_ASCII.test(text) || !WIDE.test(text)) return eachPlainTerm(text, take);
  for (const term of text.match(TERM) ?? [])
    if (term.length < TERM_CHARS_MIN) continue;
    else if (NAME_SIGN.test(term)) take(term, true);
    else for (const word of wordsIn(term)) take(word, false);
}

const [NONE, COMMA, JOINS, UNDERSCORE, DIGIT, SMALL, CAPITAL] = [0, 1, 2, 3, 4, 5, 6];
const KINDS = kindTable();

function kindTable(): Uint8Array {
  const table = new Uint8Array(128);
  const each = (characters: string, kind: number): void => {
    for (const character of characters) table[character.charCodeAt(0)] = kind;
  };
  each(",", COMMA);
  each("./:-", JOINS);
  each("_", UNDERSCORE);
  each("0123456789", DIGIT);
  each("abcdefghijklmnopqrstuvwxyz", SMALL);
  each("ABCDEFGHIJKLMNOPQRSTUVWXYZ", CAPITAL);
  return table;
}

/** The same as `TERM` finds where there are no letters and digits but those of ASCII. */
function eachPlainTerm(text: string, take: TakeTerm): void {
  for (let at = 0; at < text.length;) {
    const start = at;
    let kind = kindAt(text, at++);
    if (kind < UNDERSCORE) continue;
    let isName = kind < SMALL;
    if (kind === DIGIT && kindAt(text, at) < SMALL) {
      for (let next = at; (kind = kindAt(text, next)) === DIGIT || kind === COMMA || isPointOrColon(text, next); next++)
        if (kind === DIGIT) at = next + 1;
    } else
      for (const canJoin = kind !== DIGIT; ; at++) {
        const next = kindAt(text, at);
        if (next < UNDERSCORE && !(canJoin && next === JOINS && kindAt(text, at + 1) >= UNDERSCORE)) break;
        isName ||= next < SMALL || (next === CAPITAL && kind === SMALL);
        kind = next;
      }
    if (at - start >= TERM_CHARS_MIN)
      take(isName ? text.slice(start, at) : text.slice(start, at).toLowerCase(), isName);
  }
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? KINDS[code]! : NONE;
}

function isPointOrColon(text: string, at: number): boolean {
  const character = text[at];
  return character === "." || character === ":";
}
