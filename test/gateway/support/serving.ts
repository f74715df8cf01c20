/** `precis serve` as a process of its own, as an operator starts it, so that it can be killed and weighed. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../support/free-port.ts";
import { atEnd } from "./standing.ts";

export interface Serving {
  readonly url: string;
  /** Everything it has written to standard output and standard error. */
  readonly output: () => string;
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>;
  readonly alive: () => boolean;
  readonly residentMb: () => number;
}

export interface ServingOptions {
  readonly upstream: string;
  /** Configuration, data and history are here. */
  readonly folder: string;
  readonly port?: number;
  readonly flags?: Readonly<Record<string, string>>;
  /** False where it is enough that it answers; default true. */
  readonly ready?: boolean;
  /** The checkout that it runs from; this one by default. */
  readonly root?: string;
}

const ROOT = join(import.meta.dirname, "../../..");
/** A machine that is busy with other tests may take long to start a process. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 25;
const KB_PER_MB = 1_024;

export async function serve(options: ServingOptions): Promise<Serving> {
  const { upstream, folder, port, flags = {}, ready = true, root = ROOT } = options;
  const own = port ?? (await freePort());
  const url = `http://127.0.0.1:${own}`;
  const all = { upstream, port: String(own), store: join(folder, "history.db"), ...flags };
  const words = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [join(root, "src/cli/bin.ts"), "serve", ...words], {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const pipe of [child.stdout, child.stderr])
    pipe.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  const ended = once(child, "exit");
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  const kill = async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
    if (alive()) child.kill(signal);
    await ended;
  };
  atEnd(() => kill());
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (!(await answers(url, ready ? "ready" : "health"))) {
    if (!alive() || performance.now() > deadlineMs) throw new Error(`precis serve did not start:\n${output}`);
    await pause(POLL_MS);
  }
  const residentMb = (): number =>
    Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" })) / KB_PER_MB;
  return { url, output: () => output, kill, alive, residentMb };
}

async function answers(url: string, what: "ready" | "health"): Promise<boolean> {
  const response = await fetch(`${url}/_precis/${what}`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok === true;
}
