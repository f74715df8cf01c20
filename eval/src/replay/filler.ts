/** Text that says nothing, of a wanted weight, in the shapes that tools give: the same seed gives the same text. */
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { createDraw } from "../../../provider/src/random.ts";

export type FillerKind = "prose" | "source" | "log" | "table";

const WORDS =
  "queue worker retry timeout buffer parser ledger index router session cursor payload handler cache writer reader batch token window column".split(
    " ",
  );

type Word = () => string;

const LINES: Readonly<Record<FillerKind, (word: Word, at: number) => string>> = {
  prose: (word, at) =>
    `The ${word()} of the ${word()} has to wait for the ${word()} in step ${at}, before the ${word()} does.`,
  source: (word, at) => `    ${word()}_${at} = ${word()}.${word()}(${word()}, limit=${at * 7})`,
  log: (word, at) => `2026-01-12T09:${two(at)}:${two(at * 7)} INFO ${word()}.${word()} ${word()} took ${at * 13} ms`,
  table: (word, at) => `${at} | ${word()} | ${word()}_${at * 3} | ${at * 41}`,
};

/** About that many of our estimator's tokens; exact to a word. */
export function filler(kind: FillerKind, tokens: number, seed: number): string {
  const draw = createDraw(seed);
  const word = (): string => WORDS[Math.floor(draw() * WORDS.length)]!;
  const lines: string[] = [];
  for (let at = 1, weight = 0; weight < tokens; at++) {
    const line = LINES[kind](word, at);
    weight += estimateText(`${line}\n`);
    lines.push(line);
  }
  return cut(lines.join("\n"), tokens);
}

/** Without the words at its end that are too much. */
function cut(text: string, tokens: number): string {
  let end = text.length;
  while (end > 0 && estimateText(text.slice(0, end)) > tokens) end = text.lastIndexOf(" ", end - 1);
  return text.slice(0, Math.max(0, end)).trimEnd();
}

function two(number: number): string {
  return String(number % 60).padStart(2, "0");
}
