/**
 * `npm run e2e:hosts [-- NAME…]`: agents live through a long task with precis inside, and once more with their own compaction
 * alone, for comparison. The strict provider is right behind them. Ends with 1 where anything did not hold.
 */
import { parseArgs } from "node:util";
import { findInstalled, installAll } from "../install.ts";
import { bringUpLoopback, goInside, hasNamespaces, isInside } from "../namespace.ts";
import { claudeCodeHost } from "./claude-code.ts";
import { claudeInsideHost } from "./claude-inside.ts";
import { CLAUDE_PLUGIN, claudeCode, runClaudePlugin, type PluginVerdict } from "./claude-plugin.ts";
import { dshHost } from "./dsh.ts";
import { hermesHost } from "./hermes.ts";
import type { Host } from "./host.ts";
import { openClawHost } from "./openclaw.ts";
import { openCodeHost } from "./opencode.ts";
import { piHost } from "./pi.ts";
import { faultsOf, runHostTrial, type HostVerdict } from "./trial.ts";

const HOSTS: readonly Host[] = [
  claudeCodeHost,
  claudeInsideHost,
  openCodeHost,
  piHost,
  dshHost,
  hermesHost,
  openClawHost,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, keep: { type: "boolean", default: false } },
});
const onEvent = (message: string): void => void process.stderr.write(`${message}\n`);

function chosen(): readonly Host[] {
  const known = [...HOSTS.map(({ name }) => name), CLAUDE_PLUGIN];
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no host ${unknown.join(", ")}; there are ${known.join(", ")}`);
  return positionals.length === 0 ? HOSTS : HOSTS.filter(({ name }) => positionals.includes(name));
}

function withPlugin(): boolean {
  return positionals.length === 0 || positionals.includes(CLAUDE_PLUGIN);
}

async function runAll(): Promise<number> {
  bringUpLoopback();
  const verdicts: HostVerdict[] = [];
  for (const host of chosen()) {
    const done = await findInstalled(host.client);
    if (done.kind === "missing") continue;
    for (const inside of [true, false])
      verdicts.push(await runHostTrial(host, { installed: done.folder, inside, keep: values.keep, onEvent }));
  }
  const plugin: PluginVerdict[] = [];
  const claude = withPlugin() ? await findInstalled(claudeCode) : undefined;
  if (claude?.kind === "installed")
    for (const inside of [true, false]) plugin.push(await runClaudePlugin(claude.folder, inside));
  if (values.json) process.stdout.write(`${JSON.stringify([...verdicts, ...plugin])}\n`);
  else process.stdout.write([...verdicts.map(lineOf), ...plugin.map(pluginLine)].join(""));
  const faults = [...verdicts.flatMap(faultsOf), ...plugin.flatMap((verdict) => verdict.faults)];
  return faults.length > 0 ? 1 : 0;
}

function lineOf(verdict: HostVerdict): string {
  const { host, inside, turns, refused, handoffs, summaries, found, asked, withRule, heldOff } = verdict;
  const faults = faultsOf(verdict);
  const figures = [
    `${turns} turns, ${refused} refused, ${handoffs} handoffs, ${summaries} summaries by a model`,
    `${found} of ${asked} lines found, the rule in ${withRule} turns`,
    ...(heldOff === undefined ? [] : [`its own compaction held off ${heldOff} times`]),
    `largest request ${verdict.largestTokens} of ${verdict.windowTokens} tokens`,
  ].join(", ");
  return `${host}, ${inside ? "with precis inside" : "alone"}: ${figures}${faults.map((fault) => `\n  FAULT ${fault}`).join("")}\n`;
}

function pluginLine({ inside, ruleAfter, toolsOffered, faults }: PluginVerdict): string {
  const figures = `rule after a compaction: ${ruleAfter ? "yes" : "no"}, tools for recall: ${toolsOffered ? "yes" : "no"}`;
  return `${claudeCode.title} ${claudeCode.version}, ${inside ? "with our plugin" : "alone"}: ${figures}${faults.map((fault) => `\n  FAULT ${fault}`).join("")}\n`;
}

async function main(): Promise<number> {
  if (isInside()) return runAll();
  if (!hasNamespaces()) {
    onEvent("Skipped: agents run only where a network of their own can be had (Linux, unshare -rn).");
    return 0;
  }
  const clients = [...chosen().map(({ client }) => client), ...(withPlugin() ? [claudeCode] : [])];
  await installAll(clients, onEvent);
  return goInside();
}

process.exitCode = await main();
