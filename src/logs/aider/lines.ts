/**
 * The lines that mean something in aider's history. A reply that has such a line itself would be taken apart; in what
 * precis writes, these lines begin with one more space, and a remark says so.
 */
export const STARTED = "# aider chat started at ";
export const USER = "#### ";
export const CONSOLE = "> ";
export const REMARK = "> precis: a space was put before lines of replies that begin with a mark of this file";

const MEANS_SOMETHING = /^ *(?:# |> |#### |####$)/;
const WAS_MARKED = /^ +(?:# |> |#### |####$)/;

export function marked(line: string): string {
  return MEANS_SOMETHING.test(line) ? ` ${line}` : line;
}

export function unmarked(line: string): string {
  return WAS_MARKED.test(line) ? line.slice(1) : line;
}
