/** `precis worker` as a process of its own, as an operator starts it, so that it can be killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { atEnd } from "./standing.ts";

export interface Working {
  /** The JSON lines that it has logged. */
  readonly events: () => readonly Readonly<Record<string, unknown>>[];
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
}

export interface WorkingOptions {
  /** Configuration and data are here. */
  readonly folder: string;
  readonly store: string;
  readonly flags?: Readonly<Record<string, string>>;
}

const COMMAND = join(import.meta.dirname, "../../../src/cli/bin.ts");
/** A machine that is busy with other tests may take long to start a process. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 25;

export async function work({ folder, store, flags = {} }: WorkingOptions): Promise<Working> {
  const words = Object.entries({ store, ...flags }).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [COMMAND, "worker", "--json", ...words], {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (errors += chunk.toString()));
  const ended = once(child, "exit");
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  const kill = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    if (alive()) child.kill(signal);
    await ended;
  };
  atEnd(() => kill());
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (!output.includes('"working"')) {
    if (!alive() || performance.now() > deadlineMs) throw new Error(`precis worker did not start:\n${output}${errors}`);
    await pause(POLL_MS);
  }
  const events = () =>
    output
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return { events, kill };
}
