/**
 * Our compactions inside Claude Code: the text that takes the place of a beginning says how many messages behind it are kept ones,
 * which are in the file twice then, once before the compaction and once behind it.
 */
import type { Line } from "../lines.ts";
import { messageOf } from "./branch.ts";

const KEPT_MARK = /\n\n\[precis: the next (\d+) messages are kept as they were\]$/;

export function withKeptMark(text: string, count: number): string {
  if (count === 0) return text;
  return `${text}\n\n[precis: the next ${count} messages are kept as they were]`;
}

/** For a reader of the whole history, which has them from before the compaction. */
export function withoutKept(lines: readonly Line[]): readonly Line[] {
  let left = 0;
  return lines.filter((line) => {
    const { type } = line.record;
    if (type !== "user" && type !== "assistant") return true;
    if (left > 0) {
      left--;
      return false;
    }
    const content = messageOf(line)?.["content"];
    if (typeof content === "string") left = Number(KEPT_MARK.exec(content)?.[1] ?? 0);
    return true;
  });
}
