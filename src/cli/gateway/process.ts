/** Gateways as processes: where this machine reaches one, one that `precis run` starts for itself, and until when one runs. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PrecisError } from "../../core/errors.ts";
import { LEAN_START } from "./lean-memory.ts";

interface OwnGateway {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const START_WAIT_MS = 30_000;
/** Of what it says when it cannot start, this much is shown. */
const COMPLAINT_CHARS_MAX = 2_000;

/**
 * Starts `precis serve` with these flags on any free port. It has a process group of its own, so that Ctrl-C reaches the client
 * alone, and a channel to this process, so that it ends when this process is gone.
 */
export async function startGateway(flags: readonly string[], environment: NodeJS.ProcessEnv): Promise<OwnGateway> {
  const words = [
    ...LEAN_START.flags,
    ...process.execArgv,
    process.argv[1]!,
    "serve",
    "--json",
    "--port",
    "0",
    ...flags,
  ];
  const child = spawn(process.execPath, words, {
    env: { ...LEAN_START.environment, ...environment },
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let complaint = "";
  child.stderr!.on("data", (chunk) => (complaint = (complaint + String(chunk)).slice(0, COMPLAINT_CHARS_MAX)));
  const url = await firstUrl(child);
  if (url === undefined) {
    child.kill();
    throw notStarted(complaint);
  }
  return {
    url,
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}

/** Its first line says where it listens; the others are read and dropped, so that it never waits for a reader. */
async function firstUrl(child: ChildProcess): Promise<string | undefined> {
  const given = new AbortController();
  const late = AbortSignal.any([given.signal, AbortSignal.timeout(START_WAIT_MS)]);
  child.once("close", () => given.abort());
  const line = await once(createInterface(child.stdout!), "line", { signal: late }).then(
    ([first]) => String(first),
    () => undefined,
  );
  if (line === undefined) return undefined;
  const { url } = JSON.parse(line) as { readonly url?: unknown };
  return typeof url === "string" ? url : undefined;
}

function notStarted(complaint: string): PrecisError {
  return new PrecisError(`the gateway could not be started: ${complaint.trim() || "it said nothing"}`, {
    code: "listen_failed",
    place: "precis serve",
    hint: "Start `precis serve` by itself to see what is wrong.",
  });
}

const ANSWER_WITHIN_MS = 2_000;

/** An address that stands for every address of this machine is none to go to. */
export function gatewayUrl(host: string, port: number): string {
  const reachable = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

export async function isGateway(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const response = await fetch(`${url}/_precis/health`, { signal, redirect: "manual" });
    return ((await response.json()) as { readonly status?: unknown }).status === "ok";
  } catch {
    return false;
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The first interruption; a second one ends the process at once, as it would any other. */
export function interruption(): Promise<void> {
  return new Promise((done) => {
    const interrupted = (): void => {
      for (const signal of SIGNALS) process.off(signal, interrupted);
      done();
    };
    for (const signal of SIGNALS) process.on(signal, interrupted);
    // Started by another process, it ends with that one.
    if (process.connected) process.once("disconnect", interrupted);
    process.channel?.unref();
  });
}
