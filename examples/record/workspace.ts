/**
 * Where the recorded agent works: a copy of `examples/shop` in a temporary folder, with a git history, and the
 * tools the agent calls. Tools run for real; what they print is only freed of this machine's paths, dates and speed.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** Where the recording of the shop says that the project lies. */
export const SHOWN_ROOT = "/workspace/shop";
const EXAMPLES = join(import.meta.dirname, "..");
const COMMAND_TIMEOUT_MS = 60_000;
const SNIPPET_LINES = 4;

export interface Outcome {
  readonly text: string;
  readonly failed: boolean;
}

export interface Workspace {
  readonly bash: (command: string, shownNow: number) => Outcome;
  readonly read: (path: string, from?: number, to?: number) => Outcome;
  readonly edit: (path: string, old: string, text: string) => Outcome;
  readonly write: (path: string, text: string) => Outcome;
  readonly remove: () => void;
}

type History = readonly (readonly [date: string, author: string, subject: string, paths: string])[];

/** Which files of `examples/shop` came with which commit. */
const HISTORY: History = [
  [
    "2026-01-12T10:04:00Z",
    "Ines",
    "Start with money in integer cents",
    "package.json README.md docs src/money.js test/money.test.js",
  ],
  [
    "2026-01-14T15:31:00Z",
    "Ines",
    "Read the catalogue and keep a cart",
    "data/catalog.json src/catalog.js src/cart.js test/catalog.test.js test/cart.test.js",
  ],
  [
    "2026-01-20T09:12:00Z",
    "Tomas",
    "Tax each line and price parcels",
    "src/tax.js src/shipping.js test/tax-shipping.test.js",
  ],
  [
    "2026-01-27T13:45:00Z",
    "Ines",
    "Reserve stock and write orders down",
    "src/inventory.js src/store.js src/log.js src/orders.js src/refunds.js test/inventory.test.js test/orders.test.js",
  ],
  [
    "2026-02-10T16:20:00Z",
    "Tomas",
    "Spread discounts over lines so that receipts can show them",
    "src/discounts.js data/discounts.json test/discounts.test.js",
  ],
  ["2026-02-19T11:08:00Z", "Ines", "Serve it over HTTP and export CSV for accounting", "."],
];

export function createWorkspace(): Workspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "shop-")));
  cpSync(join(EXAMPLES, "shop"), root, { recursive: true });
  const run = (command: string, env: Readonly<Record<string, string>> = {}): Outcome => runIn(root, command, env);
  commitHistory(run);
  const at = (path: string): string => join(root, path);
  return {
    bash: (command, shownNow) => {
      const { text, failed } = run(command, gitIdentity("shop agent", new Date(shownNow).toISOString()));
      return { text: shown(text.replaceAll(root, SHOWN_ROOT), shownNow), failed };
    },
    read: (path, from, to) => numbered(readFileSync(at(path), "utf8"), from, to),
    edit: (path, old, text) => {
      const before = readFileSync(at(path), "utf8");
      const count = before.split(old).length - 1;
      if (count !== 1) return { text: `edit refused: the old text stands ${count} times in ${path}`, failed: true };
      const after = before.replace(old, () => text);
      writeFileSync(at(path), after);
      return snippet(path, after, before.indexOf(old), text);
    },
    write: (path, text) => {
      writeFileSync(at(path), text);
      return { text: `wrote ${path}, ${text.split("\n").length - 1} lines`, failed: false };
    },
    remove: () => {
      for (const folder of [root, homeOf(root)]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function commitHistory(run: (command: string, env?: Readonly<Record<string, string>>) => Outcome): void {
  run("git init --quiet --initial-branch=main");
  for (const [date, author, subject, paths] of HISTORY) {
    const { text, failed } = run(`git add ${paths} && git commit --quiet -m "${subject}"`, gitIdentity(author, date));
    if (failed) throw new Error(`the history could not be written: ${text}`);
  }
}

function gitIdentity(name: string, date: string): Readonly<Record<string, string>> {
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@shop.example`;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  };
}

/** Beside the project: what tools write there about themselves is no part of the work. */
function homeOf(root: string): string {
  return `${root}.home`;
}

function runIn(root: string, command: string, env: Readonly<Record<string, string>>): Outcome {
  const path = [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
  const { stdout, status } = spawnSync("bash", ["-c", `exec 2>&1; ${command}`], {
    cwd: root,
    encoding: "utf8",
    timeout: COMMAND_TIMEOUT_MS,
    env: {
      PATH: path,
      HOME: homeOf(root),
      LANG: "C.UTF-8",
      TZ: "UTC",
      NO_COLOR: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_PAGER: "cat",
      ...env,
    },
  });
  const failed = status !== 0;
  return { text: failed ? `${stdout.trimEnd()}\n[exit status ${status}]` : stdout.trimEnd(), failed };
}

const TIME_STEP_MS = 3;

/**
 * Frees an output of the day and the speed of the machine that it was made on, so that a recording can be repeated byte
 * by byte: times of today count on from what the recording shows, and durations vary as if by chance.
 */
function shown(text: string, shownNow: number): string {
  const today = new Date().toISOString().slice(0, 10);
  let [times, durations] = [0, 0];
  const duration = (digits: number): string => ((((durations += 1) * 7919) % 893) / 100 + 0.3).toFixed(digits);
  return text
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
      time.startsWith(today) ? new Date(shownNow + (times += 1) * TIME_STEP_MS).toISOString() : time,
    )
    .replace(/\(\d+(?:\.\d+)?ms\)/g, () => `(${duration(6)}ms)`)
    .replace(/duration_ms:? \d+(?:\.\d+)?/g, (found) => `${found.slice(0, found.lastIndexOf(" "))} ${duration(6)}`)
    .replace(/"ms":\d+(?:\.\d+)?/g, () => `"ms":${duration(1)}`);
}

function numbered(text: string, from = 1, to = Number.POSITIVE_INFINITY): Outcome {
  const lines = text
    .trimEnd()
    .split("\n")
    .slice(from - 1, to);
  return { text: lines.map((line, index) => `${String(from + index).padStart(5)}  ${line}`).join("\n"), failed: false };
}

/** What an edit shows: the changed lines with a few around them. */
function snippet(path: string, text: string, offset: number, inserted: string): Outcome {
  const first = text.slice(0, offset).split("\n").length;
  const last = first + inserted.split("\n").length - 1;
  const around = numbered(text, Math.max(1, first - SNIPPET_LINES), last + SNIPPET_LINES);
  return { text: `edited ${path}\n${around.text}`, failed: false };
}
