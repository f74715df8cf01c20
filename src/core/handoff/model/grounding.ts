/**
 * What is in a session, to check whether a sentence about it is made up: its names, its words, and
 * who said them.
 */
import { identifiersIn } from "../../excerpts/mentions.ts";
import { SURELY_FILE } from "../../ledger/work.ts";
import { callsOf, contentText, type Message } from "../../transcript/message.ts";

export interface SourceGrounding {
  /** Names in the text that are nowhere: paths, files, symbols, hashes, addresses, long numbers. */
  readonly invented: (text: string) => readonly string[];
  /** Names in the text that are somewhere. */
  readonly known: (text: string) => readonly string[];
  /** Share of the text's telling words that are somewhere, 0 to 1; 0 where it has none. */
  readonly overlap: (text: string) => number;
  /** Whether the text quotes words of the session. */
  readonly quotes: (text: string) => boolean;
  /** Whether most of the text is in a tool's output, and nobody said it. */
  readonly onlyShown: (text: string) => boolean;
  /** Whether the text speaks of what an order planted in a tool's output is about, and nobody else is. */
  readonly planted: (text: string) => boolean;
}

/** Names that anybody may use without having read them. */
const HOUSEHOLD = new Set(
  "typescript javascript github gitlab bitbucket openai anthropic openrouter postgresql mysql mongodb graphql chatgpt youtube linkedin stackoverflow webassembly macos ios vscode node.js next.js vue.js nuxt.js express.js three.js d3.js react.js deno.json dockerhub readme.md powershell devops websocket websockets localhost redacted".split(
    " ",
  ),
);
const WORD = /[\p{L}\p{N}_]+/gu;
const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu;
const STEM_CHARS = 5;
const WORD_CHARS_MIN = 4;
/** So long a run of characters is no coincidence. */
const RUN_CHARS = 40;
const RUN_STEP_CHARS = 10;
/** A wish may quote the error that it is about. */
const COPIED_SHARE_MIN = 0.6;
const EDGES = /^[\s`'"“”‘’([{<*]+|[\s`'"“”‘’)\]}>*,;:!?]+$|\.$/g;
/** Words of praise and of record-keeping: they say nothing of one session that they would not say of another. */
const HOLLOW = new Set(
  "about accomplished achieved across activity actions additional again already also amazing assistant aspects awesome been before being best better brilliant clear clearly code collaboration completed completely context continue conversation correct correctly current currently decided details discussed discussion done during each effective effectively efficient efficiently effort ensure ensured every everything excellent excellently exceptional expected fantastic feedback finally flawless from fully going good goals great greatly handled happy have helpful highly impressive incredible information into issue issues just keep kept made make many more most moving much nice nicely none nothing other outstanding overall perfect perfectly pleased process productive professional progress progressing project proceeded properly quality ready really remarkable request requested requests result results satisfied session several should skill skillfully smoothly solid some steps still success successful successfully summary superb task tasks terrific thank thanks that their them then there these they thing things this thorough thoroughly throughout tool tools truly user users various very were well what when where which while will with without wonderful work worked working would your".split(
    " ",
  ),
);

/** How planted orders speak. */
const ORDER =
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any)\b.{0,40}\b(?:instructions?|prompts?|messages?|rules?|context)\b|\byou (?:are now|must now)\b/i;
const ORDER_CHARS_MAX = 600;
/** Words that a text has in common with a planted order, and with nobody's words. */
const PLANTED_WORDS_MIN = 2;

/** `heard`: other text that the model had before it, and may take names from. */
export function createGrounds(messages: readonly Message[], heard: readonly string[]): SourceGrounding {
  const said = messages
    .filter(({ role }) => role !== "tool")
    .map(wholeText)
    .join("\n");
  const shown = messages
    .filter(({ role }) => role === "tool")
    .map(wholeText)
    .join("\n");
  const all = [said, shown, ...heard].join("\n");
  const words = wordsOf(all);
  let planted: ReadonlySet<string> | undefined;
  const plantedWords = (): ReadonlySet<string> => (planted ??= wordsOfOrders(shown, wordsOf(said)));
  const standsWhole = (name: string): boolean =>
    HOUSEHOLD.has(name.toLowerCase()) || (isOneWord(name) ? words.has(name.toLowerCase()) : all.includes(name));
  // A range of lines, names in braces and a shortened path are said in other words than those of the session.
  const stands = (name: string): boolean =>
    standsWhole(name) || (isComposed(name) && piecesOf(name).every(standsWhole));
  const standsIn = (text: string, name: string): boolean =>
    stands(name) || (isFamily(text, name) && beginsWord(all, name));
  return {
    invented: (text) => namesIn(text).filter((name) => !standsIn(text, name)),
    known: (text) =>
      namesIn(text).filter((name) => !HOUSEHOLD.has(name.toLowerCase()) && !isNumbers(name) && standsIn(text, name)),
    overlap: (text) => {
      const telling = informativeWordsIn(text);
      return telling.length === 0 ? 0 : telling.filter((word) => words.has(word)).length / telling.length;
    },
    quotes: (text) => Array.from(text.matchAll(QUOTATION)).some((match) => all.includes(match[1]!)),
    onlyShown: (text) => {
      let [copied, runs] = [0, 0];
      for (let at = 0; at + RUN_CHARS <= text.length; at += RUN_STEP_CHARS, runs++) {
        const run = text.slice(at, at + RUN_CHARS);
        if (shown.includes(run) && !said.includes(run)) copied++;
      }
      return runs > 0 && copied / runs >= COPIED_SHARE_MIN;
    },
    planted: (text) => {
      const orders = plantedWords();
      return (
        orders.size > 0 &&
        new Set(informativeWordsIn(text).filter((word) => orders.has(word))).size >= PLANTED_WORDS_MIN
      );
    },
  };
}

/** A shorter quotation may be a single word. */
const QUOTATION = /["“«]([^"”»\n]{8,300})["”»]/g;

/** The telling words of planted orders that nobody said. */
function wordsOfOrders(shown: string, said: ReadonlySet<string>): ReadonlySet<string> {
  const orders = shown.split("\n").filter((line) => ORDER.test(line.slice(0, ORDER_CHARS_MAX)));
  return new Set(
    orders.flatMap((line) => informativeWordsIn(line.slice(0, ORDER_CHARS_MAX))).filter((word) => !said.has(word)),
  );
}

function wholeText(message: Message): string {
  const calls = callsOf(message).map(({ name, arguments: args }) => `${name} ${args.replaceAll("\\n", "\n")}`);
  return [contentText(message.parts), ...calls].join("\n");
}

const JOINTS = /[{}(),/.:#\s–-]+/;

function isComposed(name: string): boolean {
  return JOINTS.test(name.slice(1, -1));
}

/** `242/238/236`: known or not, they say nothing of what they are. */
function isNumbers(name: string): boolean {
  return isComposed(name) && piecesOf(name).every((piece) => /^\d+$/.test(piece)) && name.includes("/");
}

/** `toolDiff*` is all whose names begin so; `**toolDiff**` is bold. */
function isFamily(text: string, name: string): boolean {
  for (let at = text.indexOf(`${name}*`); at >= 0; at = text.indexOf(`${name}*`, at + 1))
    if (!/[*\w]/.test(text.charAt(at - 1)) && text.charAt(at + name.length + 1) !== "*") return true;
  return false;
}

function beginsWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!/[\p{L}\p{N}_]/u.test(text.charAt(at - 1))) return true;
  return false;
}

/** What a composed name is made of; numbers beside words, such as those of a range of lines, are the writer's own. */
function piecesOf(name: string): readonly string[] {
  const pieces = name.split(JOINTS).filter((piece) => piece !== "");
  const words = pieces.filter((piece) => !/^\d+$/.test(piece));
  return words.length === 0 ? pieces : words;
}

function isOneWord(name: string): boolean {
  return /^[\p{L}\p{N}_]+$/u.test(name);
}

/** Identifiers as the ledger's measure has them, and files by their bare names. */
export function namesIn(given: string): readonly string[] {
  const text = given.replace(BRACES, (_, stem: string, inside: string) =>
    inside
      .split(",")
      .map((one) => `${stem}${one.trim()}`)
      .join(" "),
  );
  const files = text
    .split(/[\s,;|]+/)
    .map((word) => word.replace(EDGES, "").replace(/(?::\d+)+$/, ""))
    .filter((word) => SURELY_FILE.test(word))
    .map((word) => word.slice(word.lastIndexOf("/") + 1));
  return [...new Set([...identifiersIn(text), ...files])];
}

/** `Test_{A,B}` names two. */
const BRACES = /([\w./-]*)\{([\w./-]+(?:\s*,\s*[\w./-]+)+)\}/g;

/** Words, stems of long words, and pairs of ideographs, lower case. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [match] of text.matchAll(WORD)) {
    const word = match.toLowerCase();
    if (words.has(word)) continue;
    words.add(word);
    if (word.length > STEM_CHARS) words.add(word.slice(0, STEM_CHARS));
  }
  for (const [run] of text.matchAll(IDEOGRAPHS)) for (const pair of pairsOf(run)) words.add(pair);
  return words;
}

function informativeWordsIn(text: string): readonly string[] {
  const plain = Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase())
    .filter((word) => word.length >= WORD_CHARS_MIN && !HOLLOW.has(word) && !WIDE.test(word))
    .map((word) => word.slice(0, word.length > STEM_CHARS ? STEM_CHARS : word.length));
  return [...plain, ...Array.from(text.matchAll(IDEOGRAPHS), ([run]) => pairsOf(run)).flat()];
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function pairsOf(run: string): readonly string[] {
  return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
}
