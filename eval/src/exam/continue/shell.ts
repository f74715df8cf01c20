/** Commands of a person, run by a shell: an agent, or a check. They end with everything that they started. */
import { spawn } from "node:child_process";
import type { Readable } from "node:stream";

/** Of what a command prints, the end is kept. */
const OUTPUT_CHARS_MAX = 200_000;

export interface ShellRequest {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly timeoutMs: number;
}

export interface ShellResult {
  /** Undefined where it was ended: by a signal, or after its time. */
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
  readonly timedOut: boolean;
}

export async function runShell(command: string, request: ShellRequest): Promise<ShellResult> {
  const { folder, environment, input = "", timeoutMs } = request;
  const own = process.platform !== "win32";
  const child = spawn(command, { shell: true, cwd: folder, env: environment, detached: own });
  let timedOut = false;
  const end = (): void => {
    timedOut = true;
    // A group of its own, so that what the command started ends with it.
    if (own && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  };
  const timer = setTimeout(end, timeoutMs);
  const [out, err] = [endOf(child.stdout), endOf(child.stderr)];
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    return { code: code ?? undefined, out: out(), err: err(), timedOut };
  } finally {
    clearTimeout(timer);
  }
}

function endOf(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => (text = (text + chunk).slice(-OUTPUT_CHARS_MAX)));
  return () => text;
}

/** A path as one word of a shell. */
export function quoted(path: string): string {
  return process.platform === "win32" ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`;
}
