/** Replies that agree, thank or greet and say nothing else: what was agreed to is told by what was done then. */

const AGREEMENTS = [
  "yes|yeah|yep|yup|sure|ok|okay|alright|all right|fine|right|correct|exactly|agreed|absolutely|definitely|of course|lgtm",
  "(?:that |it |this )?(?:sounds|looks|seems) (?:good|great|fine|perfect|right|nice)(?: to me)?|makes sense",
  "please(?: do(?: so)?)?|do (?:it|so|that)|go ahead|go on|proceed|continue|carry on|keep going|apply|confirmed",
];
const COURTESIES = [
  "hm+|ah|oh|wow|well done",
  "(?:very |really )?(?:good|great|nice|cool|perfect|excellent|awesome|amazing|wonderful)(?: (?:idea|point|advice|job|work|suggestions?))?",
  "(?:that|it)(?:['’]s| is) (?:right|correct|fine|good|great|perfect|(?:a )?(?:good|great|nice) (?:idea|point|advice))",
  "got it|understood|i (?:see|understand|agree)|i(?:['’]ll| will) (?:try|do|check) (?:it|that|this|them)(?: out)?",
  "(?:and )?(?:thank you|thanks)|(?:so|very) much|a lot|for (?:(?:all )?(?:of )?your|the) (?:help|advice|suggestions?|support|time)",
  "(?:those|these|your|the)(?: suggestions?| advice| ideas?| tips| words)? (?:are|is) (?:all )?(?:very |really |so )?(?:useful|helpful|good|great|nice)(?: suggestions| advice| ideas| tips)?",
  "(?:hi|hello|hey)(?: there| again)?|good (?:morning|afternoon|evening|day|night)|(?:good)?bye|see you(?: (?:later|tomorrow|soon))?",
];
const NO_LONGER_WORD = String.raw`(?![\p{L}\p{N}_'’])`;
const BARE = new RegExp(
  String.raw`^(?:(?:${[...AGREEMENTS, ...COURTESIES].join("|")})${NO_LONGER_WORD}[\s,.!…~-]*)+$`,
  "iu",
);
/** Without spaces between words: such phrases end where a sign or another of them begins. */
const BARE_CHINESE =
  /^(?:(?:好的?|是的?|对的?|嗯|恩|可以|没错|继续|你好|再见|我会(?:的|尝试的?|试试看?)|(?:非常)?(?:感谢|谢谢)(?:你|您)?(?:的(?:建议|帮助|支持|鼓励|陪伴|关心)(?:和(?:建议|帮助|支持|鼓励|陪伴|关心))?)?)[\s，。！,.!~]*)+$/u;
const BARE_CHARS_MAX = 80;

export function isBareReply(text: string): boolean {
  const reply = text.trim();
  return reply.length <= BARE_CHARS_MAX && (BARE.test(reply) || BARE_CHINESE.test(reply));
}

const AGREES = new RegExp(`^(?:${AGREEMENTS.join("|")})${NO_LONGER_WORD}`, "iu");
const AGREES_CHINESE = /^(?:好的?|是的?|对的?|可以|没错|继续)(?!\p{L})/u;
const MORE_THAN_AGREES = /thank|\btry\b|谢|尝试/i;

/** Whether a bare reply lets the other go on: what it agreed to was not done unasked. */
export function isApproval(text: string): boolean {
  const reply = text.trim();
  return (AGREES.test(reply) || AGREES_CHINESE.test(reply)) && !MORE_THAN_AGREES.test(reply);
}
