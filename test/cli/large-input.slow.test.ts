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
 * A heap of this size is enough: the program, what is remembered up to a bound, and four bytes for each of the file. How large a heap
 * becomes that nothing limits depends on when garbage is collected, and so on the machine; whether it is enough does not.
 */
const HEAP_BYTES = 80_000_000 + 4 * BYTES;
/** Node itself, buffers, and what takes the types out of the sources that run here. */
const BESIDE_HEAP_BYTES = 200_000_000;
const BYTES_A_MEBIBYTE = 1_048_576;

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

/** What a command takes of memory in all, in bytes, with a heap of that size. */
async function peakWithin(heapBytes: number, words: readonly string[]): Promise<number> {
  const report = `process.on("exit", () => process._rawDebug("peak", process.resourceUsage().maxRSS));`;
  const heap = `--max-old-space-size=${Math.floor(heapBytes / BYTES_A_MEBIBYTE)}`;
  const child = spawn(
    process.execPath,
    [heap, "--import", `data:text/javascript,${encodeURIComponent(report)}`, BIN, ...words],
    { cwd: folder.path, env: { ...NODE_ENVIRONMENT, HOME: folder.path }, stdio: ["ignore", "ignore", "pipe"] },
  );
  let told = "";
  child.stderr.on("data", (chunk) => (told += String(chunk)));
  const code = await new Promise((done) => child.on("close", done));
  expect([code, told]).toEqual([0, expect.stringContaining("peak")]);
  return Number(/^peak (\d+)$/m.exec(told)![1]) * 1024;
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
    async (...words) => expect(await peakWithin(HEAP_BYTES, words)).toBeLessThan(HEAP_BYTES + BESIDE_HEAP_BYTES),
    TIMEOUT_MS,
  );
});
