/** What the agent said goes with what was asked: without it, an answer reads as one to something else, and a question as open. */
import type { SharedLine, SharedTurn, WrittenLine } from "./lengths.ts";

type WriteAt = (line: SharedLine, step: number) => WrittenLine;

const UNTOLD: WrittenLine = { text: "", tokens: 0, isCut: true };

/** Writes no word of the agent in these turns of which no request is told. */
export function withItsRequest(turns: readonly SharedTurn[], write: WriteAt): WriteAt {
  const asked = new Map(turns.flatMap(wordsWithRequests));
  return (line, step) =>
    asked.get(line)?.every((request) => write(request, step).text === "") === true ? UNTOLD : write(line, step);
}

/** Of a turn of an earlier record, its words alone may be what is left; where people's words are told elsewhere, no turn has a request. */
function wordsWithRequests({ order, lines }: SharedTurn): readonly (readonly [SharedLine, readonly SharedLine[]])[] {
  const requests = lines.filter(({ kind }) => kind === "request");
  const isLeftOver = order < 0 && lines.every(isSaid);
  return requests.length > 0 || isLeftOver ? lines.filter(isSaid).map((line) => [line, requests]) : [];
}

function isSaid({ kind }: SharedLine): boolean {
  return kind === "answer" || kind === "remark";
}
