/**
 * Where a module does not parse. The error that an import rejects with has no place: Node keeps it for what it prints when
 * an error ends a process. So Node is asked to check the file, and the place is read from what it prints.
 */
import { spawnSync } from "node:child_process";
import { relative } from "node:path";

/** Files that are checked, the last that was loaded first. */
const FILES_CHECKED_MAX = 20;
const CHECK_MS_MAX = 5_000;
/** Node prints the line that does not parse, and a bundle may be a single line. */
const PRINTED_BYTES_MAX = 16_000_000;

const IS_SCRIPT = /\.[cm]?[jt]s$/;

/** File (from `folder` on), line and column of the first of the files that does not parse. */
export function syntaxErrorPlace(files: readonly string[], folder: string): string | undefined {
  const scripts = files.filter((file) => IS_SCRIPT.test(file)).slice(-FILES_CHECKED_MAX);
  for (const file of scripts.toReversed()) {
    const printed = printedFor(file);
    const line = /:(\d+)\s*$/.exec(printed.split("\n", 1)[0]!)?.[1];
    if (line !== undefined) return withColumn(`${relative(folder, file)}:${line}`, printed);
  }
  return undefined;
}

/** Node prints `FILE:LINE`, the line as it is, and a line that points below the place; an error that names its place opens alike. */
export function withColumn(place: string, printed: string): string {
  const at = printed.split("\n", 3)[2]?.indexOf("^") ?? -1;
  return at < 0 ? place : `${place}:${at + 1}`;
}

function printedFor(file: string): string {
  const options = { encoding: "utf8", timeout: CHECK_MS_MAX, maxBuffer: PRINTED_BYTES_MAX } as const;
  const { status, stderr } = spawnSync(process.execPath, ["--check", file], options);
  return status === 0 ? "" : (stderr ?? "");
}
