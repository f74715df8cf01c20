/** Whether the state of the work is complex enough that `auto` asks the main model first (reference/002 §25.8). */
import type { Ledger } from "../../evidence/ledger.ts";

const CHANGED_FILES_MIN = 12;
const STANDING_ERRORS_MIN = 3;
const FAILING_CHECKS_MIN = 2;

/** What makes it so, in words; nothing where it is not. */
export function complexityOf({ files, errors, commands }: Ledger): string | undefined {
  const changed = files.filter((file) => file.changed !== undefined).length;
  const standing = errors.filter(({ resolved }) => resolved === undefined).length;
  const failing = commands.filter(({ purpose, ok }) => purpose === "check" && ok === false).length;
  const signs = [
    ...(changed >= CHANGED_FILES_MIN ? [`${changed} files were changed`] : []),
    ...(standing >= STANDING_ERRORS_MIN ? [`${standing} errors stand`] : []),
    ...(failing >= FAILING_CHECKS_MIN ? [`${failing} checks fail`] : []),
  ];
  return signs.length === 0 ? undefined : signs.join(", ");
}
