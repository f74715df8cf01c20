/** Which rows of a Hermes session are sent, which a compaction archived, and which were taken back. */
import { jsonOf, textOf, type Fields } from "../fields.ts";
import type { History, LogNote } from "../log.ts";

export interface Row {
  readonly record: Fields;
  /** Its place, from 1. */
  readonly at: number;
}

/** How Hermes opens a summary, today and before. */
const SUMMARY = /^\s*\[CONTEXT (?:COMPACTION|SUMMARY)/;

export function isSummary(record: Fields): boolean {
  return SUMMARY.test(textOf(record["content"]) ?? "");
}

/** The first form has a mark and the summary; today's opening is part of what the model reads. */
export function summaryText(record: Fields): string {
  return (textOf(record["content"]) ?? "").replace(/^\s*\[CONTEXT SUMMARY\]:\s*/, "");
}

const isArchived = (record: Fields): boolean => record["active"] === 0 && record["compacted"] === 1;
const isSent = (record: Fields): boolean => record["active"] !== 0;

export function historyOf(
  rows: readonly Row[],
  history: History,
): { readonly shown: readonly Row[]; readonly notes: readonly LogNote[] } {
  const archived = rows.filter(({ record }) => isArchived(record));
  const undone = rows.filter(({ record }) => !isSent(record) && !isArchived(record));
  const notes: LogNote[] = [];
  if (undone.length > 0)
    notes.push({ code: "branch_skipped", line: undone[0]!.at, text: `${undone.length} messages were taken back` });
  if (history === "all")
    return { shown: withoutCopies(rows.filter(({ record }) => isSent(record) || isArchived(record))), notes };
  if (archived.length > 0)
    notes.push({
      code: "history_replaced",
      line: archived[0]!.at,
      text: `${archived.length} messages were replaced by a compaction`,
    });
  return { shown: rows.filter(({ record }) => isSent(record)), notes };
}

/** A message that a compaction kept is in the session twice, with the time of the first. */
function keyOf(record: Fields): string {
  return jsonOf(["role", "content", "tool_calls", "tool_call_id", "timestamp"].map((name) => record[name] ?? null));
}

function withoutCopies(rows: readonly Row[]): readonly Row[] {
  const seen = new Set<string>();
  return rows.filter(({ record }) => {
    // Without a time nothing tells a copy from words that were said twice.
    if (record["timestamp"] === undefined) return true;
    const key = keyOf(record);
    return !seen.has(key) && seen.add(key);
  });
}

/** The rows up to a summary, and behind it what the same compaction kept; all before it archived, as they were then. */
export function rowsUpTo(records: readonly Fields[], line: number): readonly Fields[] {
  if (!records.some(isArchived)) return records.slice(0, line);
  const seen = new Set<string>();
  const isCopy = records.map((record) => {
    const key = keyOf(record);
    return seen.has(key) || !seen.add(key);
  });
  let [from, end] = [line - 1, line];
  while (isCopy[from - 1] === true) from--;
  while (isCopy[end] === true) end++;
  return records
    .slice(0, end)
    .filter((record) => isSent(record) || isArchived(record))
    .map((record, at) => ({ ...record, ...(at < from ? { active: 0, compacted: 1 } : { active: 1, compacted: 0 }) }));
}
