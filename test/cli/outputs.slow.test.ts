/** What commands write: regular files are replaced whole and keep their modes, everything else is written through. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/program/exit.ts";
import { chatMessages, NODE_ENVIRONMENT, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");

let folder: Folder;
beforeEach(() => {
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify(chatMessages()));
});
afterEach(() => folder.remove());

const at = (name: string): string => join(folder.path, name);
const modeOf = (name: string): number => statSync(at(name)).mode & 0o777;
const compact = (...words: string[]): Promise<Ran> =>
  precisHere(["compact", "chat.json", "--budget", "30%", ...words], { folder: folder.path });

/** A device of the test's own where that is allowed: whoever may make one could also replace the machine's. */
function fullDevice(path: string): string {
  try {
    execFileSync("mknod", [path, "c", "1", "7"], { stdio: "ignore" });
    return path;
  } catch {
    return "/dev/full";
  }
}

/** In a real shell: `precis` stands for the command line. */
async function shell(script: string): Promise<Ran> {
  const child = spawn("bash", ["-c", `precis() { "${process.execPath}" "${BIN}" "$@"; }\n${script}`], {
    cwd: folder.path,
    env: { ...NODE_ENVIRONMENT, HOME: folder.path },
  });
  const told = { out: "", err: "" };
  child.stdout.on("data", (chunk) => (told.out += String(chunk)));
  child.stderr.on("data", (chunk) => (told.err += String(chunk)));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return { code, ...told };
}

/** Every option that names a file to write, with a command line that writes it. */
const WRITERS = [
  ["--out", ["compact", "chat.json", "--budget", "30%"]],
  ["--keep", ["compact", "chat.json", "--budget", "30%"]],
] as const;

describe.each(WRITERS)("%s of %j", (flag, words) => {
  const write = (name: string): Promise<Ran> => precisHere([...words, flag, name], { folder: folder.path });

  it("replaces a regular file whole, keeps its mode and leaves no draft behind", async () => {
    await write("result");
    const text = readFileSync(at("result"), "utf8");
    chmodSync(at("result"), 0o640);
    const before = statSync(at("result")).ino;
    expect(await write("result")).toMatchObject({ code: EXIT.done });
    expect([readFileSync(at("result"), "utf8"), modeOf("result")]).toEqual([text, 0o640]);
    expect(statSync(at("result")).ino).not.toBe(before);
    expect(readdirSync(folder.path).toSorted()).toEqual(["chat.json", "result"]);
  });

  it("follows symbolic links within their folder, also to a file that is not there yet", async () => {
    mkdirSync(at("elsewhere"));
    symlinkSync("elsewhere/result", at("link"));
    symlinkSync("link", at("link-to-link"));
    for (let time = 0; time < 2; time++) expect(await write("link-to-link")).toMatchObject({ code: EXIT.done });
    expect([lstatSync(at("link")).isSymbolicLink(), lstatSync(at("link-to-link")).isSymbolicLink()]).toEqual([
      true,
      true,
    ]);
    expect(lstatSync(at("elsewhere/result")).isFile()).toBe(true);
  });

  it.each([
    ["a file outside", "../victim", "link"],
    ["a file outside that is not there yet", "../new", "link"],
    ["a file outside, by another link", "../victim", "link-to-link"],
    ["a file in a folder that is a link", "away/victim", "link"],
    ["a pipe or a device outside", "../device", "link"],
  ])("refuses a link to %s, and leaves both", async (_, target, name) => {
    mkdirSync(at("repository"));
    const mine = '{"schemaVersion": 1, "originals": {}}';
    folder.write("victim", mine);
    folder.write("repository/chat.json", JSON.stringify(chatMessages()));
    symlinkSync("/dev/null", at("device"));
    symlinkSync("..", at("repository/away"));
    symlinkSync(target, at("repository/link"));
    symlinkSync("link", at("repository/link-to-link"));
    const { code, out, err } = await precisHere([...words, flag, name], { folder: at("repository") });
    expect([code, out]).toEqual([EXIT.usage, ""]);
    expect(err).toContain(`cannot write ${name}: it is a link that leads out of its folder, to `);
    expect(readFileSync(at("victim"), "utf8")).toBe(mine);
    expect(lstatSync(at("repository/link")).isSymbolicLink()).toBe(true);
    expect(readdirSync(folder.path).toSorted()).toEqual(["chat.json", "device", "repository", "victim"]);
  });

  it("writes through a named pipe", async () => {
    execFileSync("sh", ["-c", `mkfifo "$0"`, at("pipe")]);
    const reader = spawn("cat", [at("pipe")]);
    let read = "";
    reader.stdout.on("data", (chunk) => (read += String(chunk)));
    const closed = new Promise((done) => reader.on("close", done));
    try {
      expect(await write("pipe")).toMatchObject({ code: EXIT.done });
      expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
      await closed;
      expect(read.length).toBeGreaterThan(1_000);
    } finally {
      reader.kill();
    }
  });

  it("writes through a device and says when it is full", async () => {
    const full = fullDevice(at("full"));
    const { code, err } = await write(full);
    expect(statSync(full).isCharacterDevice()).toBe(true);
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(`cannot write ${full}: no space is left`)]);
  });

  it.each([
    ["chat.json/x", "a part of its path is a file"],
    [".", "it is a folder"],
    ["circle", "symbolic links form a loop"],
    ["x".repeat(300), "its name is too long"],
  ])("refuses %s with the reason and the class of an output that cannot be written", async (name, reason) => {
    symlinkSync("circle", at("circle"));
    const { code, out, err } = await write(name);
    expect([code, out]).toEqual([EXIT.usage, ""]);
    expect(err).toContain(reason);
    expect(err).not.toMatch(/fault in precis|\n {4}at /);
  });
});

describe("compact --out", () => {
  it("is no more open than its input", async () => {
    chmodSync(at("chat.json"), 0o600);
    await compact("--out", "result.json");
    chmodSync(at("chat.json"), 0o644);
    await compact("--out", "open.json");
    expect([modeOf("result.json"), modeOf("open.json")]).toEqual([0o600, 0o644 & ~process.umask()]);
  });

  it("never replaces its input, whatever name it goes by", async () => {
    linkSync(at("chat.json"), at("hard.json"));
    symlinkSync("chat.json", at("soft.json"));
    for (const name of ["hard.json", "soft.json", "./chat.json"])
      expect(await compact("--out", name)).toMatchObject({ code: EXIT.usage });
  });

  it("writes to descriptors of the shell: standard output, another one, a process that reads", async () => {
    const [plain, stdout, three, substituted] = await Promise.all([
      shell("precis compact chat.json --budget 30%"),
      shell("precis compact chat.json --budget 30% --out /dev/stdout"),
      shell("precis compact chat.json --budget 30% --out /dev/fd/3 3>three.json; cat three.json"),
      shell("precis compact chat.json --budget 30% --out >(cat > four.json); wait; sleep 0.3; cat four.json"),
    ]);
    expect(plain).toMatchObject({ code: EXIT.done, out: expect.stringMatching(/^\[/) as string });
    expect([stdout.out, three.out, substituted.out]).toEqual([plain.out, plain.out, plain.out]);
  });
});

describe("standard output", () => {
  it.each(["compact chat.json --budget 30%", "inspect chat.json", "--help", "config check"])(
    "on a full disk: `precis %s` says so, without a stack",
    async (words) => {
      const { code, err } = await shell(`precis ${words} > /dev/full`);
      expect(code).toBe(EXIT.usage);
      expect(err).toContain("cannot write standard output: no space is left on the device");
      expect(err).not.toMatch(/fault in precis|\n {4}at /);
    },
  );

  it("still gets the data where standard error takes nothing", async () => {
    const { code, out } = await shell("precis compact chat.json --budget 30% 2> /dev/full");
    expect([code, out]).toEqual([EXIT.done, expect.stringMatching(/^\[[^]*\]\n?$/)]);
  });
});
