/**
 * `npm run e2e:clients [-- NAME…]`: Claude Code, Codex, Gemini CLI, OpenCode and pi each live through a long task behind the gateway,
 * in a network that has nothing else in it. Says what happened, and ends with 1 where anything did not hold. With `--own`
 * the clients' own compactions come first, and the gateway has to let them through. `threads` is a run of its own, with
 * Anthropic's SDK and message threads, and `tool-search` another, which measures what Claude Code's search for tools saves. `status-line` reads `precis statusline` from Claude Code's screen; with
 * `--record` it writes docs/status-line.txt. `bill` runs only when it is named: it compares what Claude Code's sessions cost with
 * the gateway and without it, which takes some ten minutes.
 */
import { parseArgs } from "node:util";
import { BILL, billText, runBill } from "./bill.ts";
import { claudeCode } from "./claude-code.ts";
import type { Client } from "./client.ts";
import { codex } from "./codex.ts";
import { geminiCli } from "./gemini-cli.ts";
import { findInstalled, installAll } from "./install.ts";
import { bringUpLoopback, goInside, hasNamespaces, isInside } from "./namespace.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { runStatusLine, STATUS_LINE, statusLineText } from "./status-line.ts";
import { tableOf } from "./table.ts";
import { runThreads, THREADS, threadsLine } from "./threads.ts";
import { runToolSearch, TOOL_SEARCH, toolSearchLine } from "./tool-search.ts";
import { runTrial } from "./trial.ts";
import { judge, type Verdict } from "./verdict.ts";

const CLIENTS: readonly Client[] = [claudeCode, codex, geminiCli, opencode, pi];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    own: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});

const onEvent = (message: string): void => void process.stderr.write(`${message}\n`);

function chosen(): readonly Client[] {
  const known = [...CLIENTS.map(({ name }) => name), THREADS, TOOL_SEARCH, STATUS_LINE, BILL];
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no client ${unknown.join(", ")}; there are ${known.join(", ")}`);
  return positionals.length === 0 ? CLIENTS : CLIENTS.filter(({ name }) => positionals.includes(name));
}

/** A run beside the clients' task; no client compacts anything of its own there. */
function isChosen(name: typeof THREADS | typeof TOOL_SEARCH | typeof STATUS_LINE): boolean {
  return !values.own && (positionals.length === 0 || positionals.includes(name));
}

const billIsChosen = (): boolean => !values.own && positionals.includes(BILL);

/** Outside: the registry can be reached. */
async function installChosen(): Promise<void> {
  const needed = new Set([
    ...chosen(),
    ...(isChosen(TOOL_SEARCH) || isChosen(STATUS_LINE) || billIsChosen() ? [claudeCode] : []),
  ]);
  await installAll([...needed], onEvent);
}

async function runAll(): Promise<number> {
  bringUpLoopback();
  const verdicts: Verdict[] = [];
  for (const client of chosen()) {
    const done = await findInstalled(client);
    if (done.kind === "missing") continue;
    const trial = await runTrial(client, { installed: done.folder, onEvent, keep: values.keep, own: values.own });
    verdicts.push(judge(trial));
  }
  const threads = isChosen(THREADS) ? [await runThreads()] : [];
  const searched = isChosen(TOOL_SEARCH) ? await runToolSearch() : undefined;
  const searches = searched === undefined ? [] : [searched];
  const watched = isChosen(STATUS_LINE) ? await runStatusLine({ record: values.record }) : undefined;
  const screens = watched === undefined ? [] : [watched];
  const billed = billIsChosen() ? await runBill(onEvent) : undefined;
  const bills = billed === undefined ? [] : [billed];
  const all = [...verdicts, ...threads, ...searches, ...screens, ...bills];
  if (values.json) process.stdout.write(`${JSON.stringify(all)}\n`);
  else
    process.stdout.write(
      [
        verdicts.length === 0 ? "" : tableOf(verdicts),
        ...threads.map(threadsLine),
        ...searches.map(toolSearchLine),
        ...screens.map(statusLineText),
        ...bills.map(billText),
      ].join(""),
    );
  return all.some(({ faults }) => faults.length > 0) ? 1 : 0;
}

async function main(): Promise<number> {
  if (isInside()) return runAll();
  if (!hasNamespaces()) {
    onEvent("Skipped: clients run only where a network of their own can be had (Linux, unshare -rn).");
    return 0;
  }
  await installChosen();
  return goInside();
}

process.exitCode = await main();
