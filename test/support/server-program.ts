/** A program that serves on a port of its own: started, waited for until it answers, and ended with the test. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { atEnd } from "../gateway/support/standing.ts";

const POLL_MS = 250;
const OUTPUT_CHARS_MAX = 4_000;

export interface ServerProgram {
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  /** An address that answers well once it is up. */
  readonly ready: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly startMsMax: number;
}

export async function startServer(program: ServerProgram): Promise<void> {
  const { name, command, words, folder, environment, ready, headers = {}, startMsMax } = program;
  const child = spawn(command, words, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk: Buffer) => (output += String(chunk)));
  const ended = once(child, "exit");
  atEnd(async () => {
    child.kill();
    await ended;
  });
  const until = performance.now() + startMsMax;
  while (!(await fetch(ready, { headers }).catch(() => undefined))?.ok) {
    if (child.exitCode !== null || performance.now() > until)
      throw new Error(`${name} did not start:\n${output.slice(-OUTPUT_CHARS_MAX)}`);
    await pause(POLL_MS);
  }
}
