/**
 * Whether what a person says now takes the place of a rule or a decision from before: it names what it replaces, or it
 * announces a change and is about the same thing.
 */
import { sentencesOf } from "./sentences.ts";

/** "on 4471 instead of 4470", "valkey-8, not redis-6", "no longer on port 80", "statt Euro": what follows is over. */
const REPLACES =
  /(?:\b(?:instead of|rather than|in place of|no longer|replac(?:es|ing)|(?:an)?statt|anstelle von|nicht mehr|en (?:lugar|vez) de|au lieu d[eu]|ya no|em vez de|invece d[ei])|(?:[,;](?: (?:and|und))?|\s(?:and|und)|^(?:(?:no|nein)[,.!]?)?)\s*(?<!\p{L})(?:not|nicht))\s+((?:[^.:;,!?\n]|[.:](?=\S)){1,60})/giu;
/** "Instead of EUR and never round": what is over ends here. */
const AND = /\s(?:and|but|und|aber|sowie|y|et)\s/i;
/** One look at a text that names nothing as over saves taking it apart. */
const OVER =
  /\b(?:instead|rather|place|longer|replac\w+|any ?more|not|statt|anstatt|anstelle|nicht|vez|lugar|lieu|invece|ya no)\b/i;
const ASKS = /[?？]\s*["')\]]*$/;
/** A longer text is a document, a longer sentence no correction. */
const CORRECTING_CHARS_MAX = 1_200;
const SENTENCE_CHARS_MAX = 320;
/** "EUR is no longer wanted", "we do not use EUR any more", "Euro nicht mehr verwenden": what goes before is over. */
const RETIRES =
  /(?:(?<!\p{L})(?:use|using|want|need|support|nutzen?|benutzen?|verwenden?|brauchen|wollen)\s+(\S{1,60})\s+(?:any ?more|any longer|nicht mehr)|(?<!\S)(\S{1,60})\s+(?:(?:is|are)\s+no longer\s+(?:wanted|needed|used|required|valid)|(?:(?:wird|werden|soll|sollen)\s+)?nicht mehr\s+(?:benutz|verwend|nutz|genutzt|gebraucht|gewünscht|nötig)\p{L}*))(?!\p{L})/giu;
/** "Not EUR only", "not just EUR": what is named goes on, beside something else. */
const WIDENS =
  /(?<!\p{L})(?:only|just|merely|solely|alone|yet|necessarily|nur|bloß|allein|s[oó]lo|solamente|seulement)(?!\p{L})/iu;
/** "Instead of using EUR", "no longer in EUR", "nicht mehr nach Wien": what stands before the thing itself. */
const BEFORE_THING =
  /^(?:(?:use|using|want|need|support|in|on|to|with|as|via|be|being|auf|mit|als|nach|con|en|avec)\s+){1,2}/i;
/** A thing with an article is one of many that are talked about; a name, a language, a tool has none. */
const PARTICULAR =
  /^(?:the|an?|this|that|these|those|my|our|your|their|its|his|her|all|any|every|what|who|how|when|where|if|der|die|das|den|dem|des|eine?[mnrs]?|el|la|los|las|un|une|le|les)(?!\p{L})/iu;
const THING_WORDS_MAX = 3;
/** "Must be EUR", "use tabs", "answer in German", "auf Euro": what a rule demands by name. */
const DEMANDS =
  /(?<![\p{L}\p{N}])(?:be|is|are|use|using|prefer|called|named|in|on|to|with|as|via|auf|mit|als|nach|ist|sind|verwende|benutze|nutze|usa|con|en|avec|utilise)\s+(?!(?:the|an?|this|that|these|those|my|our|your|their|its|der|die|das|den|dem|des|eine?[mnrs]?|el|la|los|las|un|une|le|les|in|on|to|with|as)(?!\p{L}))([\p{L}\p{N}_][\p{L}\p{N}_./-]*(?:\s+[\p{L}\p{N}_][\p{L}\p{N}_./-]*)?)/giu;
/** "In the tests", "for exports", "wenn": the new rule holds there only. */
const WHERE =
  /(?<!\p{L})(?:(?:in|on|at|within|during|bei|in|auf) (?:the|this|these|those|der|den|dem|diesem|dieser)|for|when|while|if|unless|until|during|für|im|beim|bei|wenn|falls|bis|para|pour|si|quand|cuando)\s+(?!now(?!\p{L}))([^.;,!?\n]{1,40})/giu;
/** "Wait, the Python files use spaces, not tabs": what the new rule is about, where it is no plain order. */
const ABOUT =
  /^(?:(?:no|wait|actually|correction|sorry|nein|moment|non)[,:.!]?\s+)*([^.;!?\n]{1,60}?)\s(?:use|uses|is|are|must|should|shall|needs?|has|have|gets?|stays?|nutzen|nutzt|verwenden|verwendet|soll|sollen|muss|müssen|ist|sind|bleibt|bleiben)(?!\p{L})/iu;
/** A rule in several parts says more than what one sentence takes back. */
const PARTS = /[,;:.!](?=\s|$)|[–—(\n]|\s(?:and|but|und|aber|sowie|y|et)\s/i;
const PART_WORDS_MIN = 2;
/** Beside what is over and what comes instead, a correction says little: more is about something else as well. */
const NEW_WORDS_MAX = 4;
/** One prohibition does not end another: they add up. */
const FORBIDS =
  /\b(?:never|not|no|without|avoid|cannot|don['’]?t|mustn['’]?t|can['’]t|shouldn['’]?t|stop|nie|niemals|nicht|kein\w*|ohne|vermeide\w*|nunca|jam[aá]is|sin|sans|ne|pas)(?!\p{L})|不要|禁止|ないで|никогда|(?<!\p{L})не(?!\p{L})|(?<!\p{L})لا(?!\p{L})/iu;
/** "No, use …": it refuses what was said and forbids nothing. */
const REFUSAL = /^(?:no|nein|non)\s*[,.!:;–—-]\s*/i;
/** "Change of plan: …", "No, use … after all", "From now on …". */
const CHANGES =
  /^(?:(?:and|but|oh|hmm+|ok|okay)[,.]?\s+)?(?:no|wait|actually|correction|scratch that|never ?mind|sorry|nein|moment|korrektur|non)(?!\p{L})[,:]?|\b(?:change of plans?|changed (?:my|our) minds?|i was wrong|after all|from (?:now|here) on|on second thought|as of now|scrap that|no longer|any ?more|doch lieber|lieber doch|nicht mehr|ab (?:jetzt|sofort)|von nun an|planänderung|mejor|finalement)(?!\p{L})|(?:改(?:为|成|用)|变更|やっぱり|変更して|ya no)/iu;
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]*/gu;
const WORD_CHARS_MIN = 3;
/** Words that say nothing of what a sentence is about. */
const COMMON = new Set(
  "the and for with that this from are was were has have had will would should must can not but into onto our your its all any use using used always never only now then there here been being they them you who what when which while also just let lets decided decide chose chosen going wrong plan change after rather instead longer please sorry actually wait nein doch lieber statt anstatt nicht mehr jetzt sofort bitte auch und die der das den für mit auf soll sollen".split(
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
  /** The names and figures that it says are over. */
  readonly replaced: ReadonlySet<string>;
  /** What else it says is over, each thing in its words. */
  readonly retired: readonly (readonly string[])[];
  /** What it is limited to, or about. */
  readonly where: ReadonlySet<string>;
  readonly changes: boolean;
  /** What it says is over left aside. */
  readonly forbids: boolean;
  /** The words of what it demands by name; none where it makes several demands. */
  readonly demanded: ReadonlySet<string>;
}

export function comparable(text: string): Comparable {
  const replaced = Array.from(text.matchAll(REPLACES), (match) => match[1]!).filter((thing) => !WIDENS.test(thing));
  const kept = text.replace(REPLACES, (_, thing: string) => thing.slice(endOf(thing))).replace(REFUSAL, "");
  const changes = CHANGES.test(text);
  return {
    words: new Set(wordsIn(text)),
    replaced: new Set(replaced.flatMap(wordsIn).filter((word) => isExact(word) && !isFile(word))),
    retired: retiredIn(text),
    where: new Set([
      ...Array.from(text.matchAll(WHERE), (match) => wordsIn(match[1]!)).flat(),
      ...wordsIn(ABOUT.exec(kept)?.[1] ?? ""),
    ]),
    changes,
    forbids: FORBIDS.test(kept),
    demanded: demandedIn(kept, changes),
  };
}

/** Sentences that announce a change and name what is over: whether they are rules shows in what they overrule. */
export function correctionsIn(text: string): readonly string[] {
  if (text.length > CORRECTING_CHARS_MAX || !OVER.test(text)) return [];
  return sentencesOf(text).filter(
    (sentence) =>
      sentence.length <= SENTENCE_CHARS_MAX &&
      CHANGES.test(sentence) &&
      !ASKS.test(sentence) &&
      retiredIn(sentence).length > 0,
  );
}

/** In doubt it does not: a rule that is kept for too long does less harm than one that is lost. */
export function overrules(now: Comparable, before: Comparable): boolean {
  if (!mayOverrule(now)) return false;
  const shared = [...before.words].filter((word) => now.words.has(word));
  const own = [...before.words].filter((word) => !now.words.has(word));
  const isNamed = !before.forbids && [...now.replaced].some((word) => before.words.has(word));
  if (isNamed && shared.filter((word) => !now.replaced.has(word)).length >= SHARED_BESIDE_NAMED_MIN) return true;
  if (isRetired(now, before, own.length)) return true;
  if (!now.changes || shared.length === 0 || (now.forbids && before.forbids)) return false;
  // "For exports use A-1", "change of plan: for exports use B-2": only the name is another.
  const isSwap = own.length > 0 && own.every(isExact) && [...now.words].some(isExact);
  if (isSwap) return !before.forbids;
  return shared.length >= SHARED_WORDS_MIN && own.length <= OWN_WORDS_MAX && !own.some(isExact);
}

/** Whether it may overrule anything: most sentences need not be compared. */
export function mayOverrule(now: Comparable): boolean {
  return now.changes || now.replaced.size > 0 || now.retired.length > 0;
}

/**
 * "The currency must be EUR": "no, CHF after all, not EUR". The rule demands by name just what is over. Without words that
 * announce a change, all else that it says has to be said again: "answer in XML", "answer in JSON instead of XML".
 */
function isRetired(now: Comparable, before: Comparable, own: number): boolean {
  if (before.forbids || own > (now.changes ? OWN_WORDS_MAX : 0)) return false;
  const thing = now.retired.find(
    (words) => words.every((word) => before.words.has(word)) && before.demanded.has(words.at(-1)!),
  );
  if (thing === undefined || [...now.where].some((word) => !before.words.has(word))) return false;
  if (!now.changes) return before.words.size > thing.length;
  return [...now.words].filter((word) => !before.words.has(word)).length <= NEW_WORDS_MAX;
}

/** What a sentence says is over, each thing in its words, where it is named as such: "EUR", "in German", "Swiss francs". */
function retiredIn(text: string): readonly (readonly string[])[] {
  const things = [...text.matchAll(REPLACES), ...text.matchAll(RETIRES)].map((match) => match[1] ?? match[2]!);
  return things.flatMap((thing) => {
    if (WIDENS.test(thing)) return [];
    const name = thing.slice(0, endOf(thing)).trim().replace(BEFORE_THING, "");
    const words = PARTICULAR.test(name) ? [] : wordsIn(name.replace(WHERE, ""));
    return words.length === 0 || words.length > THING_WORDS_MAX || words.some(isPlace) ? [] : [words];
  });
}

function endOf(thing: string): number {
  const and = thing.search(AND);
  return and < 0 ? thing.length : and;
}

function demandedIn(text: string, changes: boolean): ReadonlySet<string> {
  const words = wordsIn(text);
  // "No, CHF": a short correction says nothing but what is demanded.
  if (changes && words.length <= THING_WORDS_MAX) return new Set(words);
  const parts = text.split(PARTS).filter((part) => wordsIn(part).length >= PART_WORDS_MIN);
  if (parts.length > 1) return new Set();
  return new Set(Array.from(text.matchAll(DEMANDS), (match) => wordsIn(match[1]!)).flat());
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

/** A file is worked on as well as demanded: that it is not to be touched ends no rule about it. */
function isPlace(word: string): boolean {
  return isFile(word) || /[/_]/.test(word);
}

function isFile(word: string): boolean {
  return /\.[a-z]/.test(word);
}
