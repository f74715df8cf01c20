/** The upstream and the gateway, each in a process of its own as they are in life. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../test/support/free-port.ts";

export interface Running {
  readonly url: string;
  readonly pid: number;
  /** Resident memory, in megabytes of a million bytes. */
  readonly residentMb: () => number;
  readonly stop: () => Promise<void>;
}

const ROOT = join(import.meta.dirname, "../..");
/** As it is installed: built, because Node reads TypeScript with a compiler that takes memory of its own. */
const COMMAND = join(ROOT, "dist/cli/bin.js");
/** Larger than any body here: nothing is compacted. */
const WINDOW_TOKENS = 10_000_000;
const READY_WITHIN_MS = 20_000;
const POLL_MS = 50;
const KB_PER_MB = 1_000 / 1.024;

export function startUpstream(): Promise<Running> {
  return startScript("upstream.ts");
}

export function startBareProxy(upstream: string): Promise<Running> {
  return startScript("bare.ts", upstream);
}

/** A script beside this one that prints its address. */
async function startScript(name: string, ...words: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, [join(import.meta.dirname, name), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return running(child, url);
}

export interface GatewayOptions {
  /** In place of those that the measurements of one gateway use. */
  readonly flags?: Readonly<Record<string, string | number>>;
  /** Arguments of Node's own. */
  readonly nodeFlags?: readonly string[];
  /** The command; as built, where not given. */
  readonly command?: string;
}

/** `precis serve` with a history of its own in `folder`. */
export async function startGateway(upstream: string, folder: string, options: GatewayOptions = {}): Promise<Running> {
  const { nodeFlags = [], command = COMMAND } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const store = join(folder, `${port}.db`);
  const flags = { upstream, port, store, "context-length": WINDOW_TOKENS, ...options.flags };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  // A log that goes to a file, a line a request, as in life.
  const log = openSync(join(folder, `${port}.log`), "w");
  const child = spawn(process.execPath, [...nodeFlags, command, "serve", "--json", ...words], {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, NODE_ENV: "production" },
    stdio: ["ignore", log, "inherit"],
  });
  closeSync(log);
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) throw new Error("precis serve did not start");
    await pause(POLL_MS);
  }
  return running(child, url);
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/_precis/ready`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok === true;
}

/** A process that has been started, and answers there. */
export function running(child: ChildProcess, url: string): Running {
  return {
    url,
    pid: child.pid!,
    residentMb: () =>
      Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" })) / KB_PER_MB,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}
