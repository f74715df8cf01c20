/**
 * The language that people write in, told by script and by the commonest words; English where it is another one. Each message has one vote,
 * however long it is, and the newest weigh most: what a person pastes is in English whatever they write themselves.
 */

import { isErrorLine } from "../digest/error-line.ts";
import { personText } from "../events/person.ts";
import { keptWith } from "../kept.ts";
import type { Message } from "../transcript/message.ts";

/** Those that a handoff is written in, in the order that decides between equals: English is what people paste. */
const LANGUAGES = ["ja", "zh", "ko", "ru", "es", "fr", "de", "pt", "it", "en"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Of one text from its beginning, and as much from its end. */
const READ_CHARS_MAX = 4_000;
/** In a text of several scripts: code and paths are Latin in every language. */
const SCRIPT_SHARE_MIN = 0.15;
/** Fewer common words may be chance, in a message and in all: one has half a vote. */
const WORDS_MIN = 2;
/** Each message weighs that much of the next newer one, and of the oldest nothing is left. */
const OLDER_SHARE = 0.85;
const VOTES_MAX = 24;

/** Of Chinese characters and kana, what Japanese has of kana at least; less is a name that somebody quotes. */
const KANA_SHARE_MIN = 0.03;
/** Of the characters of a line: a log, a path or code has more figures and marks. */
const LETTERS_SHARE_MIN = 0.7;
const LINE_CHARS_MAX = 400;
const SENTENCE_END = /(?<![\p{P}\s])[\p{P}\s]+$/u;
/** Code and quotes in Markdown. */
const MARKED = /^\s*(?:```|~~~|>)/;

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/** Letters that Ukrainian, Belarusian, Serbian and others have, and a hard sign where Russian has none, as in Bulgarian. */
const NOT_RUSSIAN = /[іїєґўјљњћђџѓќѕ]|ъ(?![еёюя])/i;
const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["ko", /[\uac00-\ud7af]/g],
  ["zh", /[\u3040-\u30ff\u4e00-\u9fff]/g],
  ["ru", /[\u0400-\u04ff]/g],
];

/**
 * The commonest words of languages in Latin letters; those that several share speak for each. Nothing is written in those below
 * English: they are here so that what is like another language is not taken for it.
 */
const COMMON: readonly (readonly [string, ReadonlySet<string>])[] = Object.entries({
  es: "el los las la lo y que en un una con por para pero está están esto esta ahora haz del qué hay muy también gracias sigue aquí más sin sí vale puedes cómo no de",
  fr: "le les la des de une un et en est que pour dans avec pas ne cette du merci maintenant mais aussi ça qui sur où être je tu vous nous peux fais oui encore sont au ce",
  de: "der die das und ist nicht ein eine einen mit bitte für jetzt ja nein weiter mach mal danke auch noch wie warum den dem im in auf ich du wir sind hier doch wenn kann gut alles von nach oder so",
  pt: "o os a as e que um uma não em no na do da de isso para está você mas agora faça ao é também obrigado obrigada como por com já são pode podes então muito aqui sem sim pelo pela",
  it: "il lo la gli e di del della che è in non un una per con questo ora nel sono anche più grazie perché adesso fai puoi ma dei delle alla nella come si ho no",
  en: "the a and is are in on this that these with for from it you your please not no to of what why how so does do now thanks yes should would but can",
  nl: "het de een en in niet van voor met naar dat deze dit kun kan je ik maar ook nog nu bedankt graag waarom hoe wat is zijn er op bij nee ja aan wel geen verder die",
  sv: "och og är det den ikke inte jeg jag på i en et ett med til till av af som har nu tak tack der men för for at",
  ca: "el els la les i un una de del en per amb que què no però aquest aquesta és més també gràcies ara fes està són pots mira molt perquè",
  gl: "o os a as e que en un unha non para con por está é máis grazas agora pero co do da de tamén moi coa polo dun",
  ro: "și nu este pe cu la sau pentru în ce mai acum mulțumesc un o că una de",
  cs: "je to se na v a není ale proč teď prosím jak jsem do co už ne",
  hr: "je da i se u na ne to što kako sada hvala nije sam ili za",
  pl: "nie i w na do to jest się że jak z teraz dziękuję proszę ale co",
  fi: "ja on ei se että mutta nyt kiitos ole tämä no",
  hu: "a az és nem is hogy egy ez van most kérlek köszönöm de meg",
  id: "yang dan di ini itu untuk tidak dengan dari ada apa",
  tr: "ve bir bu için ne da de mı mi mu ama şimdi teşekkürler değil çok lütfen var yok gibi",
}).map(([language, words]) => [language, new Set(words.split(" "))]);

const WORD = /\p{L}+/gu;

/** How many words of each language a text has. */
type Found = ReadonlyMap<string, number>;

/** The language that people write in a conversation. */
export function languageOfPeople(messages: readonly Message[]): Language {
  const votes: Found[] = [];
  for (let at = messages.length - 1; at >= 0 && votes.length < VOTES_MAX; at--) {
    const own = ownWords(messages[at]!);
    if (own.size > 0) votes.push(own);
  }
  return languageOfMost(votes);
}

/** A language that as many speak for as for English is the person's. */
function languageOfMost(votes: readonly Found[]): Language {
  const found = new Map<string, number>();
  const weights = new Map<string, number>();
  for (const [age, own] of votes.entries()) {
    const most = [...own.values()].reduce((one, other) => Math.max(one, other), 0);
    const vote = Math.min(1, most / WORDS_MIN) * OLDER_SHARE ** age;
    for (const [language, words] of own) {
      found.set(language, (found.get(language) ?? 0) + words);
      weights.set(language, (weights.get(language) ?? 0) + (vote * words) / most);
    }
  }
  const all = [...LANGUAGES, ...weights.keys()].filter((language) => (found.get(language) ?? 0) >= WORDS_MIN);
  const best = all.reduce((one, other) => (weights.get(other)! > (weights.get(one) ?? 0) ? other : one), "en");
  return LANGUAGES.find((language) => language === best) ?? "en";
}

/** What a person wrote themselves in a message: the lines before the first that they pasted, or else those after the last. */
const ownWords = keptWith((message: Message): Found => {
  const lines = outside(personText(message)).split("\n");
  const first = lines.findIndex(isPasted);
  if (first < 0) return wordsFound(lines.join("\n"));
  const before = wordsFound(lines.slice(0, first).join("\n"));
  if (before.size > 0) return before;
  const rest = lines.slice(lines.findLastIndex(isPasted) + 1);
  return wordsFound(rest.slice(Math.max(0, rest.indexOf(""))).join("\n"));
});

/** Whether a line is a program's, or marked as another's. */
function isPasted(line: string): boolean {
  const read = line.slice(0, LINE_CHARS_MAX).replace(SENTENCE_END, "");
  if (MARKED.test(read) || isErrorLine(read)) return true;
  return count(read, /[\p{L}\p{M}]/gu) < count(read, /\S/gu) * LETTERS_SHARE_MIN;
}

function outside(text: string): string {
  return text.length <= 2 * READ_CHARS_MAX
    ? text
    : `${text.slice(0, READ_CHARS_MAX)}\n\n${text.slice(-READ_CHARS_MAX)}`;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function wordsFound(text: string): Found {
  const letters = count(text, /\p{L}/gu);
  for (const [language, script] of SCRIPTS) {
    const own = count(text, script);
    if (own > letters * SCRIPT_SHARE_MIN) return new Map([[ofScript(language, text, own), own]]);
  }
  const words = text.toLowerCase().match(WORD) ?? [];
  const counts = COMMON.map(([language, known]) => [language, words.filter((word) => known.has(word)).length] as const);
  return new Map(counts.filter(([, found]) => found > 0));
}

/** Which of the languages of a script it is. */
function ofScript(language: string, text: string, own: number): string {
  if (language === "zh" && count(text, KANA) > own * KANA_SHARE_MIN) return "ja";
  return language === "ru" && NOT_RUSSIAN.test(text) ? "other" : language;
}
