/** The language that somebody writes in, as far as script and the commonest words tell; English where they do not. */

import { isErrorLine } from "../digest/error-line.ts";
import { personText } from "../events/person.ts";
import { keptByText, keptWith } from "../kept.ts";
import type { Message } from "../transcript/message.ts";

export type Language = "en" | "es" | "fr" | "de" | "pt" | "it" | "ru" | "zh" | "ja" | "ko";

/** More of a text says nothing new. */
const READ_CHARS_MAX = 8_000;
/** In a text of several scripts: code and paths are Latin in every language. */
const SCRIPT_SHARE_MIN = 0.15;
/** Fewer common words may be chance. */
const WORDS_MIN = 2;

/** Of Chinese characters and kana, what Japanese has of kana at least; less is a name that somebody quotes. */
const KANA_SHARE_MIN = 0.03;
/** Of the characters of a line: a log, a path or code has more figures and marks. */
const LETTERS_SHARE_MIN = 0.7;
const LINE_CHARS_MAX = 400;

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const SCRIPTS: readonly (readonly [Language, RegExp])[] = [
  ["ko", /[\uac00-\ud7af]/g],
  ["zh", /[\u3040-\u30ff\u4e00-\u9fff]/g],
  ["ru", /[\u0400-\u04ff]/g],
];

/** Words that are common in one of these languages and rare in the others. */
const COMMON: Readonly<Partial<Record<Language, readonly string[]>>> = {
  es: ["el", "los", "las", "y", "por", "pero", "está", "esto", "ahora", "haz", "del", "qué"],
  fr: ["le", "les", "des", "une", "et", "est", "pour", "dans", "avec", "pas", "cette", "du"],
  de: ["der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "bitte", "für", "jetzt"],
  pt: ["os", "uma", "não", "em", "isso", "para", "está", "você", "mas", "agora", "faça", "ao"],
  it: ["il", "gli", "della", "che", "è", "non", "per", "questo", "ora", "una", "nel", "sono"],
  // The last: of as many words, the other language is the person's, because what they paste is English.
  en: ["the", "and", "is", "this", "that", "with", "for", "it", "you", "please", "not", "to"],
};

const WORD = /\p{L}+/gu;

/** The language that people write in a conversation, by their newest messages. */
export function languageOfPeople(messages: readonly Message[]): Language {
  let words = "";
  for (let at = messages.length - 1; at >= 0 && words.length < READ_CHARS_MAX; at--) {
    const text = proseOf(messages[at]!);
    if (text !== "") words += `${text}\n`;
  }
  return languageOf(words);
}

/** The lines of a message that a person wrote themselves. */
const proseOf = keptWith((message: Message) => personText(message).split("\n").filter(isProse).join("\n"));

/** Whether a person may have written a line, and not a program. */
function isProse(line: string): boolean {
  const read = line.slice(0, LINE_CHARS_MAX);
  return count(read, /\p{L}/gu) > count(read, /\S/gu) * LETTERS_SHARE_MIN && !isErrorLine(read);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Characters of the texts that are remembered: what people wrote last is asked at every compaction. */
const REMEMBERED_CHARS_MAX = 100_000;

export const languageOf = keptByText((text): Language => {
  const read = text.slice(0, READ_CHARS_MAX);
  const letters = count(read, /\p{L}/gu);
  for (const [language, script] of SCRIPTS) {
    const own = count(read, script);
    if (own <= letters * SCRIPT_SHARE_MIN) continue;
    return language === "zh" && count(read, KANA) > own * KANA_SHARE_MIN ? "ja" : language;
  }
  const words = read.toLowerCase().match(WORD) ?? [];
  let [best, most]: [Language, number] = ["en", WORDS_MIN - 1];
  for (const [language, common] of Object.entries(COMMON) as [Language, readonly string[]][]) {
    const known = new Set(common);
    const found = words.filter((word) => known.has(word)).length;
    if (found > most) [best, most] = [language, found];
  }
  return best;
}, REMEMBERED_CHARS_MAX);
