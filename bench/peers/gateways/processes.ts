/** The other gateways, started as their packages say, in processes of their own, with a home of their own. */
import { spawn } from "node:child_process";
import { mkdirSync, openSync, closeSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../../test/support/free-port.ts";
import { running, type Running } from "../../gateway/processes.ts";

const MODULES = join(import.meta.dirname, "..", "node_modules");
const PORTKEY = "@portkey-ai/gateway/build/start-server.js";
const ROUTER = "@musistudio/claude-code-router/dist/cli.js";
const READY_WITHIN_MS = 20_000;
const POLL_MS = 100;

/** Of a provider that it hands requests to as they are, and of one whose Chat API it translates to. */
export const ROUTER_MODELS = { passing: "passing,bench", translating: "translating,bench" } as const;

export async function startPortkey(folder: string): Promise<Running> {
  const port = await freePort();
  return started([PORTKEY, `--port=${port}`, "--headless"], { port, folder });
}

/** What Portkey wants to know with each request. */
export function portkeyHeaders(upstream: string): Readonly<Record<string, string>> {
  return { "x-portkey-provider": "openai", "x-portkey-custom-host": `${upstream}/v1` };
}

export async function startRouter(upstream: string, folder: string): Promise<Running> {
  const port = await freePort();
  const home = join(folder, ".claude-code-router");
  mkdirSync(home, { recursive: true });
  const provider = { api_key: "bench", models: ["bench"] };
  const config = {
    PORT: port,
    HOST: "127.0.0.1",
    LOG: false,
    NON_INTERACTIVE_MODE: true,
    Providers: [
      { ...provider, name: "translating", api_base_url: `${upstream}/v1/chat/completions` },
      {
        ...provider,
        name: "passing",
        api_base_url: `${upstream}/v1/messages`,
        transformer: { use: ["Anthropic"] },
      },
    ],
    Router: { default: ROUTER_MODELS.translating },
  };
  writeFileSync(join(home, "config.json"), JSON.stringify(config));
  return started([ROUTER, "start"], { port, folder });
}

async function started(
  [script, ...words]: readonly string[],
  { port, folder }: { readonly port: number; readonly folder: string },
): Promise<Running> {
  const log = openSync(join(folder, `${port}.log`), "w");
  const child = spawn(process.execPath, [join(MODULES, script!), ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, NODE_ENV: "production" },
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const url = `http://127.0.0.1:${port}`;
  const untilMs = performance.now() + READY_WITHIN_MS;
  while (!(await answers(url))) {
    if (child.exitCode === null && performance.now() < untilMs) {
      await pause(POLL_MS);
      continue;
    }
    child.kill();
    throw new Error(`${script} did not start`);
  }
  return running(child, url);
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.arrayBuffer();
  return response !== undefined;
}
