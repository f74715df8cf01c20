/** One hook run once: a command that gets the data on its standard input, or an address that gets it as the body of a POST. */
import { spawn, type ChildProcess } from "node:child_process";
import { startTimeLimit, unlessAborted } from "../time-limit.ts";
import { HOOK_LIMITS } from "./contract.ts";

export interface HookRun {
  /** A command line, or an http(s) address. */
  readonly hook: string;
  readonly data: string;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
}

export interface HookFault {
  /** Continues a sentence that begins with the hook. */
  readonly because: string;
  /** What a command wrote to its standard error at last. */
  readonly errorText?: string;
}

/** Undefined where it went well; never rejects. */
export async function runHook(run: HookRun): Promise<HookFault | undefined> {
  const limit = startTimeLimit(run.timeoutMs);
  try {
    return await (isAddress(run.hook) ? posted(run, limit.signal) : executed(run, limit.signal));
  } finally {
    limit.clear();
  }
}

/** Anything else is a command. */
function isAddress(hook: string): boolean {
  return /^https?:\/\//i.test(hook);
}

function tookTooLong(timeoutMs: number): HookFault {
  return { because: `took longer than ${timeoutMs / 1_000} seconds (hooks.timeout_seconds) and was stopped` };
}

/** A redirection is not followed: the data goes where the operator said, and nowhere else. */
async function posted(run: HookRun, signal: AbortSignal): Promise<HookFault | undefined> {
  const headers = { "content-type": "application/json" };
  try {
    const response = await run.fetch(run.hook, {
      method: "POST",
      headers,
      body: run.data,
      redirect: "manual",
      signal,
    });
    await response.body?.cancel();
    return response.ok ? undefined : { because: `answered with status ${response.status}` };
  } catch {
    return signal.aborted ? tookTooLong(run.timeoutMs) : { because: "could not be reached" };
  }
}

/** How long the rest of a command's standard error is waited for once the command has ended. */
const ERROR_TEXT_WAIT_MS = 200;
const CAN_GROUP = process.platform !== "win32";

async function executed(
  { hook, data, timeoutMs, environment }: HookRun,
  signal: AbortSignal,
): Promise<HookFault | undefined> {
  // A group of its own, so that what the shell started ends with it.
  const child = spawn(hook, {
    shell: true,
    detached: CAN_GROUP,
    windowsHide: true,
    env: { ...environment },
    stdio: ["pipe", "ignore", "pipe"],
  });
  let errorText = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => (errorText = (errorText + text).slice(-HOOK_LIMITS.errorChars)));
  child.stderr.on("error", () => undefined);
  const ended = new Promise<HookFault | undefined>((done) => {
    child.on("error", () => done({ because: "could not be started" }));
    const end = (code: number | null, by: NodeJS.Signals | null): void =>
      done(code === 0 ? undefined : { because: endOf(code, by), errorText });
    child.on("close", end);
    // What it left running in the background may hold its standard error open.
    child.on("exit", (code, by) => setTimeout(() => end(code, by), ERROR_TEXT_WAIT_MS));
  });
  // A hook need not read what it is told.
  child.stdin.on("error", () => undefined);
  child.stdin.end(data);
  const fault = await unlessAborted(signal, ended, () => tookTooLong(timeoutMs));
  if (signal.aborted) kill(child);
  child.stderr.destroy();
  child.stdin.destroy();
  return fault;
}

function endOf(code: number | null, by: NodeJS.Signals | null): string {
  return code === null ? `was ended by ${by ?? "a signal"}` : `exited with code ${code}`;
}

function kill(child: ChildProcess): void {
  try {
    if (CAN_GROUP && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
