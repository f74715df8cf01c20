/**
 * Tells what a person wrote from what they pasted: logs, terminal output, code and data. Their words are what they ask; the
 * paste is material, and a few of its lines are enough.
 */
import { PASTED_LINE } from "../../ledger/readers/sentences.ts";

export interface PersonText {
  /** Their words, with a note in place of each paste. */
  readonly words: string;
  /** The lines of the pastes; empty where nothing long was pasted. */
  readonly pasted: string;
}

/** A shorter paste is part of what is said. */
const PASTE_CHARS_MIN = 300;
/** Lines of a paste may look like prose; so many in a row do not end it. */
const PROSE_LINES_MAX = 2;
const FENCE = /^\s*(?:```|~~~)/;
/** In so long a line, fewer spaces are data: in prose every sixth character is one. */
const LONG_LINE_CHARS_MIN = 240;
const SPACES_SHARE_MIN = 0.1;
const OPENS_DATA = /^\s*[[{<]/;

export function splitPasted(text: string): PersonText {
  if (text.length < PASTE_CHARS_MIN) return { words: text, pasted: "" };
  const words: string[] = [];
  const pasted: string[] = [];
  for (const block of blocksOf(text.split("\n"))) {
    const lines = block.lines.filter((line) => line.trim() !== "" && !FENCE.test(line));
    if (!block.isPaste || lines.join("\n").length < PASTE_CHARS_MIN) words.push(...block.lines);
    else {
      words.push(`(pasted: ${lines.length} ${lines.length === 1 ? "line" : "lines"})`);
      pasted.push(...lines);
    }
  }
  return { words: words.join("\n").trim(), pasted: pasted.join("\n") };
}

interface Block {
  readonly lines: string[];
  readonly isPaste: boolean;
}

function blocksOf(lines: readonly string[]): readonly Block[] {
  const pasted = pastedLines(lines);
  const blocks: Block[] = [];
  for (const [at, line] of lines.entries()) {
    const last = blocks.at(-1);
    if (last !== undefined && last.isPaste === pasted[at]) last.lines.push(line);
    else blocks.push({ lines: [line], isPaste: pasted[at]! });
  }
  return blocks;
}

/** Which lines belong to a paste, with the few lines of prose between two that do. */
function pastedLines(lines: readonly string[]): readonly boolean[] {
  const pasted: boolean[] = [];
  let fenced = false;
  for (const line of lines) {
    const isFence = FENCE.test(line);
    pasted.push(fenced || isFence || isMaterial(line));
    if (isFence) fenced = !fenced;
  }
  let last = -1;
  for (const [at, isPaste] of pasted.entries()) {
    if (!isPaste) continue;
    if (last >= 0 && at - last - 1 <= PROSE_LINES_MAX) pasted.fill(true, last + 1, at);
    last = at;
  }
  return pasted;
}

function isMaterial(line: string): boolean {
  if (line.length < LONG_LINE_CHARS_MIN) return PASTED_LINE.test(line);
  const spaces = line.split(" ").length - 1;
  return OPENS_DATA.test(line) || spaces < line.length * SPACES_SHARE_MIN;
}
