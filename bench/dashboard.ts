/**
 * `npm run bench:dashboard`: what an open dashboard adds to the gateway's latency. One gateway; calls to it and to its upstream take
 * turns, in blocks with the dashboard closed and with two tabs of it open (the list, and a session), which reload as calls end.
 * Ends with 1 where the gateway adds more than 1.1 times as much. Needs Chromium.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chromium, type Page } from "playwright-core";
import { createBodies } from "./gateway/bodies.ts";
import { createCaller, type Caller } from "./gateway/caller.ts";
import { startGateway, startUpstream } from "./gateway/processes.ts";
import { machineLine } from "./table.ts";

const COMMAND = join(import.meta.dirname, "../dist/cli/bin.js");
const PROGRAM = [process.env["PRECIS_CHROMIUM"], "/usr/bin/chromium", "/usr/bin/chromium-browser"].find(
  (path): path is string => path !== undefined && existsSync(path),
);
const ROUNDS = 8;
const BLOCK_CALLS = 40;
/** Between two calls; an agent's own are further apart. */
const PACE_MS = 20;
/** For what the tabs load when they open, or drop when they close. */
const SETTLE_MS = 700;
const BODY_BYTES = 4 * 1_024;
const RATIO_MAX = 1.1;

type State = "closed" | "open";
interface Times {
  readonly direct: number[];
  readonly through: number[];
}

const folder = mkdtempSync(join(tmpdir(), "precis-bench-dashboard-"));
process.exitCode = await main();

async function main(): Promise<number> {
  if (PROGRAM === undefined) throw new Error("no Chromium: `apt-get install chromium`, or PRECIS_CHROMIUM=PLACE");
  const upstream = await startUpstream();
  const gateway = await startGateway(upstream.url, folder);
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox", "--disable-gpu"] });
  const doors = { direct: createCaller(upstream.url), through: createCaller(gateway.url) };
  try {
    const context = await browser.newContext();
    const tabs = [await context.newPage(), await context.newPage()];
    const times: Record<State, Times> = { closed: noTimes(), open: noTimes() };
    const bodies = { direct: createBodies(BODY_BYTES, {}), through: createBodies(BODY_BYTES, {}) };
    const block = (into: Times): Promise<void> => callsInTurn(doors, bodies, into);
    await block(noTimes());
    await signIn(tabs[0]!, gateway.url);
    for (let round = 0; round < ROUNDS; round++)
      for (const state of round % 2 === 0 ? (["closed", "open"] as const) : (["open", "closed"] as const)) {
        await (state === "open" ? openTabs(tabs, gateway.url) : closeTabs(tabs));
        await block(times[state]);
      }
    return say(times);
  } finally {
    for (const door of Object.values(doors)) door.close();
    await browser.close();
    await gateway.stop();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function signIn(page: Page, url: string): Promise<void> {
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const token = execFileSync(process.execPath, [COMMAND, "token"], { cwd: folder, env, encoding: "utf8" }).trim();
  await page.goto(`${url}/_precis/`);
  await page.getByLabel("Operator's token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("list", { name: "Sessions" }).waitFor();
}

/** The list of sessions, and one session. */
async function openTabs([list, session]: readonly Page[], url: string): Promise<void> {
  await list!.goto(`${url}/_precis/`);
  await list!.getByText("live", { exact: true }).waitFor();
  const link = await list!.locator('a[href*="#/session/"]').first().getAttribute("href");
  await session!.goto(`${url}/_precis/${link}`);
  await session!.getByText("live", { exact: true }).waitFor();
  await pause(SETTLE_MS);
}

async function closeTabs(tabs: readonly Page[]): Promise<void> {
  for (const tab of tabs) await tab.goto("about:blank");
  await pause(SETTLE_MS);
}

async function callsInTurn(
  doors: Readonly<Record<keyof Times, Caller>>,
  bodies: Readonly<Record<keyof Times, ReturnType<typeof createBodies>>>,
  into: Times,
): Promise<void> {
  for (let at = 0; at < BLOCK_CALLS; at++)
    for (const door of ["direct", "through"] as const) {
      const { status, totalMs } = await doors[door].call({ body: bodies[door].next() });
      if (status !== 200) throw new Error(`${door}: HTTP ${status}`);
      into[door].push(totalMs);
      await pause(PACE_MS);
    }
}

function noTimes(): Times {
  return { direct: [], through: [] };
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

function say(times: Readonly<Record<State, Times>>): number {
  const added = (state: State): number => median(times[state].through) - median(times[state].direct);
  const line = (state: State): string => {
    const { direct, through } = times[state];
    const figures = `${median(direct).toFixed(2)} ms direct, ${median(through).toFixed(2)} through, ${added(state).toFixed(2)} added`;
    return `dashboard ${state}: ${figures} (medians of ${through.length} calls)`;
  };
  const ratio = added("open") / added("closed");
  const verdict = `${ratio.toFixed(2)}× with two tabs open, ${ratio <= RATIO_MAX ? "within" : "OVER"} ${RATIO_MAX}×`;
  process.stdout.write(`${[machineLine(), line("closed"), line("open"), verdict].join("\n")}\n`);
  return ratio <= RATIO_MAX ? 0 : 1;
}
