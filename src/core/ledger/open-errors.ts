/** Errors that calls have met, each until the same attempt succeeds or what it was about is gone. */
import type { ErrorEntry } from "./entries.ts";
import { amends, installing } from "./readers/corrected-calls.ts";
import { deletes, type ClassifiedCall } from "./readers/commands.ts";
import { isCallOf } from "./readers/misuse.ts";
import { CONFLICTS, type CallResult } from "./readers/results.ts";
import { stepsToRepeat, takesSteps } from "./readers/steps.ts";
import { createReports } from "./reports.ts";

/** How a call ended, by message `at`. */
type EndedCall = Pick<CallResult, "ok" | "errors" | "reports" | "usageOf"> & {
  readonly at: number;
  /** The message that made the call. */
  readonly called: number;
};

/** More unresolved errors than this are noise; the oldest go. */
const OPEN_ERRORS_MAX = 200;

export interface OpenErrors {
  readonly after: (call: ClassifiedCall, end: EndedCall, changed: boolean) => void;
  readonly entries: () => readonly ErrorEntry[];
  /** Results that reported errors of runs that did not fail, as far as is known, where the same was run again without any. */
  readonly outdated: () => readonly number[];
}

interface OpenError {
  /** What has to succeed for the error to be gone. */
  readonly attempt: string;
  /** Another command that takes all these steps makes it good too. */
  readonly steps: readonly string[];
  readonly call: ClassifiedCall;
  readonly family: string | undefined;
  /** Where the form of the call was wrong: how any other call of the program begins. */
  readonly misuse: string | undefined;
  readonly entry: ErrorEntry;
}

export function createOpenErrors(): OpenErrors {
  // Walked for every call with `forEach`, which makes no pair for each step.
  const open = new Map<string, OpenError>();
  const resolved: ErrorEntry[] = [];
  const reports = createReports();
  const resolve = (key: string, { entry }: OpenError, message: number, by: "rerun" | "success"): void => {
    open.delete(key);
    resolved.push({ ...entry, resolved: { message, by } });
  };
  const worked = (call: ClassifiedCall, { at, reports: unclear }: EndedCall): void => {
    const attempt = attemptOf(call);
    const family = call.run?.family;
    const takes = unclear === undefined ? takesSteps(call.command) : never;
    open.forEach((one, key) => {
      if (one.attempt === attempt || takes(one.steps)) {
        resolve(key, one, at, "rerun");
        if (one.entry.purpose === "check") reports.explained(one.entry.message);
      } else if (family !== undefined && one.family === family && one.entry.changedSince !== undefined)
        resolve(key, one, at, "success");
    });
  };
  const failed = (call: ClassifiedCall, end: EndedCall): void => {
    const attempt = attemptOf(call);
    open.forEach((one, key) => {
      if (one.attempt === attempt && !end.errors.includes(one.entry.text)) resolve(key, one, end.at, "rerun");
    });
    for (const text of end.errors) {
      const key = `${attempt}\u0000${text}`;
      const times = (open.get(key)?.entry.times ?? 0) + 1;
      open.delete(key);
      open.set(key, openError(call, end, { attempt, text, times }));
    }
    while (open.size > OPEN_ERRORS_MAX) open.delete(open.keys().next().value!);
  };
  return {
    after: (call, end, changed) => {
      if (end.ok === false && tries(call)) failed(call, end);
      else if (end.ok === true) worked(call, end);
      reports.after(call, end);
      if (end.ok !== false) {
        const ends = endedBy(call, end);
        open.forEach((one, key) => {
          if (ends(one)) resolve(key, one, end.at, "success");
        });
      }
      if (changed && end.ok !== false)
        open.forEach((one, key) => {
          if (one.entry.changedSince === undefined)
            open.set(key, { ...one, entry: { ...one.entry, changedSince: end.at } });
        });
    },
    outdated: reports.outdated,
    entries: () =>
      [...resolved, ...[...open.values()].map(({ entry }) => entry)].toSorted((a, b) => a.message - b.message),
  };
}

function never(): boolean {
  return false;
}

/**
 * A commit ends a merge, and no error is left in a file that is gone. A mistyped call blocks nothing once the program
 * was called otherwise, whatever it showed but how it wants to be called.
 */
function endedBy(call: ClassifiedCall, { usageOf, ok, called }: EndedCall): (error: OpenError) => boolean {
  const { command, run } = call;
  const commits = run?.purpose === "commit";
  const gone = run?.effect === "delete" ? call.paths.filter((path) => deletes(command!, path)).map(lastParts) : [];
  const [isAmended, installs] = ok === true ? [amends(call), installing(command)] : [never, never];
  return ({ call: former, misuse, entry: { text, message } }) =>
    (message < called && isAmended(former, text)) ||
    installs(text) ||
    (misuse !== undefined && command !== undefined && usageOf === undefined && isCallOf(command, misuse)) ||
    (commits && text.startsWith(CONFLICTS)) ||
    gone.some((path) => text.includes(path));
}

/** A path as a compiler that runs in another folder may name it. */
function lastParts(path: string): string {
  return path.split("/").slice(-2).join("/");
}

function openError(
  call: ClassifiedCall,
  { at, usageOf }: EndedCall,
  { attempt, text, times }: { readonly attempt: string; readonly text: string; readonly times: number },
): OpenError {
  return {
    attempt,
    steps: call.command === undefined ? [] : stepsToRepeat(call.command, text),
    call,
    family: call.run?.family,
    misuse: usageOf,
    entry: errorEntry(call, { message: at, text, times }),
  };
}

function errorEntry(
  { target, tool, run }: ClassifiedCall,
  place: Pick<ErrorEntry, "message" | "text" | "times">,
): ErrorEntry {
  const purpose = run === undefined ? {} : { purpose: run.purpose };
  return { kind: "error", source: target, tool, ...purpose, ...place };
}

/** A search that finds nothing, a file that is not there: looking around fails all the time and blocks nothing. */
function tries(call: ClassifiedCall): boolean {
  return (
    call.action !== "read" &&
    call.action !== "search" &&
    call.action !== "list" &&
    call.action !== "plan" &&
    call.action !== "ask"
  );
}

/** An edit that did not match is made good by any later edit of that file; a run, by the same command; a delegation, by the next. */
function attemptOf(call: ClassifiedCall): string {
  switch (call.action) {
    case "edit":
    case "write":
      return `change ${call.paths[0] ?? call.target}`;
    case "delegate":
      return call.tool;
    default:
      return `${call.tool} ${runKey(call)}`;
  }
}

/** Calls of one key are the same command run again, wherever it ran; a long one is distinguished by all its words. */
export function runKey({ command, target }: ClassifiedCall): string {
  return command !== undefined && target.endsWith("…") ? command : target;
}
