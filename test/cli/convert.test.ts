/** `precis convert` and `precis sessions import`, as a person runs them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordedSession } from "../../e2e/recorded-session.ts";
import { precisHere, temporaryFolder, type Folder, type Ran } from "./precis.ts";

let folder: Folder;
beforeEach(() => {
  folder = temporaryFolder();
  folder.write("session.jsonl", recordedSession());
});
afterEach(() => folder.remove());

const run = (...words: string[]): Promise<Ran> => precisHere(words, { folder: folder.path });

describe("convert", () => {
  it("writes the session to standard output and the report to standard error", async () => {
    const { code, out, err } = await run("convert", "session.jsonl", "--to", "codex");
    expect(code).toBe(0);
    expect(out.split("\n")[0]).toContain('"type":"session_meta"');
    expect(err).toContain("pi → Codex  11 messages, 9 of them live behind 1 compaction");
    expect(err).toMatch(/Lost\n  - marks on results/);
    folder.write("rollout.jsonl", out);
    expect((await run("check", "rollout.jsonl")).out).toMatch(/valid {2}9 messages of openai-responses/);
  });

  it("says of an empty file that it is empty", async () => {
    folder.write("empty.jsonl", "\n");
    expect(await run("convert", "empty.jsonl", "--to", "pi")).toMatchObject({
      code: 3,
      out: "",
      err: expect.stringContaining("it is empty") as string,
    });
  });

  it("puts a session where its agent looks, once, and says how to go on", async () => {
    const words = ["convert", "session.jsonl", "--to", "claude-code", "--cwd", "work", "--install", "--json"];
    const { code, out } = await run(...words);
    const report = JSON.parse(out) as { out: string; resume: string[]; lost: { code: string }[]; cwd: string };
    expect(code).toBe(0);
    expect(report.resume.slice(0, 2)).toEqual(["claude", "--resume"]);
    expect(report.out).toBe(
      join(
        folder.path,
        ".claude/projects",
        join(folder.path, "work").replaceAll(/[^a-zA-Z0-9]/g, "-"),
        `${report.resume[2]}.jsonl`,
      ),
    );
    expect(readFileSync(report.out, "utf8")).toContain(`"sessionId":"${report.resume[2]}"`);
    expect(await run(...words)).toMatchObject({ code: 2, err: expect.stringContaining("is there already") as string });
  });

  it.each([
    [["convert", "session.jsonl"], 2, "--to is missing"],
    [["convert", "session.jsonl", "--to", "codx"], 2, "Did you mean `codex`?"],
    [["convert", "session.jsonl", "--to", "pi", "--out", "session.jsonl"], 2, "is the input"],
    [["convert", "session.jsonl", "--to", "pi", "--json"], 2, "--json leaves no place"],
    [["convert", "session.jsonl", "--to", "aider"], 2, "claude-code, codex, pi, opencode, gemini, hermes, dsh."],
    [["convert", "session.jsonl", "--to", "hermes", "--install"], 3, "there is no database"],
    [["convert", "absent.jsonl", "--to", "pi"], 3, "there is no such file"],
    [["convert", "notes.txt", "--to", "pi"], 3, "not a session of a known agent"],
  ])("refuses %j", async (words, code, says) => {
    folder.write("notes.txt", "Buy crates.");
    const ran = await run(...words);
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toContain(says);
    expect(readFileSync(join(folder.path, "session.jsonl"), "utf8")).toBe(recordedSession());
  });
});

describe("the sessions of agents", () => {
  beforeEach(() => {
    const sessions = join(folder.path, ".pi/agent/sessions/--depot--");
    mkdirSync(sessions, { recursive: true });
    writeFileSync(join(sessions, "one.jsonl"), recordedSession());
  });

  it("are found", async () => {
    const { code, out } = await run("sessions", "import", "--list");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^pi .*one\.jsonl\n {2}\/depot: Weigh the blue crate first\.\n$/),
    ]);
    expect((await run("sessions", "import", "--list", "--agent", "codex")).code).toBe(1);
  });

  it("are imported once, with what a compaction had replaced, and go on when they have grown", async () => {
    const store = ["--store", "history.db"];
    const first = await run("sessions", "import", ...store);
    expect([first.code, first.err]).toEqual([0, expect.stringContaining("11 messages, 11 new") as string]);
    expect(existsSync(join(folder.path, "history.db"))).toBe(true);
    expect((await run("recall", "41 kg", ...store)).out).toContain("The blue crate weighs 41 kg.");
    const more = {
      type: "message",
      id: "entry11",
      parentId: "entry10",
      timestamp: "2026-11-21T09:00:00.000Z",
      message: { role: "user", content: "Thanks." },
    };
    folder.write(".pi/agent/sessions/--depot--/one.jsonl", `${recordedSession()}${JSON.stringify(more)}\n`);
    expect((await run("sessions", "import", ...store)).err).toContain("12 messages, 1 new");
    expect(JSON.parse((await run("sessions", "list", "--json", ...store)).out)).toHaveLength(1);
  });
});
