/** Whether the state of the work is complex enough that `auto` asks the main model first (Zhang 2026, section 25.8). */
import type { Ledger } from "../../ledger/ledger.ts";

/** Any of these makes a state complex. */
export const COMPLEX_FROM = { changedFiles: 12, standingErrors: 3, failingChecks: 2 } as const;

/** What makes it so, in words; nothing where it is not. */
export function complexityOf({ files, errors, commands }: Ledger): string | undefined {
  const changed = files.filter((file) => file.changed !== undefined).length;
  const standing = errors.filter(({ resolved }) => resolved === undefined).length;
  const failing = commands.filter(({ purpose, ok }) => purpose === "check" && ok === false).length;
  const signs = [
    ...(changed >= COMPLEX_FROM.changedFiles ? [`${changed} files were changed`] : []),
    ...(standing >= COMPLEX_FROM.standingErrors ? [`${standing} errors stand`] : []),
    ...(failing >= COMPLEX_FROM.failingChecks ? [`${failing} checks fail`] : []),
  ];
  return signs.length === 0 ? undefined : signs.join(", ");
}
