/** A large session file: read in pieces, to the same transcript, in a bounded multiple of its size. */
import { spawn } from "node:child_process";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { largeFile } from "../../src/cli/files/read.ts";
import { readLog } from "../../src/logs/read.ts";
import { claudeCodeSession, NODE_ENVIRONMENT, temporaryFolder, type Folder } from "./precis.ts";

const TIMEOUT_MS = 10 * 60_000;
const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");
const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
/** Of each file; in the short run a part, large enough that what is held for each byte outweighs what is not. */
const BYTES = FULL ? 200_000_000 : 48_000_000;
/**
 * Node itself, the program and its tables, and what is remembered up to a bound, whatever is read. The program runs
 * from its sources here: taking their types out costs some 50 MB that the package does not take.
 */
const OWN_BYTES = 250_000_000;
/** Beside that, in memory for each byte of the file. Of 200 MB: 990 MB in all. */
const FACTOR_MAX = 3.7;
const PEAK_BYTES_MAX = OWN_BYTES + FACTOR_MAX * BYTES;

let folder: Folder;
let path: string;
beforeAll(() => {
  folder = temporaryFolder();
  path = sessionFile("large.jsonl", {});
  sessionFile("screens.jsonl", { toolUseResult: "screen ".repeat(200) });
});

/** Every line has what is given beside its own. */
function sessionFile(name: string, beside: object): string {
  const lines = claudeCodeSession(30)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const written = join(folder.path, name);
  const file = openSync(written, "w");
  let last: unknown = null;
  for (let round = 0, bytes = 0; bytes < BYTES; round++) {
    let text = "";
    for (const line of lines) {
      const uuid = `${String(line["uuid"])}-${round}`;
      text += `${JSON.stringify({ ...line, uuid, parentUuid: last, ...beside })}\n`;
      last = uuid;
    }
    bytes += writeSync(file, text.replaceAll("toolu_", `toolu_${round}é_`));
  }
  closeSync(file);
  return written;
}

afterAll(() => folder.remove());

/** Peak memory of a command, in bytes. */
async function peakOf(words: readonly string[]): Promise<number> {
  const report = `process.on("exit", () => process._rawDebug("peak", process.resourceUsage().maxRSS));`;
  const child = spawn(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(report)}`, BIN, ...words],
    { cwd: folder.path, env: { ...NODE_ENVIRONMENT, HOME: folder.path }, stdio: ["ignore", "ignore", "pipe"] },
  );
  let told = "";
  child.stderr.on("data", (chunk) => (told += String(chunk)));
  const code = await new Promise((done) => child.on("close", done));
  expect(code).toBe(0);
  return Number(/^peak (\d+)$/m.exec(told)![1]) * 1024;
}

const ATTEMPTS_MAX = 3;

/** What a command needs is the least that it took: when garbage is collected depends on what else the machine does. */
async function needOf(words: readonly string[]): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS_MAX && least >= PEAK_BYTES_MAX; attempt++)
    least = Math.min(least, await peakOf(words));
  return least;
}

describe("a large session file", () => {
  it("is read in pieces to the same lines", () => {
    const large = largeFile(path)!;
    expect(large.bytes).toBe(statSync(path).size);
    const lines = [...large.all()];
    expect(lines.at(-1)).toBe("");
    const [pieces, whole] = [readLog(lines, "claude-code"), readLog(lines.join("\n"), "claude-code")];
    expect(pieces.transcript.messages.length).toBeGreaterThan(1_000);
    expect(pieces.transcript.messages.at(-1)).toEqual(whole.transcript.messages.at(-1));
    expect(pieces.notes).toEqual(whole.notes);
    expect(large.isDamaged()).toBe(false);
  });

  it.each([
    ["compact", "large.jsonl", "--budget", "20%"],
    // Beside the conversation it holds copies for a screen.
    ["inspect", "screens.jsonl"],
    // As much as both again.
    ...(FULL ? [["inspect", "large.jsonl"]] : []),
  ])(
    "takes a bounded multiple of its size in %s %s",
    async (...words) => expect(await needOf(words)).toBeLessThan(PEAK_BYTES_MAX),
    TIMEOUT_MS,
  );
});
