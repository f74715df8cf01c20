/** `precis-eval measure` from the outside: one command over a folder, what it writes, and what it says of sessions it cannot score. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/cli/program/exit.ts";
import { claudeCodeSession, precisHere, temporaryFolder, type Folder } from "../../../test/cli/precis.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../../examples/refunds.openai-chat.json");

interface Told {
  readonly engines: readonly string[];
  readonly rows: readonly { readonly contestant: string; readonly size: unknown; readonly cuts: number }[];
  readonly sessions: readonly { readonly file: string; readonly cuts: number; readonly because?: string }[];
}

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, "sessions"));
  copyFileSync(EXAMPLE, join(folder.path, "sessions/a.json"));
  copyFileSync(EXAMPLE, join(folder.path, "sessions/b.json"));
  folder.write("sessions/short.jsonl", claudeCodeSession(3));
  folder.write("sessions/package.json", '{"name": "no session"}');
});
afterAll(() => folder.remove());

const evaluate = (...words: readonly string[]) =>
  precisHere(["precis-eval", "measure", "sessions", "--engines", "none", ...words], {
    folder: folder.path,
  });

describe("a folder of sessions", () => {
  it("is evaluated with one command, and the same cut once", async () => {
    const ran = await evaluate("--json");
    expect(ran).toMatchObject({ code: EXIT.done, err: "" });
    const told = JSON.parse(ran.out) as Told;
    expect(told.rows.filter(({ contestant, size }) => contestant === "none" && size === 0.1)).toMatchObject([
      { cuts: 2 },
    ]);
    expect(told.sessions.map(({ file, cuts, because }) => [file, cuts, because?.replace(/:.*/, "")])).toEqual([
      ["sessions/a.json", 2, undefined],
      ["sessions/b.json", 2, undefined],
      ["sessions/package.json", 0, "no session in a known format"],
      ["sessions/short.jsonl", 0, "too small"],
    ]);
  });

  it("is read with a mark of its encoding, and as Windows shells redirect it", async () => {
    const text = `\ufeff${readFileSync(EXAMPLE, "utf8")}`;
    for (const encoding of ["utf8", "utf16le"] as const) {
      writeFileSync(join(folder.path, "marked.json"), text, encoding);
      const { code, out } = await precisHere(
        ["precis-eval", "measure", "marked.json", "--engines", "none", "--budgets", "10"],
        { folder: folder.path },
      );
      expect([code, out]).toEqual([EXIT.done, expect.stringContaining("0 of 1 file not scored")]);
    }
  });

  it("is shown as tables, with what is not scored and why", async () => {
    const { code, out } = await evaluate("--budgets", "10");
    expect(code).toBe(EXIT.done);
    expect(out).toContain("2 cuts of 1 transcript; 2 of 4 files not scored.");
    expect(out).toMatch(/Not scored[^]*short\.jsonl: [\d,]+ tokens between compactions, 24,000 are needed/);
    for (const line of out.split("\n").filter((one) => /^ {2}(?:none|tail|cover)/.test(one)))
      expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe("what cannot be evaluated", () => {
  it.each([
    [["precis-eval", "measure"], EXIT.usage, "PATHS"],
    [["precis-eval", "measure", "sessions", "--engines", "compresor"], EXIT.usage, "compresor"],
    [["precis-eval", "measure", "sessions", "--budgets", "5,100"], EXIT.usage, "--budgets"],
    [["precis-eval", "measure", "sessions", "--budgets", "x"], EXIT.usage, "--budgets"],
    [["precis-eval", "measure", "nowhere"], EXIT.unreadable, "nowhere"],
    [["precis-eval", "measure", "sessions/package.json"], EXIT.unreadable, "package.json"],
  ])("%j ends in %i", async (words, code, said) => {
    const ran = await precisHere(words, { folder: folder.path });
    expect(ran.code).toBe(code);
    expect(ran.err).toContain(said);
    expect(ran.out).toBe("");
  });
});
