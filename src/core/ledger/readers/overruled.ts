/**
 * Whether what a person says now takes the place of a rule or a decision from before: it names what it replaces, or it
 * announces a change and is about the same thing.
 */

/** "on 4471 instead of 4470", "valkey-8, not redis-6", "no longer on port 80": what follows is over. */
const REPLACES =
  /(?:\b(?:instead of|rather than|in place of|no longer|replac(?:es|ing))|[,;] (?:and )?not)\s+([^.;,!?\n]{1,60})/gi;
/** One prohibition does not end another: they add up. */
const FORBIDS =
  /\b(?:never|not|no|without|avoid|cannot|don['’]?t|mustn['’]?t|can['’]t|shouldn['’]?t)\b|不要|禁止|ないで/i;
/** "Change of plan: …", "No, use … after all", "From now on …". */
const CHANGES =
  /^(?:no|wait|actually|correction|scratch that|never ?mind|sorry)\b[,:]?|\b(?:change of plans?|changed (?:my|our) minds?|i was wrong|after all|from now on|on second thought|as of now|scrap that)\b|(?:改(?:为|成|用)|变更|やっぱり|変更して)/i;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]*/gu;
const WORD_CHARS_MIN = 3;
/** Words that say nothing of what a sentence is about. */
const COMMON = new Set(
  "the and for with that this from are was were has have had will would should must can not but into onto our your its all any use using used please always never only now then there here been being they them you who what when which while also just let lets decided decide chose chosen going wrong plan change".split(
    " ",
  ),
);
/** Two sentences are about the same thing when they share so many words, and the earlier has so few of its own. */
const SHARED_WORDS_MIN = 3;
const OWN_WORDS_MAX = 2;
/** With a name or a figure that is said to be replaced, one shared word is enough. */
const SHARED_BESIDE_NAMED_MIN = 1;

/** What a sentence is compared by, read once. */
export interface Comparable {
  readonly words: ReadonlySet<string>;
  /** What it says is over. */
  readonly replaced: ReadonlySet<string>;
  readonly changes: boolean;
  readonly forbids: boolean;
}

export function comparable(text: string): Comparable {
  const replaced = Array.from(text.matchAll(REPLACES), (match) => wordsIn(match[1]!)).flat();
  return {
    words: new Set(wordsIn(text)),
    replaced: new Set(replaced.filter(isExact)),
    changes: CHANGES.test(text),
    forbids: FORBIDS.test(text),
  };
}

/** In doubt it does not: a rule that is kept for too long does less harm than one that is lost. */
export function overrules(now: Comparable, before: Comparable): boolean {
  if (!now.changes && now.replaced.size === 0) return false;
  const shared = [...before.words].filter((word) => now.words.has(word));
  const own = [...before.words].filter((word) => !now.words.has(word));
  if (!before.forbids && [...now.replaced].some((word) => before.words.has(word)))
    return shared.filter((word) => !now.replaced.has(word)).length >= SHARED_BESIDE_NAMED_MIN;
  if (!now.changes || shared.length === 0) return false;
  // "For exports use A-1", "change of plan: for exports use B-2": only the name is another.
  const isSwap = own.length > 0 && own.every(isExact) && [...now.words].some(isExact);
  if (isSwap) return !before.forbids;
  return shared.length >= SHARED_WORDS_MIN && own.length <= OWN_WORDS_MAX && !own.some(isExact);
}

function wordsIn(text: string): readonly string[] {
  return (text.toLowerCase().match(WORD) ?? []).flatMap((word) => {
    const plain = word.replace(/[./-]+$/, "");
    return plain.length >= WORD_CHARS_MIN && !COMMON.has(plain) ? [plain] : [];
  });
}

/** A name or a figure rather than a plain word of the language. */
function isExact(word: string): boolean {
  return /\d|[_./-]/.test(word);
}
