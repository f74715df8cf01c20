/** One process that runs the Python peers, a request and an answer a line, with a home of its own and no way out of this machine. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Native } from "../compaction/contestant.ts";
import { pythonOfPeers } from "./environment.ts";

export interface PythonPeer {
  /** `package version`, as installed. */
  readonly from: string;
  readonly compact: (request: Readonly<Record<string, unknown>>) => Promise<Native>;
  /** Milliseconds so far that went into reaching it: all but the time of its own calls. */
  readonly crossedMs: () => number;
}

interface Answer {
  readonly version?: string;
  readonly messages?: Native;
  readonly ms?: number;
  readonly error?: string;
}

type Ask = (request: object) => Promise<Answer>;

let worker: Ask | undefined;

/** By its name in serve.py. */
export async function pythonPeer(peer: string): Promise<PythonPeer> {
  const ask = (worker ??= startWorker());
  const { version } = await ask({ peer });
  let crossedMs = 0;
  return {
    from: version!,
    compact: async (request) => {
      const startMs = performance.now();
      const { messages, ms } = await ask({ peer, ...request });
      crossedMs += performance.now() - startMs - ms!;
      return messages!;
    },
    crossedMs: () => crossedMs,
  };
}

/** Where nothing listens: what a peer would fetch from elsewhere fails at once. */
const NO_WAY_OUT = "http://127.0.0.1:9";

function startWorker(): Ask {
  const home = mkdtempSync(join(tmpdir(), "precis-bench-python-"));
  process.once("exit", () => rmSync(home, { recursive: true, force: true }));
  const child = spawn(pythonOfPeers(), [join(import.meta.dirname, "serve.py")], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      HERMES_HOME: join(home, "hermes"),
      HTTP_PROXY: NO_WAY_OUT,
      HTTPS_PROXY: NO_WAY_OUT,
      NO_PROXY: "127.0.0.1",
      HF_HUB_OFFLINE: "1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  // It ends with its standard input, when this process does; only a request that is under way keeps this one.
  const [input, output] = [child.stdin as Socket, child.stdout as Socket];
  child.unref();
  input.unref();
  output.unref();
  const waiting: ((line: string | undefined) => void)[] = [];
  createInterface({ input: output })
    .on("line", (line) => waiting.shift()?.(line))
    .on("close", () => waiting.splice(0).forEach((end) => end(undefined)));
  return async (request) => {
    output.ref();
    const line = await new Promise<string | undefined>((resolve) => {
      waiting.push(resolve);
      input.write(`${JSON.stringify(request)}\n`);
    });
    if (waiting.length === 0) output.unref();
    const answer: Answer = line === undefined ? { error: "its process ended" } : (JSON.parse(line) as Answer);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  };
}
