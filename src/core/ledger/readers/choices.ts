/** What a person's reply makes of what was proposed: it agrees, or chooses one of the options that were laid out. */

const AGREES =
  /^\W*(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|agreed?|sounds? (?:good|great|fine)|good|great|perfect|cool|nice|do (?:it|that|so|this)|go(?: ahead| for it| with (?:it|that|this|your))|please do|let['’]?s (?:do|go)|lgtm|approved?|right|fine|works for me|i (?:agree|like (?:it|that))|that works|makes sense|ja|gerne|genau|einverstanden|sí|si|oui|d['’]accord)(?!\p{L})|好|可以|同意|はい|ええ|네|좋)/iu;
/** "Ok, but use B", "fine, instead …": it agrees to something else. */
const DIFFERS =
  /\b(?:but|instead|rather|except|not|no|aber|sondern|statt|nicht|pero|mais)\b|n['’]t\b|但|不过|而不是|でも|하지만/i;
const REPLY_CHARS_MAX = 200;
const OPTION =
  /(?<!\p{L})(?:option|approach|variant|alternative|variante|opción|方案|选项)\s?(?:[A-Z]|\d{1,2})(?![\p{L}\p{N}.])/iu;
const OPTIONS = new RegExp(OPTION.source, "giu");
/** Asks about an option rather than choosing it, with a question mark or without. */
const ASKS =
  /[?？]|^\W*(?:can|could|would|will|what|how|why|is|are|does|do(?: you|es)|tell|explain|describe|show|summari[sz]e|compare)\b/i;
const CHOOSES =
  /\b(?:like|love|go|going|use|take|choose|pick|prefer|want|do|implement|let['’]?s|nehmen?|nimm|prefiero|je préfère)\b|选|用/i;
/** So few words are a choice without any of those. */
const BARE_CHARS_MAX = 24;
const OPENS_LINE = /^[\s#*_>\-+•\d.)]*$/;
const DEFINITION_CHARS_MAX = 240;
const DEFINITION_OVER_LABEL_CHARS = 6;

export function agrees(reply: string): boolean {
  return reply.length <= REPLY_CHARS_MAX && AGREES.test(reply) && !DIFFERS.test(reply);
}

/** The words that say what a chosen option is, from the text that laid the options out: "I like option C". */
export function optionChosen(reply: string, offered: string): string | undefined {
  const label = labelChosen(reply);
  if (label === undefined) return undefined;
  for (const line of offered.split("\n")) {
    const option = line.length <= DEFINITION_CHARS_MAX ? OPTION.exec(line) : null;
    if (option === null || !OPENS_LINE.test(line.slice(0, option.index)) || labelOf(option[0]) !== label) continue;
    const definition = line.slice(option.index).replace(/[\s*_:：]+$/, "");
    if (definition.length > option[0].length + DEFINITION_OVER_LABEL_CHARS) return definition;
  }
  return undefined;
}

function labelChosen(reply: string): string | undefined {
  if (reply.length > REPLY_CHARS_MAX || DIFFERS.test(reply) || ASKS.test(reply)) return undefined;
  if (reply.length > BARE_CHARS_MAX && !CHOOSES.test(reply)) return undefined;
  const named = new Set((reply.match(OPTIONS) ?? []).map(labelOf));
  return named.size === 1 ? [...named][0] : undefined;
}

function labelOf(option: string): string {
  return option.toLowerCase().replace(/\s/g, "");
}
