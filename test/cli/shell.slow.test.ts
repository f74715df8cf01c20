/** The manners of a program in a shell: help, exit codes, clean streams, colours, old Nodes, readers that hang up. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatMessages, precis, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ESCAPE = "\u001b[";

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify(chatMessages()));
});
afterAll(() => folder.remove());

describe("help", () => {
  it("goes to standard output where asked for, and to standard error with exit code 2 where a command is missing", async () => {
    const [asked, missing, named, other] = await Promise.all([
      precis(["--help"]),
      precis([]),
      precisHere(["compact", "-h"]),
      precisHere(["help", "compact"]),
    ]);
    expect([asked.code, asked.err, missing.code, missing.out]).toEqual([0, "", 2, ""]);
    expect(asked.out).toBe(missing.err);
    for (const name of ["compact", "inspect", "check", "recall", "config init", "Exit codes"])
      expect(asked.out).toContain(name);
    expect(named.out).toBe(other.out);
    expect(named.out).toMatch(/precis compact FILE\|- \[flags\][\s\S]*--budget N\|P%[\s\S]*Examples/);
  });

  it("fits 80 columns", async () => {
    const pages = await Promise.all(
      [[], ["compact"], ["config"], ["recall"]].map((words) => precisHere([...words, "--help"])),
    );
    const wide = pages.flatMap(({ out }) => out.split("\n")).filter((line) => line.length > 80);
    expect(wide).toEqual([]);
  });

  it("tells the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    expect(await precis(["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });
});

describe("a wrong command line", () => {
  it.each([
    [["compct"], "Did you mean `precis compact`?"],
    [["config"], "precis config --help"],
    [["config", "chek"], "Did you mean `precis config check`?"],
    [["check", "x", "--form", "codex"], "Did you mean `--from`?"],
    [["check"], "precis check --help"],
    [["check", "x", "--from", "gemni"], "Did you mean `gemini`?"],
    [["compact", "x", "--to", "claude-code"], "Use one of: openai-chat"],
    [["compact", "chat.json", "--budget", "lots"], "--budget 20%"],
    [["compact", "chat.json", "--context-length", "0"], "--context-length 200k"],
    [["compact", "chat.json", "--set", "compression.threshold"], "--set compression.threshold=0.4"],
    [["compact", "chat.json", "--set", "compression.treshold=1"], "compression.threshold"],
    [["compact", "chat.json", "--engine", "zebra", "--force"], "compressor"],
    [["compact", "chat.json", "--out", "./chat.json"], "never overwritten"],
    [["compact", "chat.json", "--keep", "chat.json", "--force"], "never overwritten"],
  ])("%j exits with 2, says nothing on standard output and names the next step", async (words, hint) => {
    const { code, out, err } = await precisHere(words, { folder: folder.path });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^precis: .+/);
    expect(err).toContain(hint);
    expect(err).not.toContain("    at ");
  });
});

describe("an input that is no transcript", () => {
  it.each([
    [["nothing-here.json"], undefined, "no such file"],
    [["."], undefined, "it is a folder"],
    [["-"], "", "is empty"],
    [["-"], " \n ", "is empty"],
    [["-"], "hello", "in no known format"],
    [["-"], '{"messages":[]}', "it has no messages"],
    [["-"], "[]", "it has no messages"],
    [["-"], '{"tools":[]}', "not a request body, messages or a session"],
    [["-"], '[{"role": "user", ', "not complete JSON"],
    [["-"], '{"a": 1}', "but not a request body"],
    [
      ["-"],
      '{"level": "info", "at": 1}\n{"level": "warn"}\n',
      "its lines are JSON, but no messages or records of a session (line 1 has level, at)",
    ],
    [["-"], 'starting\n{"level": "info"}\n{"level": "wa', "its lines are JSON"],
    [["-", "--from", "openai-chat"], "{", "not JSON"],
    [["-", "--from", "codex"], '{"role":"user","content":"x"}', "codex"],
  ])("%j %j exits with 3 and says why", async (words, input, why) => {
    for (const command of ["compact", "check", "inspect"]) {
      const { code, out, err } = await precisHere([command, ...words], {
        folder: folder.path,
        ...(input === undefined ? {} : { input }),
      });
      expect([code, out]).toEqual([3, ""]);
      expect(err).toContain(why);
    }
  });
});

describe("a process", () => {
  it("exits with the code of its command and keeps its streams apart", async () => {
    const [wrong, unreadable, invalid] = await Promise.all([
      precis(["check", "-", "--form", "x"]),
      precis(["check", "-"], { input: "hello" }),
      precis(["check", "-"], { input: '[{"role":"tool","tool_call_id":"x","content":"y"}]' }),
    ]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect([unreadable.code, unreadable.out]).toEqual([3, ""]);
    expect([invalid.code, invalid.err]).toEqual([1, ""]);
  });
});

const checked = (environment: Readonly<Record<string, string>>): Promise<Ran> =>
  precis(["config", "check"], { folder: folder.path, environment });

describe("colours", () => {
  it("stay out of pipes, come with FORCE_COLOR, and go with NO_COLOR", async () => {
    const [plain, forced, refused] = await Promise.all([
      checked({}),
      checked({ FORCE_COLOR: "1" }),
      checked({ NO_COLOR: "1" }),
    ]);
    expect(plain.out).not.toContain(ESCAPE);
    expect(forced.out).toContain(ESCAPE);
    expect(refused.out).toBe(plain.out);
  });
});

describe("a reader that hangs up", () => {
  it("ends the command quietly, whatever is still to be written", async () => {
    const big = folder.write("big.json", JSON.stringify(chatMessages({ turns: 400, lines: 60 })));
    const shell = spawn(
      "sh",
      ["-c", `"$0" "$1" compact "$2" | head -c 10`, process.execPath, join(ROOT, "src/cli/bin.ts"), big],
      { cwd: folder.path },
    );
    let out = "";
    let err = "";
    shell.stdout.on("data", (chunk) => (out += String(chunk)));
    shell.stderr.on("data", (chunk) => (err += String(chunk)));
    const code = await new Promise((done) => shell.on("close", done));
    expect([code, out.length]).toEqual([0, 10]);
    expect(err).not.toMatch(/EPIPE|Error|fault/);
  });
});

describe("an old Node", () => {
  it.each(["20.20.2", "22.18.0", "12.22.12"])(
    "%s is told what is needed, before anything else loads",
    async (version) => {
      const older = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} });`;
      const { code, out, err } = await precis(["--version"], {
        node: ["--import", `data:text/javascript,${encodeURIComponent(older)}`],
      });
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(`this is Node ${version}; precis needs Node 22.19 or newer`);
      expect(err).toContain("nodejs.org");
    },
  );
});
