/**
 * Takes a text apart into sentences and lines, as they are: short list items stay with what announces them, and JSON loses
 * the marks that only a parser needs.
 */
/** A longer text is read from both its ends. */
const CHARS_READ_MAX = 40_000;
const SENTENCE_END = /(?<=[.!?…]["')\]*_`”’]{0,3})\s+(?=[\p{Lu}\p{N}`"'“‘([*_-])|(?<=[。！？]["'」』）”’]{0,2})/u;

/** The same, looked for from the sign on: most lines have no end of a sentence but their own, and that is known much sooner. */
const MAY_END_SENTENCE = /[.!?…]["')\]*_`”’]{0,3}\s|[。！？]/u;

/** A sentence or a line. */
export interface Piece {
  readonly text: string;
  /** What is between the piece before it and this one. */
  readonly lead: string;
  readonly at: number;
  /** Whether it is a line of a code block. */
  readonly fenced: boolean;
  /** Whether it is a field of JSON: what a program asked for, rather than what somebody says. */
  readonly isField: boolean;
}

/** What is between two pieces is white space of the line, or a line break; blank lines go. */
export function piecesOf(text: string): readonly Piece[] {
  const read =
    text.length <= CHARS_READ_MAX
      ? text
      : `${text.slice(0, CHARS_READ_MAX / 2)}\n${text.slice(text.length - CHARS_READ_MAX / 2)}`;
  const found: Piece[] = [];
  let fenced = false;
  for (const line of read.split("\n")) {
    const bare = line.trim();
    if (bare === "") continue;
    if (bare.startsWith("```") || bare.startsWith("~~~")) {
      fenced = !fenced;
      continue;
    }
    const plain = bare.startsWith('"') ? withoutJsonMarks(line) : line;
    if (plain === undefined) continue;
    const pieces = fenced ? [plain] : sentencesOf(plain);
    pieces.forEach((piece, place) => {
      const unit = place === 0 ? piece.trimEnd() : piece.trim();
      if (unit.trim() === "") return;
      found.push({ text: unit, lead: place === 0 ? "\n" : " ", at: found.length, fenced, isField: plain !== line });
    });
  }
  return withListsInOneLine(found);
}

/** The texts of the pieces alone. */
export function sentencesIn(text: string): readonly string[] {
  return piecesOf(text.trim()).map((piece) => piece.text);
}

/** A sentence as it is compared with those of other texts. */
export function withoutBullet(sentence: string): string {
  return sentence.trim().replace(BULLET, "");
}

const BULLET = /^(?:[-*+•–]|\d{1,2}[.)])\s+/;

const JSON_FIELD = /^\s*"([^"\n]{1,60})":\s*(?:"(.*)"|(-?[\d.]+)),?\s*$/;
const JSON_MARKS = /^\s*"[^"\n]{1,60}":\s*(?:[[\]{}]+|true|false|null),?\s*$/;

/** A line of JSON that names a field as `key: value`; nothing where it opens something, or answers with yes or no. */
function withoutJsonMarks(line: string): string | undefined {
  const field = JSON_FIELD.exec(line);
  if (field !== null) return `${field[1]}: ${field[2] ?? field[3]}`;
  return JSON_MARKS.test(line) ? undefined : line;
}

/** List items of a word or two mean something together, and with what announces them. */
function withListsInOneLine(units: readonly Piece[]): readonly Piece[] {
  const joinedUnits: Piece[] = [];
  let listing = false;
  for (const unit of units) {
    const item = SHORT_ITEM.exec(unit.text)?.[1];
    const last = joinedUnits.at(-1);
    if (item === undefined || last === undefined || !(listing || last.text.endsWith(":"))) {
      listing = false;
      joinedUnits.push(unit);
      continue;
    }
    joinedUnits[joinedUnits.length - 1] = { ...last, text: `${last.text}${listing ? "," : ""} ${item}` };
    listing = true;
  }
  return joinedUnits;
}

const SHORT_ITEM = /^\s*[-*+•–]\s+(\S{2,24}(?:\s\S{1,16})?)$/;

/** A piece that ends no sentence: a bullet, a number, an abbreviation. */
const GOES_ON = /(?:^\s*(?:[-*+•–]|\d{1,3}[.)]|#{1,6})|\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms)\.)$/i;

function sentencesOf(line: string): readonly string[] {
  if (!MAY_END_SENTENCE.test(line)) return [line];
  const sentences: string[] = [];
  for (const piece of line.split(SENTENCE_END)) {
    const last = sentences.at(-1);
    if (last !== undefined && GOES_ON.test(last)) sentences[sentences.length - 1] = `${last} ${piece}`;
    else sentences.push(piece);
  }
  return sentences;
}
