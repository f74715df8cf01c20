/** `precis serve`, as it is installed: the built program in a process of its own, its log read line by line. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const BIN = join(import.meta.dirname, "..", "dist", "cli", "bin.js");
/** A loaded machine may take its time. */
const START_MS = 60_000;

/** A line of the gateway's JSON log. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface RunningGateway {
  readonly url: string;
  readonly log: readonly LogLine[];
  readonly stop: () => Promise<void>;
}

export interface GatewaySetup {
  readonly upstream: string;
  readonly contextTokens: number;
  /** The store's file. */
  readonly store: string;
  /** A home of its own, so that nobody's settings reach it. */
  readonly home: string;
}

export async function startGateway({ upstream, contextTokens, store, home }: GatewaySetup): Promise<RunningGateway> {
  const flags = ["--port", "0", "--upstream", upstream, "--context-length", String(contextTokens), "--store", store];
  const child = spawn(process.execPath, [BIN, "serve", "--json", ...flags], {
    cwd: home,
    env: { HOME: home, PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: LogLine[] = [];
  let complaints = "";
  child.stderr.on("data", (piece: Buffer) => (complaints += piece.toString("utf8")));
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  const url = await new Promise<string>((done, failed) => {
    const late = setTimeout(() => failed(new Error(`precis serve did not begin: ${complaints}`)), START_MS);
    createInterface({ input: child.stdout }).on("line", (line) => {
      const told = JSON.parse(line) as LogLine;
      log.push(told);
      if (told["event"] !== "listening") return;
      clearTimeout(late);
      done(String(told["url"]));
    });
    child.once("close", (code) => failed(new Error(`precis serve ended with ${code}: ${complaints}`)));
  });
  return {
    url,
    log,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
