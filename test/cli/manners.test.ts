/** What a command says when there is nothing to do, when something is wrong, and for those who read only the terminal. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/program/exit.ts";
import { chatMessages, claudeCodeSession, precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  folder.write("chat.json", JSON.stringify({ model: "gpt-5.4", messages: chatMessages() }));
  folder.write("sessions/small.jsonl", claudeCodeSession(3));
});
afterAll(() => folder.remove());

const run = (...words: string[]): Promise<Ran> => precisHere(words, { folder: folder.path });

describe("compact", () => {
  it("names the recall ids that it counts", async () => {
    const { err } = await run("compact", "chat.json", "--budget", "20%");
    const { out } = await run("compact", "chat.json", "--budget", "20%", "--json");
    const { recall } = (JSON.parse(out) as { report: { recall: readonly string[] } }).report;
    expect(recall.length).toBeGreaterThan(0);
    for (const id of recall.slice(0, 3)) expect(err).toContain(id);
  });

  it("writes the --keep file although nothing was removed, and recall then knows no id in it", async () => {
    expect(await run("compact", "chat.json", "--keep", "nothing.json")).toMatchObject({ code: EXIT.done });
    expect(existsSync(join(folder.path, "nothing.json"))).toBe(true);
    const { code, err } = await run("recall", "r000000000", "--keep", "nothing.json");
    expect([code, err]).toEqual([EXIT.failed, expect.stringContaining("Unknown recall id r000000000")]);
    expect(err).not.toContain("ENOENT");
  });

  it("leaves what an earlier compaction kept when nothing is removed", async () => {
    await run("compact", "chat.json", "--budget", "20%", "--keep", "kept.json");
    const before = readFileSync(join(folder.path, "kept.json"), "utf8");
    await run("compact", "chat.json", "--keep", "kept.json");
    expect(readFileSync(join(folder.path, "kept.json"), "utf8")).toBe(before);
  });

  it.each([
    ["20", "20%"],
    ["100", "100%"],
    ["0.2", "20%"],
    ["7.5", "7.5%"],
  ])("asks whether --budget %s was meant as %s", async (budget, meant) => {
    for (const command of ["compact", "inspect"]) {
      const { code, out, err } = await run(command, "chat.json", "--budget", budget);
      expect([code, out]).toEqual([EXIT.usage, ""]);
      expect(err).toContain(`Did you mean \`--budget ${meant}\`?`);
    }
    expect(await run("compact", "chat.json", "--budget", meant)).toMatchObject({ code: EXIT.done });
  });
});

describe("eval", () => {
  it("of sessions too small to cut shows no table and is no success", async () => {
    const { code, out } = await run("precis-eval", "measure", "sessions");
    expect(code).toBe(EXIT.failed);
    expect(out).toContain("0 cuts");
    expect(out).toContain("Not scored");
    expect(out).not.toContain("100.0");
    const json = await run("precis-eval", "measure", "sessions", "--json");
    expect([json.code, (JSON.parse(json.out) as { cuts: unknown }).cuts]).toEqual([EXIT.failed, []]);
  });
});

describe("an error with --json", () => {
  it.each([
    [["compact", "missing.json", "--json"], EXIT.unreadable, "unreadable_input"],
    [["compact", "chat.json", "--jsn", "--json"], EXIT.usage, "usage"],
    [["inspect", "chat.json", "--engine", "zebra", "--json"], EXIT.usage, "unknown_engine"],
    [["precis-eval", "replay", "chat.json", "--model", "nobody-knows", "--json"], EXIT.usage, "unknown_prices"],
    [["precis-eval", "measure", "nowhere", "--json"], EXIT.unreadable, "unreadable_input"],
    [["config", "check", "--set", "compression.threshold=7", "--json"], EXIT.usage, "bad_configuration"],
    [["compact", "chat.json", "--budget", "30%", "--json", "--out", "chat.json/x"], EXIT.usage, "unwritable_output"],
    [["recall", "r1", "--keep", "missing.json", "--json"], EXIT.unreadable, "unreadable_input"],
  ])("%j is one JSON object on standard error", async (words, exitCode, code) => {
    const ran = await run(...words);
    const { error } = JSON.parse(ran.err.slice(ran.err.lastIndexOf("\n", ran.err.length - 2) + 1)) as { error: object };
    expect(ran.code).toBe(exitCode);
    expect(error).toMatchObject({
      code,
      exitCode,
      message: expect.any(String) as string,
      hint: expect.any(String) as string,
    });
  });

  it.each(["recall r1", "recall words", "sessions", "undo s", "sessions edit s", "store check --quick", "store check"])(
    "says of `%s` that a store is not there, with the exit code of an input that cannot be read",
    async (words) => {
      const ran = await run(...words.split(" "), "--store", "none.db");
      expect(ran.code).toBe(EXIT.unreadable);
      expect(ran.err).toContain("there is no store at none.db");
      expect(ran.err).toContain("--store FILE");
    },
  );

  it("is plain text without it, and behind `--`", async () => {
    expect((await run("compact", "missing.json")).err).toMatch(/^precis: cannot read/);
    expect((await run("compact", "--", "--json")).err).toMatch(/^precis: cannot read/);
  });
});

describe("a folder that is missing", () => {
  const compact = ["compact", "chat.json", "--budget", "30%"];
  it.each([
    [[...compact, "--out", "new/deep/out.json"], "new/deep"],
    [[...compact, "--keep", "kept/kept.json"], "kept"],
  ])("is made by %j, which says so once", async (words, made) => {
    const first = await run(...words);
    expect(first.code).toBe(EXIT.done);
    expect(first.err.split("\n")).toContain(`made the folder ${made}`);
    expect((await run(...words)).err).not.toContain("made the folder");
  });
});

describe("small things", () => {
  it("knows -V", async () => {
    expect(await run("-V")).toEqual(await run("--version"));
    expect((await run("-V")).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("says what a bust and a cut are", async () => {
    expect((await run("precis-eval", "replay", "chat.json")).out.replaceAll(/\s+/g, " ")).toContain(
      "Bust: cache miss. Cut: compaction.",
    );
  });
});
