/**
 * Prohibitions that go with one request: "yes, but we don't need to commit". A later order to do just that ends them; what is
 * said to hold for good, or under a condition, only ends where it is taken back.
 */

export interface PassingBan {
  readonly verb: string;
  /** The words of what must be left alone; none where the verb says it all. */
  readonly things: readonly string[];
  /** Nothing at all was to be changed. */
  readonly anything: boolean;
}

/** Holds for good, or until something happens that code cannot see. */
const STANDING =
  /\b(?:never|always|ever|must|from now on|until|till|unless|without|except|any ?more|in general|at all)\b/i;
const BAN =
  /\b(?:no need to|(?:do not|don['’]?t)(?:\s+need to)?)\s+(?:please\s+)?(\p{L}+)(?:[ \t]+([^,;:.!?()\n–—]{1,60}))?/iu;
/** Says itself that it goes with what is asked, or answers a proposal. */
const GOES_WITH_REQUEST =
  /\bjust (?:let me know|tell me|answer|explain|report|show me)\b|\bonly (?:tell|show) me\b|\byet\b|\bfor now\b|\bneed to\b|^(?:yes|yeah|yep|sure|ok|okay|fine|right|good)[,.!]?\s+but\b/i;
/** Stands behind what is to be done: "should be dimmer, don't modify the theme". */
const BEHIND_WORK = /^(?!(?:no|please|yes|ok|okay)\s*,)[^,]{4,},\s*(?:but\s+|and\s+|just\s+|please\s+)*$/i;
const ANYTHING =
  /^(?:change|modify|edit|touch|fix|update|do|make|write|implement|code|apply) ?(?:any(?:thing| code| files?| changes?| edits?)|code|changes|edits|files)?(?: ?(?:yet|for now|here))*$/i;
const PRONOUN = /^(?:it|this|that|them|these|those|so)(?!\p{L})/iu;
const WORD = /[\p{L}\p{N}_./-]{3,}/gu;
const COMMON = new Set(
  "the any all our your this that these those yet now for here please just with into and".split(" "),
);

const CHANGING = "change modify edit adjust touch update alter fix tweak rewrite".split(" ");
const MAKING = [
  ...CHANGING,
  ..."add create implement write make integrate build apply remove delete refactor move rename replace merge split".split(
    " ",
  ),
];
const GO_AHEAD = /\b(?:go ahead|do it|proceed|start (?:now|implementing|with))\b/i;
const ORDERED_CHARS_MAX = 1_200;
const NEGATED = /(?:n['’]?t|not|never|without|before|after|if|when|no need)\s[^,;.!?\n]{0,40}$/i;

/** The prohibition in a rule, where it goes with one request. */
export function passingBanIn(rule: string): PassingBan | undefined {
  if (STANDING.test(rule)) return undefined;
  const ban = BAN.exec(rule);
  if (ban === null) return undefined;
  const verb = ban[1]!.toLowerCase();
  const object = (ban[2] ?? "").split(/\s(?:and|but|or)\s/)[0]!.trim();
  if (PRONOUN.test(object)) return undefined;
  if (!GOES_WITH_REQUEST.test(rule) && !BEHIND_WORK.test(rule.slice(0, ban.index))) return undefined;
  const anything = object !== "" && ANYTHING.test(`${verb} ${object}`);
  return { verb, things: anything ? [] : wordsIn(object), anything };
}

/** Whether what a person says later orders what was to be left alone. */
export function isLifted({ verb, things, anything }: PassingBan, text: string): boolean {
  if (text.length > ORDERED_CHARS_MAX) return false;
  if (anything) return GO_AHEAD.test(text) || objectsOrdered(text, MAKING).length > 0;
  return objectsOrdered(text, CHANGING.includes(verb) ? CHANGING : [verb]).some((object) => {
    const words = wordsIn(object);
    return things.every((thing) => words.includes(thing));
  });
}

/** What a text orders to do one of these to, in its words. */
function objectsOrdered(text: string, verbs: readonly string[]): readonly string[] {
  const order = new RegExp(
    String.raw`(?:^|[.,;:!\n]\s*|\b(?:and|then|now|please|pls|ok|okay|yes|also|just|let['’]?s|you (?:can|may|should)|we (?:can|should|must)|(?:can|could|would|will) you|(?:need|want|like|have|want you|like you) to)\s+)(?:${verbs.join("|")})(?![\p{L}-])([^,;:.!?\n]{0,80})`,
    "giu",
  );
  return Array.from(text.matchAll(order)).flatMap((match) =>
    NEGATED.test(text.slice(0, match.index + match[0].length - match[1]!.length)) ? [] : [match[1]!],
  );
}

function wordsIn(text: string): readonly string[] {
  return (text.toLowerCase().match(WORD) ?? [])
    .map((word) => word.replace(/[./-]+$/, "").replace(/(?<=\p{L}{3})s$/u, ""))
    .filter((word) => !COMMON.has(word));
}
