/** What cannot be read is said to be unreadable, once and with the reason, whichever command reads it and whatever is in the way. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/program/exit.ts";
import { describeFileFailure, unreadable, unwritable } from "../../src/cli/files/failures.ts";
import { chatMessages, NODE_ENVIRONMENT, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");
/** `nobody` on Linux, for whom permissions count also where the tests run as root. */
const NOBODY = 65_534;

let folder: Folder;
const at = (name: string): string => join(folder.path, name);

beforeAll(() => {
  folder = temporaryFolder();
  for (const name of ["chat.json", "closed.json", "locked/chat.json"])
    folder.write(name, JSON.stringify(chatMessages()));
  folder.write("locked/history.db", "");
  mkdirSync(at("open"));
  symlinkSync("nowhere", at("dangling.json"));
  symlinkSync("circle.json", at("circle.json"));
  writeFileSync(at("latin.json"), Buffer.from('[{"role":"user","content":"Gr\xfc\xdfe"}]', "latin1"));
  chmodSync(folder.path, 0o755);
  chmodSync(at("closed.json"), 0o000);
  chmodSync(at("locked"), 0o000);
});
afterAll(() => {
  chmodSync(at("locked"), 0o700);
  folder.remove();
});

const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** As somebody whom permissions bind. */
function bound(words: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...words], {
    cwd: folder.path,
    env: { PATH: NODE_ENVIRONMENT.PATH, HOME: folder.path },
    encoding: "utf8",
    ...identity,
  });
  return { code: status, out: stdout, err: stderr };
}

/** Whether such a somebody may load the sources at all: a checkout below `/root`, for example, is closed to them. */
function mayLoad(): boolean {
  if (process.platform === "win32") return false;
  return spawnSync(process.execPath, [BIN, "--version"], { ...identity, cwd: "/" }).status === 0;
}

const INPUT_READERS = ["check", "inspect", "compact"];

describe.skipIf(!mayLoad())("without permission (skipped where nobody else may load these sources)", () => {
  it.each([
    ...INPUT_READERS.flatMap((name) => [
      [name, "locked/chat.json"],
      [name, "closed.json"],
    ]),
    ["recall", "r000000000", "--keep", "locked/originals.json"],
    ["recall", "r000000000", "--keep", "closed.json"],
    ["recall", "r000000000", "--store", "locked/history.db"],
    ["sessions", "--store", "locked/history.db"],
    ["store", "check", "--store", "locked/history.db"],
    ["mcp", "--store", "locked/history.db"],
    ["compact", "chat.json", "--budget", "30%", "--keep", "closed.json"],
  ])("%s %s cannot read", (...words) => {
    const { code, out, err } = bound(words);
    expect([code, out]).toEqual([EXIT.unreadable, ""]);
    expect(err).toMatch(/cannot read [^\n]*: permission denied\n/);
    expect(err).not.toMatch(/cannot write|EACCES|cannot read[^]*cannot read/);
  });

  it.each([
    ["--out", "locked/smaller.json"],
    ["--keep", "locked/originals.json"],
  ])("compact %s %s cannot write", (...words) => {
    const { code, err } = bound(["compact", "chat.json", "--budget", "30%", ...words]);
    expect(code).toBe(EXIT.usage);
    expect(err).toMatch(/cannot write locked\/\S+: permission denied\n/);
    expect(err).not.toContain("cannot read");
  });

  it("a gateway's store cannot be opened, and doctor says why", () => {
    const words = ["--store", "locked/history.db"];
    const { code, err } = bound(["serve", "--port", "0", ...words]);
    expect([code, err]).toEqual([EXIT.unreadable, expect.stringMatching(/cannot be opened \(permission denied\)/)]);
    expect(bound(["doctor", ...words]).out).toMatch(/cannot read the store locked\/history\.db: permission\s+denied/);
  });

  it("an agreement that cannot be noted is a failed write", () => {
    chmodSync(at("open"), 0o755);
    folder.write("open/precis.yaml", "compression:\n  threshold: 0.4\n");
    const { code, err } = bound(["trust", "open/precis.yaml", "--yes"]);
    expect([code, err]).toEqual([
      EXIT.usage,
      expect.stringMatching(/cannot write \S+trusted\.json: permission denied/),
    ]);
  });
});

describe("what is in the way", () => {
  it.each([
    ["chat.json/x", "a part of its path is a file and not a folder"],
    [".", "it is a folder"],
    ["nowhere.json", "there is no such file or folder"],
    ["dangling.json", "there is no such file or folder"],
    ["circle.json", "its symbolic links form a loop"],
    ["x".repeat(300), "its name is too long"],
  ])("%s: %s", async (name, reason) => {
    for (const words of [
      ...INPUT_READERS.slice(0, -1).map((command) => [command, name]),
      ["recall", "r0", "--keep", name],
    ]) {
      const { code, out, err } = await precisHere(words, { folder: folder.path });
      expect([code, out]).toEqual([EXIT.unreadable, ""]);
      expect(err.split("\n")[0]).toBe(`precis: cannot read ${name}: ${reason}`);
      expect(err).not.toMatch(/\n {2}at /);
    }
  });

  it("bytes that are not UTF-8 are read, and that is said", async () => {
    const { code, out } = await precisHere(["check", "latin.json"], { folder: folder.path });
    expect([code, out]).toEqual([
      EXIT.done,
      expect.stringContaining("bytes that are not utf-8 were replaced by replacement characters"),
    ]);
  });

  it("too many open files are neither the path's fault nor its permissions'", () => {
    for (const code of ["EMFILE", "ENFILE"]) {
      const cause = Object.assign(new Error(`${code}: too many open files`), { code, syscall: "open", path: "/x" });
      for (const told of [unreadable("x", cause), unwritable("x", cause), describeFileFailure(cause)])
        expect(told).toMatchObject({
          message: expect.stringContaining("too many files open"),
          hint: expect.stringContaining("ulimit -n"),
        });
      expect(describeFileFailure(cause)).toMatchObject({ code: "unreadable_input" });
    }
  });

  it("a pipe that nobody writes to is waited for, but not in silence", async () => {
    execFileSync("sh", ["-c", `mkfifo "$0"`, at("pipe")]);
    const child = spawn(process.execPath, [BIN, "check", "pipe"], {
      cwd: folder.path,
      env: { ...NODE_ENVIRONMENT, HOME: folder.path },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<number | null>((done) => child.on("close", done));
    try {
      const said = await new Promise((done) => child.stderr.once("data", (chunk) => done(String(chunk))));
      expect(said).toBe("waiting for pipe: nothing has been written to it yet\n");
      writeFileSync(at("pipe"), JSON.stringify(chatMessages()));
      expect(await ended).toBe(EXIT.done);
    } finally {
      child.kill();
    }
  });
});
