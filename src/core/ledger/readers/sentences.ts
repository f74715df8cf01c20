/**
 * Prose in a text, sentence by sentence and verbatim: what is inside a code fence, pasted from a terminal or shaped
 * like data is not prose. Linear, and a long unbroken line is passed over.
 */

/** A longer line is data, whatever it holds. */
const LINE_CHARS_MAX = 4_000;
/** A bullet, number or quote mark in front of a sentence is not part of it. */
const LEAD = /^\s*(?:>\s*)?(?:[-*+•–]\s+)?(?:\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?/;
/** A sentence ends at a full stop before white space, or at a CJK one. */
const END = /[.!?…]["')\]*_`”’]{0,3}\s+|[。！？]["'」』）”’]{0,2}\s*/g;
const ABBREVIATION = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|p|pp|st|dr|mr|mrs|ms)\.\s*$/i;
/** Headings, log lines, prompts, diffs, tables, code: lines that no one wrote as a sentence. */
export const PASTED_LINE =
  /^\s*(?:#{1,6} |"[^"]{1,60}"\s*:|[|❯➜⏺⎿│├└┌$%=]|>>>|\+{1,3}|\d{1,5}\s*[+→|:-]|\[?\d{4}-\d\d-\d\d|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w*\s+\d|\d\d:\d\d:\d\d|at .{1,200}:\d+:\d+|[{}<\]]|\/\/|\/\*|\*\/|import |export |const |func |def |class |return )|[{;]\s*$|=>\s*$/;

/** Lines of prose: fences left out, each as it is. */
export function proseLines(text: string): readonly string[] {
  const lines: string[] = [];
  let fence = "";
  for (const line of text.split("\n")) {
    const mark = fenceIn(line);
    if (mark !== "" && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
    else if (fence === "" && line.length <= LINE_CHARS_MAX && line.trim() !== "") lines.push(line);
  }
  return lines;
}

function fenceIn(line: string): string {
  const start = line.trimStart().slice(0, 3);
  return start === "```" || start === "~~~" ? start : "";
}

/** The sentences of the prose in a text, verbatim but for what leads the line. */
export function sentencesOf(text: string): readonly string[] {
  return proseLines(text).flatMap((line) => (PASTED_LINE.test(line) ? [] : sentencesIn(line)));
}

function sentencesIn(line: string): readonly string[] {
  const body = line.slice(LEAD.exec(line)![0].length).trimEnd();
  const found: string[] = [];
  let start = 0;
  END.lastIndex = 0;
  for (let match = END.exec(body); match !== null; match = END.exec(body)) {
    const end = match.index + match[0].length;
    if (ABBREVIATION.test(body.slice(Math.max(start, end - ABBREVIATION_CHARS), end))) continue;
    found.push(body.slice(start, end).trim());
    start = end;
  }
  if (start < body.length) found.push(body.slice(start).trim());
  return found.filter((sentence) => sentence !== "");
}

const ABBREVIATION_CHARS = 12;

/** Equal for two sentences that say the same but for case, marks and white space. */
export function keyOf(text: string): string {
  const lower = text.toLowerCase();
  // The letters of all scripts are looked up one by one; hardly a text has others than those of ASCII.
  const marks = MAY_BE_LETTER.test(lower) ? /[^\p{L}\p{N}]+/gu : /[^a-z0-9]+/g;
  return lower.replace(marks, " ").trim() || text;
}

/** Beyond ASCII, and neither a dash, a quotation mark or the like nor an arrow. */
const MAY_BE_LETTER = /[^\0-\x7f\u2000-\u206f\u2190-\u21ff]/;

/**
 * At most that many characters, cut between words: half a secret is not known for one, so none may be cut in two before
 * it was looked for.
 */
export function wholeWords(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const space = text.lastIndexOf(" ", charsMax);
  return text.slice(0, space > charsMax / 2 ? space : charsMax);
}
