/**
 * Another value in place of an earlier one, where neither the thing nor the old value is named again: "use 90 days from here
 * on" after "no order in 60 days", "upgrade me to business class" after "the economy class".
 */
import { sentencesOf } from "./sentences.ts";

/** "Make it 3 nodes instead", "upgrade me to business class". */
const RENEWS =
  /\binstead(?! of\b)\b|\bmake (?:it|that|this|them)\b|\b(?:chang(?:e|ed)|switch(?:ed)?|upgraded?|downgraded?|raised?|lower(?:ed)?|increased?|reduced?|extend(?:ed)?)\b(?: (?:me|us|it|this|that|them))? to\b/i;
/** One prohibition does not end another, and what was forbidden is no value. */
const FORBIDS = /\b(?:never|not|avoid|without|stop)\b|n['’]t\b/i;
const NONE: ReadonlyMap<string, string> = new Map();
const TEXT_CHARS_MAX = 1_200;
const SENTENCE_CHARS_MAX = 320;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]*/gu;
const NUMBERED = /(?<![\p{L}\p{N}.,_/-])(\d[\d.,]*)[ -]?(%|€|\p{L}+)/gu;
/** What follows a number without being its unit. */
const NO_UNIT = /^(?:of|and|or|to|in|is|at|on|for|the|with|by|from|as|st|nd|rd|th|x|am|pm)$/i;
/** "c3-standard-8": another number of the same name is another value. */
const SERIES = /^(\p{L}[\p{L}\p{N}._-]*[-_.])(\d+)$/u;
/** "In British English", "with the economy class": a thing that comes in several kinds. */
const SORT =
  /(?<!\p{L})(?:use|using|in|with|to|be|prefer|book|take)\s+(?:(?:the|an?)\s+)?(\p{L}{3,})\s+(\p{L}{3,})(?=\s*(?:[,.;:!?]|$|\s(?:for|please|from|on|after|now|instead|and)(?!\p{L})))/giu;
const ARTICLES = /^(?:the|our|your|my|their|all|any|each|every|this|that|these|those|its|one|more|less|and|for)$/i;
const REFERS_BACK = /\b(?:for|in|on|with) (?:this|that|these|those) \p{L}+/giu;
/** Words around a value that say nothing of what it is for. */
const AROUND = new Set(
  "please use using make made it that this them me us could would can you we let lets go going with change changed switch switched upgrade upgraded downgrade raise raised lower lowered increase increased reduce reduced extend extended to from here now on in of the an and actually but no wait ok okay hmm instead rather after all then just only yes be is should must sorry i want wants need needs".split(
    " ",
  ),
);

/** Sentences that bring another value, also where they ask for it: whether they are rules shows in what they renew. */
export function renewalsIn(text: string): readonly string[] {
  if (text.length > TEXT_CHARS_MAX || !RENEWS.test(text)) return [];
  return sentencesOf(text).filter(
    (sentence) => sentence.length <= SENTENCE_CHARS_MAX && RENEWS.test(sentence) && valuesIn(sentence).size > 0,
  );
}

/** Whether a sentence says that something changes, whatever it is. */
export function renews(sentence: string): boolean {
  return RENEWS.test(sentence);
}

/** Whether a sentence gives another value of the only kind that an earlier one speaks of, and speaks of nothing else. */
export function isRenewed(now: string, before: string): boolean {
  const old = FORBIDS.test(now) || FORBIDS.test(before) ? NONE : valuesIn(before);
  if (old.size === 0) return false;
  const known = new Set(wordsIn(before));
  return now.split(/[,;:.!?](?=\s|$)/).some((clause) => {
    const values = valuesIn(clause);
    const another = [...values].filter(([kind, value]) => old.has(kind) && old.get(kind) !== value);
    if (another.length === 0 || another.length < values.size) return false;
    const own = new Set([...values].flatMap(([kind, value]) => wordsIn(`${kind} ${value} ${kind}${value}`)));
    return wordsIn(clause.replace(REFERS_BACK, "")).every((word) => known.has(word) || own.has(word));
  });
}

/** The values in a sentence by their kinds; a kind of which it has two is none to go by. */
function valuesIn(sentence: string): ReadonlyMap<string, string> {
  const found: [kind: string, value: string][] = [];
  for (const [, value, unit] of sentence.matchAll(NUMBERED))
    if (!NO_UNIT.test(unit!)) found.push([singular(unit!), value!.replace(/[.,]+$/, "")]);
  for (const word of sentence.match(WORD) ?? []) {
    const series = SERIES.exec(word.replace(/[./-]+$/, ""));
    if (series !== null) found.push([series[1]!.toLowerCase(), series[2]!]);
  }
  for (const [, sort, thing] of sentence.matchAll(SORT))
    if (!ARTICLES.test(sort!)) found.push([singular(thing!), sort!.toLowerCase()]);
  const values = new Map(found);
  for (const [kind, value] of found) if (values.get(kind) !== value) values.delete(kind);
  return values;
}

function singular(word: string): string {
  return word.toLowerCase().replace(/(?<=\p{L}{3})s$/u, "");
}

/** What it speaks of: the words around a value left aside. */
function wordsIn(text: string): readonly string[] {
  return (text.toLowerCase().match(WORD) ?? [])
    .map((word) => singular(word.replace(/[./-]+$/, "")))
    .filter((word) => word.length > 1 && !/^\d+$/.test(word) && !AROUND.has(word));
}
