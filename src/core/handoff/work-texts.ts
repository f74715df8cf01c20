/** How calls, checks and errors of the ledger are put into words, in whichever section they stand. */
import type { ActionEntry, CommandEntry, ErrorEntry, FileEntry, Ledger } from "../ledger/ledger.ts";
import { belowRoot } from "./root.ts";
import { clipped, DASH } from "./items.ts";
import type { HandoffMaterial } from "./material.ts";

export const TARGET_CHARS_MAX = 140;

const OUTCOME_CHARS_MAX = 160;
const ERROR_CHARS_MAX = 320;

/** Far more than is shown, so that nothing is cut before it was redacted. */
const COMMAND_CHARS_READ_MAX = 2_000;

/** What was acted on, redacted before anything is cut from it. A target that was cut already loses its torn last word. */
export function targetOf({ action, text, target, purpose }: ActionEntry, redact: (text: string) => string): string {
  if (action !== "run") return redact(withoutTornWord(target));
  const command = redact(text.slice(0, COMMAND_CHARS_READ_MAX)).replace(CHANGES_FOLDER, "");
  return (purpose === "check" ? withoutPaging(command) : command).replace(/\s+/g, " ");
}

function withoutTornWord(text: string): string {
  return text.endsWith("…") ? text.replace(/\S*…$/, "…") : text;
}

const CHANGES_FOLDER = /^\s*cd\s+[^\s;&|]+\s*(?:&&|;|\n)\s*(?=\S)/;

/** How much of a check's output was looked at is of no interest afterwards. */
function withoutPaging(command: string): string {
  return command.replace(/\s*\|\s*(?:tail|head)\s+(?:-n\s*)?-?\d+\s*$/, "").replace(/\s*2>&1\s*$/, "");
}

export function oneLine(text: string): string {
  return clipped(text.replace(/\s+/g, " "), OUTCOME_CHARS_MAX);
}

export function checkOutcome(
  { ok, passed, failed, failing, outcome }: CommandEntry,
  namesMax: number,
  redact: (text: string) => string,
): string {
  if (failing.length > 0) {
    const more = failing.length - namesMax;
    const counts = `${failed ?? failing.length} failed${passed === undefined ? "" : `, ${passed} passed`}`;
    return `${counts}: ${redact(namesOf(failing.slice(0, namesMax)).join(", "))}${more > 0 ? ` and ${more} more` : ""}`;
  }
  const counted = passed !== undefined && (failed ?? 0) === 0 && passed > 1 ? `${passed} passed` : undefined;
  return counted ?? oneLine(redact(outcome ?? (ok === true ? "ok" : ok === false ? "failed" : "")));
}

/** The first name in full; what the others share with it, up to the last separator, goes without saying. */
function namesOf(names: readonly string[]): readonly string[] {
  const file = /^.*(?:::|[/>])/.exec(names[0] ?? "")?.[0] ?? "";
  return names.map((name, at) => (at > 0 && name.startsWith(file) ? name.slice(file.length) : name));
}

/** Names of failing tests that one check lists: more where the handoff is larger. */
export const FAILING_NAMES_MIN = 4;

export function errorText(
  { ledger, redact }: HandoffMaterial,
  { text, source, changedSince, tool }: ErrorEntry,
): string {
  const after = changedSince === undefined ? "" : " (files changed since, not run again)";
  const tried = clipped(redact(belowRoot(withoutTornWord(source), ledger)), TARGET_CHARS_MAX);
  return `${clipped(redact(text), ERROR_CHARS_MAX)}${DASH}${tried}${after} [tool: ${tool}]`;
}

export function uncommitted({ files, committed }: Ledger): readonly FileEntry[] {
  return committed === undefined ? [] : files.filter(({ changed }) => changed !== undefined && changed > committed);
}
