/**
 * Constraints: sentences in which a person says how things are to be done or left alone, settles a choice, or states what
 * holds. Whole sentences, verbatim, in the languages that the transcripts we know are written in.
 */
import { sentencesOf } from "./sentences.ts";

const SENTENCE_CHARS_MIN = 6;
const SENTENCE_CHARS_MAX = 320;
/** A text this long is a document that was pasted or expanded: only its strongest sentences are rules for the agent. */
const DOCUMENT_CHARS_MIN = 1_200;
const FROM_DOCUMENT_MAX = 6;

/** Binding in any sentence, but not where it reports what was. */
export const STRONG_RULE =
  /(?<!\b(?:was|were|has|have|had|is|are|i) )\b(?:never|must(?! have \w+ed)(?:n['’]t)?|always|under no circumstances|at all costs|no exceptions)\b|\b(?:is|are|be) (?:not allowed|forbidden|mandatory|off[ -]limits)\b/i;

/** Where a clause can begin: "don't" after a pronoun is a report, so orders are looked for here only. */
const CLAUSE = String.raw`(?:^|[,;:(—–-]\s*|\b(?:and|but|also|please|pls|so|then|just|ok|okay|yes|no|again|omfg|dude)[,:]?\s+)(?:(?:please|just|also|always|then)\s+)?`;
const ORDER = new RegExp(
  CLAUSE +
    String.raw`(?:(?:do not|don['’]?t)(?!\s+(?:know|think|have|see|want|care|feel|understand|recall|get|exist|seem|work|look|like|mind)\b)|let['’]?s not|avoid|prefer|make sure|ensure|be sure|be careful|keep in mind|remember|stop\s+\w+ing|use only|only use|stick (?:to|with)|leave\b.{1,60}\b(?:alone|as is|untouched)|no need to|refrain from)`,
  "i",
);

/** Binding wherever it is. */
const RULE =
  /\b(?:(?:you|we|it|they|this|that|there|which)\s+(?:should(?:n['’]t| not| only| never| always)|can(?:['’]t|not) (?:use|change|break|have)|need to (?:keep|stay|make sure|preserve)|do not|don['’]?t (?:need|want) (?:to|any))|(?:i|we) (?:don['’]?t want|do not want|would only want|only want|prefer|would prefer|['’]d prefer)|without (?:changing|breaking|touching|modifying|using|adding|removing)|instead of\s+\w+ing|rather than\s+\w+ing|(?:has|have) to (?:be|stay|match|remain|keep|work)|not meant to|is supposed to)\b/i;

/** "Use X", "keep X", "answer in X": an order that names the thing to use or keep. */
const OPENING =
  /^\(?(?:(?:please|and|but|also|so|ok|okay|then|just|no|yes|actually|for now|omfg|dude)[,:]?\s+){0,2}(?:(?:use|using|keep|follow|stick|only|omit|skip|exclude)\s+\S|(?:answer|respond|reply|express|format|output|return)\b.{0,80}\b(?:in|as|without|using|only)\b)/i;

/** "Report everything in EUR", "write in British English": the form of all that follows, named as nothing but a name is. */
const IN_FORM =
  /(?:^|[,;]\s)(?:please\s)?(?:[Rr]eport|[Ww]rite|[Ss]tate|[Gg]ive|[Qq]uote|[Ss]how)\s(?:(?:everything|all(?:\s\w+)?|amounts|prices|figures|numbers|dates|times)\s)?in\s(?:€|\$|[A-Z]\p{L}+(?:\s[A-Z]\p{L}+)?[.!]?$|[A-Z]{2,})/u;

/** "Let's go with X", "for exports use X, not Y": a choice that people have made. */
const CHOICE =
  /\b(?:let['’]?s (?:go with|use|stick with|keep)|(?:we|the (?:team|client|customer|board))(?:['’]ve| have| has)? (?:decided|settled on|agreed|chose)|we['’](?:ll|re going to) (?:use|keep|go with)|use\s+\S.{0,60}?,? (?:and not|not|instead of|rather than)\s+\S)/i;

/**
 * "Our staging database listens on port 4471", "Demo tenant: id 1298": what is so, with something exact in it that no one
 * remembers. What opens with a pronoun or an order speaks of the work at hand, and errors are not rules.
 */
const IS =
  "(?:is|are|has|have|allows?|listens?|runs?|lives?|stands?|needs?|expects?|uses?|takes?|costs?|pays?|starts?|ends?|expires?|belongs?|moved|changed)\\s";
const STATED = [
  /^(?:fyi|by the way|btw|for reference|(?:please )?(?:note|remember) that)\b/i,
  new RegExp(String.raw`^(?:the|our|my|your|their)\s[^?]{2,60}?\s${IS}`, "i"),
  new RegExp(String.raw`^(?:in|on|at|for|as of|since|until)\s(?:\S{1,40}\s){1,4}?${IS}`, "i"),
  new RegExp(
    String.raw`^(?!(?:It|This|That|These|There|You|He|She|They|I|We|What|Why|How|Who|Please)\b)\p{Lu}[\p{L}-]+\s${IS}`,
    "u",
  ),
];
/** An example or a finding is told with its label once, and so is what is to be done next. */
const LABELLED =
  /^(?!error|warn|step|fail|note|line|\w*(?:error|exception)\b)(?!(?:next|then|now|also|first|finally|to-?do|task|question|update|ps|p\.s\.?):)(?![^:]{0,40}\b(?:examples?|samples?|symptoms?|instance|cases?|reports?|results?|outputs?|questions?|beispiele?|ejemplos?|exemples?):)\p{L}[\p{L}\p{N} '’-]{2,40}:\s\S/iu;
const EXACT = /\d{2,}|\w:\/\/|\d(?:st|nd|rd|th)?\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;
const STATED_CHARS_MAX = 200;

const OTHER_LANGUAGES: readonly RegExp[] = [
  /不要|请勿|切勿|禁止|不得|不许|(?<!说)不准(?![确备时])|必须|务必|一定要|始终|永远不|只能|只允许|请使用|请用|统一(?:用|使用)|优先使用|尽量(?:用|不|使用)|避免|别(?:再|用|改|动|忘)/,
  /必ず|絶対に|ないでください|しないで|てはいけ|てはなら|禁止|なければなら|べきで(?:は|す)|を使って|を使用して|使わない|常に|避けて|優先して|ようにして|のまま(?:に|で)/,
  /반드시|절대|하지\s?마|금지|항상|말아\s?(?:주|줘)|사용해\s?(?:주|줘)|해야\s?(?:한다|합니다|해)|않도록/,
  /\b(?:nunca|siempre|jamás|no (?:uses?|hagas|toques)|ne (?:jamais|pas)|toujours|n['’]utilise[zs]?|évite[zs]?|niemals|nicht (?:verwenden|ändern|benutzen)|benutze|verwende)\b/i,
];

/** "From now on …", in other languages too: what it says holds for all that follows. */
const FROM_NOW_ON =
  /\b(?:from (?:now|today) on|from this point on|henceforth|ab (?:jetzt|sofort)|von nun an|(?:zu)?künftig|(?:desde|de|a partir de) (?:ahora|agora)|désormais|dorénavant|d['’]ora in poi)(?!\p{L})|à partir de maintenant|отныне|впредь|من الآن|今后|从现在(?:起|开始)|今後は|앞으로/iu;
/** "Never" of the languages where it may also report what never was. */
const NEVER_ELSEWHERE =
  /^(?!.*(?<!\p{L})(?:noch nie|hat|habe|haben|hatte|hatten|war|waren|wurde|wurden|n['’](?:a|ai|ont|est|avait)|было?|была|были|لم)(?!\p{L})).*(?<!\p{L})(?:niemals|jamais|никогда|ни в коем случае|(?:ни|не) трогай(?:те)?|asla|لا\s.{1,60}(?:أبد[اًا]*|مطلق[اًا]*|إطلاق[اًا]*))(?!\p{L})/iu;

/** In Polish it is a mere "not". */
const GERMAN_NEVER =
  /^(?!.*(?<!\p{L})(?:noch nie|hat|habe|haben|hatte|hatten|war|waren|wurde|wurden)(?!\p{L}))(?=.*(?<!\p{L})(?:der|die|das|den|dem|eine?[mnrs]?|wir|bitte|an|auf|ab|aus|in|im|mit|nach|und|direkt|\p{L}{2,}en)(?!\p{L})).*(?<!\p{L})nie(?!\p{L})/iu;

/** "No console logs!" */
const BAN = /(?:^|,\s*|\band\s+)no\s+[\w-]+(?:\s+[\w-]+)?[!.]*$/i;

/** A person who muses about what always happens gives no order. */
const MUSING =
  /^(?:i (?:think|guess|feel|wonder|don['’]?t|do not|am|was|can|could|have|had|see|would not know)|i['’](?:m|ve|d|ll)|we['’]ve|there|does|do|did|is|are|was|were|why|what|how|when|where|who|which|can|could|would|will|wasn|isn|hmm|(?:(?:it|this|that) )?(?:still|already|currently) \w+s)\b/i;
/** "Ok, let's …" proposes the next step: only what is said plainly beside it is a rule. */
const PROPOSAL =
  /^(?:(?:ok|okay|alright|right|yes|yeah|so|now|then|and|well|great|cool)[,.!]?\s+){0,3}let['’]?s\s+(?!not\b)/i;
const WITHOUT = /\bwithout \w+ing\b/i;
const QUESTION = /[?？]\s*["')\]]*$/;

/** "TypeError: …", "error TS2345: …", `{"type":"error",…`. */
const PASTED_ERROR = /^\s*[\w.]*(?:[Ee]rror|Exception)(?:[ [(]{1,2}[\w-]{0,20}\d[\w-]{0,20}[\])]?)?:\s/;
const DATA = /\{\s*"[\w-]+"\s*:/;

/** The constraints that a person's text states, in order, each verbatim. */
export function constraintsIn(whole: string): readonly string[] {
  const document = whole.length >= DOCUMENT_CHARS_MIN;
  const text = withoutErrors(whole);
  const listed = document ? [] : listedRulesIn(text);
  const found: string[] = [];
  for (const sentence of sentencesOf(text)) {
    const rule = listed.find((one) => one.includes(sentence));
    if (rule !== undefined) {
      if (!found.includes(rule)) found.push(rule);
      continue;
    }
    if (sentence.length < SENTENCE_CHARS_MIN || sentence.length > SENTENCE_CHARS_MAX || QUESTION.test(sentence))
      continue;
    if (document ? STRONG_RULE.test(sentence) : binds(sentence)) found.push(sentence);
  }
  return document ? found.slice(0, FROM_DOCUMENT_MAX) : found;
}

/** Without the lines of errors, and data that a terminal broke into lines, which goes on to the end of its paragraph. */
function withoutErrors(text: string): string {
  if (!text.includes("rror") && !text.includes("xception") && !text.includes("{")) return text;
  const lines = text.split("\n");
  if (!lines.some((line) => PASTED_ERROR.test(line) || opensData(line))) return text;
  let open = false;
  return lines
    .filter((line) => {
      open = line.trim() !== "" && (open || opensData(line));
      return !open && !PASTED_ERROR.test(line);
    })
    .join("\n");
}

/** "Always answer with {"ok": true}" is closed where it stands. */
function opensData(line: string): boolean {
  return line.includes("{") && DATA.test(line) && line.split("{").length > line.split("}").length;
}

/** "Rules for the whole session:", "Keep in mind, please:": every item of the list below it is one. */
const ANNOUNCES =
  /\b(?:rules?|constraints?|conventions?|guidelines?|ground rules|(?:keep|bear) in mind|remember|please (?:note|respect|observe))\b[^:\n]{0,80}:\s*$/i;
const ANNOUNCING_CHARS_MAX = 160;
const ITEM = /^\s*(?:[-*+•–]|\d{1,2}[.)])\s+/;

function listedRulesIn(text: string): readonly string[] {
  const rules: string[] = [];
  let announced = false;
  for (const line of text.split("\n")) {
    const item = ITEM.exec(line);
    if (item === null) {
      if (line.trim() !== "") announced = line.length <= ANNOUNCING_CHARS_MAX && ANNOUNCES.test(line);
    } else if (announced && line.length <= SENTENCE_CHARS_MAX) rules.push(line.slice(item[0].length).trim());
  }
  return rules;
}

function binds(sentence: string): boolean {
  if (bindsElsewhere(sentence) || FROM_NOW_ON.test(sentence)) return true;
  if (ORDER.test(sentence) || CHOICE.test(sentence)) return true;
  if (PROPOSAL.test(sentence)) return STRONG_RULE.test(sentence) || WITHOUT.test(sentence);
  if (RULE.test(sentence) || OPENING.test(sentence) || (sentence.includes(" in ") && IN_FORM.test(sentence)))
    return true;
  if (sentence.length <= STATED_CHARS_MAX && EXACT.test(sentence) && states(sentence)) return true;
  return (STRONG_RULE.test(sentence) || BAN.test(sentence)) && !MUSING.test(sentence);
}

function bindsElsewhere(sentence: string): boolean {
  const never = NEVER_ELSEWHERE.test(sentence) || GERMAN_NEVER.test(sentence);
  return never || OTHER_LANGUAGES.some((language) => language.test(sentence));
}

function states(sentence: string): boolean {
  return LABELLED.test(sentence) || STATED.some((form) => form.test(sentence));
}
