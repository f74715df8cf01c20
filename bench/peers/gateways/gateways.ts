/** Starts every gateway, asks them all, and ends what it started. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBareProxy, startGateway, startUpstream, type Running } from "../../gateway/processes.ts";
import { installed, isAbsent, orAbsent, type Absent } from "../load.ts";
import { startPortkey, startRouter } from "./processes.ts";
import { gatewayRows, type GatewayRow } from "./rows.ts";

export interface Gateways {
  readonly versions: readonly string[];
  readonly absent: readonly Absent[];
  readonly rows: readonly GatewayRow[];
  /** Resident memory after all calls, in megabytes of a million bytes. */
  readonly residentMb: Readonly<Record<string, number>>;
}

const PORTKEY = "@portkey-ai/gateway";
const ROUTER = "@musistudio/claude-code-router";

export async function gateways(blocks: number): Promise<Gateways> {
  const folder = mkdtempSync(join(tmpdir(), "precis-bench-peers-"));
  const running: Running[] = [];
  const keep = async (starting: Promise<Running>): Promise<Running> => {
    const started = await starting;
    running.unshift(started);
    return started;
  };
  try {
    const upstream = await keep(startUpstream());
    const bare = await keep(startBareProxy(upstream.url));
    const precis = await keep(startGateway(upstream.url, folder));
    const versions: string[] = [];
    const startedOr = (name: string, from: string, start: () => Promise<Running>): Promise<Running | Absent> =>
      orAbsent(name, async () => {
        const version = installed(from);
        const started = await keep(start());
        versions.push(version);
        return started;
      });
    const portkey = await startedOr("Portkey", PORTKEY, () => startPortkey(folder));
    const router = await startedOr("claude-code-router", ROUTER, () => startRouter(upstream.url, folder));
    const there = { portkey: present(portkey), router: present(router) };
    const rows = await gatewayRows({ upstream, bare, precis, ...there }, blocks);
    const named = { precis, Portkey: there.portkey, "claude-code-router": there.router };
    return {
      versions,
      absent: [portkey, router].filter(isAbsent),
      rows,
      residentMb: Object.fromEntries(
        Object.entries(named).flatMap(([name, one]) => (one === undefined ? [] : [[name, one.residentMb()]])),
      ),
    };
  } finally {
    for (const one of running) await one.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function present(started: Running | Absent): Running | undefined {
  return isAbsent(started) ? undefined : started;
}
