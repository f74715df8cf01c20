/** Numbered questions, and what an answer says to each. */
import type { Question } from "./case-folders.ts";

export function numbered(questions: readonly Question[]): string {
  return questions.map(({ ask }, at) => `${at + 1}. ${ask.trim()}\n`).join("");
}

/** The paragraph that begins with the number; everything where none does, as a person would look for it there. */
export function replyTo(answer: string, number: number): string {
  const lines = answer.split("\n");
  const from = lines.findLastIndex((line) => numberOf(line) === number);
  if (from === -1) return answer;
  const length = lines.slice(from + 1).findIndex((line) => numberOf(line) === number + 1);
  return lines.slice(from, length === -1 ? undefined : from + 1 + length).join("\n");
}

/** "2.", "2)", "**2.**", "Q2:", "## Question 2". */
const NUMBER = /^[\s#*_>-]{0,8}(?:Q|Question )?(\d{1,3})(?:[\s.):*_]|$)/i;

function numberOf(line: string): number | undefined {
  const found = NUMBER.exec(line);
  return found === null ? undefined : Number(found[1]);
}
