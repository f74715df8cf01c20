/** What a measurement runs on: an upstream, a history, and gateways in front of them, each a process of its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCaller, type Caller } from "../gateway/caller.ts";
import { startGateway, startUpstream, type GatewayOptions, type Running } from "../gateway/processes.ts";
import { postgresHistory, sqliteHistory, type History } from "./history.ts";
import { processorMs } from "./processes.ts";

export interface StageOptions {
  readonly gateways: number;
  readonly store: "postgres" | "sqlite";
  readonly windowTokens: number;
  /** More flags of `precis serve`. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly gateway?: Pick<GatewayOptions, "nodeFlags" | "command">;
  /** Files in the folder in which the gateways run. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Processor time used so far, in milliseconds, by whose it is. */
export interface Used {
  readonly client: number;
  readonly upstream: number;
  readonly gateway: number;
  readonly database: number;
}

export interface Stage {
  readonly folder: string;
  readonly upstream: Running;
  readonly gateways: readonly Running[];
  readonly history: History;
  /** Straight to the upstream, and one to each gateway. */
  readonly direct: Caller;
  readonly through: readonly Caller[];
  readonly used: () => Promise<Used>;
  readonly close: () => Promise<void>;
}

export async function openStage(options: StageOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "precis-bench-load-"));
  for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(join(folder, name), text);
  const upstream = await startUpstream();
  const history = options.store === "postgres" ? await postgresHistory() : sqliteHistory(join(folder, "history.db"));
  const flags = { store: history.url, "context-length": options.windowTokens, ...options.flags };
  const gateways: Running[] = [];
  for (let at = 0; at < options.gateways; at += 1)
    gateways.push(await startGateway(upstream.url, folder, { ...options.gateway, flags }));
  const direct = createCaller(upstream.url);
  const through = gateways.map(({ url }) => createCaller(url));
  const used = async (): Promise<Used> => {
    const { user, system } = process.cpuUsage();
    return {
      client: (user + system) / 1_000,
      upstream: processorMs(upstream.pid),
      gateway: gateways.reduce((sum, { pid }) => sum + processorMs(pid), 0),
      database: (await history.cost()).processorMs,
    };
  };
  const close = async (): Promise<void> => {
    for (const caller of [direct, ...through]) caller.close();
    for (const gateway of gateways) await gateway.stop();
    await upstream.stop();
    await history.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, upstream, gateways, history, direct, through, used, close };
}

export function usedBetween(before: Used, after: Used): Used {
  return {
    client: after.client - before.client,
    upstream: after.upstream - before.upstream,
    gateway: after.gateway - before.gateway,
    database: after.database - before.database,
  };
}
