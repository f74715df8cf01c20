/** The language that somebody writes in, as far as script and the commonest words tell; English where they do not. */

import { personText } from "../events/person.ts";
import { keptByText } from "../kept.ts";
import type { Message } from "../transcript/message.ts";

export type Language = "en" | "es" | "fr" | "de" | "pt" | "it" | "ru" | "zh" | "ja" | "ko";

/** More of a text says nothing new. */
const READ_CHARS_MAX = 8_000;
/** In a text of several scripts: code and paths are Latin in every language. */
const SCRIPT_SHARE_MIN = 0.15;
/** Fewer common words may be chance. */
const WORDS_MIN = 2;

const SCRIPTS: readonly (readonly [Language, RegExp])[] = [
  ["ja", /[\u3040-\u30ff]/g],
  ["ko", /[\uac00-\ud7af]/g],
  ["zh", /[\u4e00-\u9fff]/g],
  ["ru", /[\u0400-\u04ff]/g],
];

/** Words that are common in one of these languages and rare in the others. */
const COMMON: Readonly<Partial<Record<Language, readonly string[]>>> = {
  en: ["the", "and", "is", "this", "that", "with", "for", "it", "you", "please", "not", "to"],
  es: ["el", "los", "las", "y", "por", "pero", "está", "esto", "ahora", "haz", "del", "qué"],
  fr: ["le", "les", "des", "une", "et", "est", "pour", "dans", "avec", "pas", "cette", "du"],
  de: ["der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "bitte", "für", "jetzt"],
  pt: ["os", "uma", "não", "em", "isso", "para", "está", "você", "mas", "agora", "faça", "ao"],
  it: ["il", "gli", "della", "che", "è", "non", "per", "questo", "ora", "una", "nel", "sono"],
};

const WORD = /\p{L}+/gu;

/** The language that people write in a conversation, by their newest messages. */
export function languageOfPeople(messages: readonly Message[]): Language {
  let words = "";
  for (let at = messages.length - 1; at >= 0 && words.length < READ_CHARS_MAX; at--) {
    const text = personText(messages[at]!);
    if (text !== "") words += `${text}\n`;
  }
  return languageOf(words);
}

/** Characters of the texts that are remembered: what people wrote last is asked at every compaction. */
const REMEMBERED_CHARS_MAX = 100_000;

export const languageOf = keptByText((text): Language => {
  const read = text.slice(0, READ_CHARS_MAX);
  const letters = (read.match(/\p{L}/gu) ?? []).length;
  for (const [language, script] of SCRIPTS)
    if ((read.match(script) ?? []).length > letters * SCRIPT_SHARE_MIN) return language;
  const words = read.toLowerCase().match(WORD) ?? [];
  let [best, most]: [Language, number] = ["en", WORDS_MIN - 1];
  for (const [language, common] of Object.entries(COMMON) as [Language, readonly string[]][]) {
    const known = new Set(common);
    const count = words.filter((word) => known.has(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}, REMEMBERED_CHARS_MAX);
