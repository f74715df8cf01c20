/**
 * `precis-eval exam --continue` from the outside, with an agent that is a program: it does the last task with what its context
 * tells it, so that what a context lacks shows in the checks.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../../../src/cli/program/exit.ts";
import { replyTo } from "../../src/exam/continue/answers.ts";
import { chatMessages, precisHere, temporaryFolder, type Folder, type Ran } from "../../../test/cli/precis.ts";

const RULE = "Put generated files under out/ only, and use port 47115 everywhere.";

/** Writes the port where the context says that such files go; without a rule it guesses. */
const AGENT = `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const context = process.argv[2] === "-" ? readFileSync(0, "utf8") : readFileSync(process.argv[2], "utf8");
appendFileSync(process.env.AGENT_LOG, "run\\n");
const port = /use port (\\d+) everywhere/.exec(context)?.[1] ?? "8080";
const place = context.includes("under out/ only") ? "out" : ".";
if (!context.includes("Write the settings file.")) process.exit(3);
mkdirSync(place, { recursive: true });
writeFileSync(place + "/settings.txt", "port " + port + "\\n");
console.log("It listens on " + port);
if (context.includes("1. Where do generated files go?")) console.log("1. Under " + place + "/.");
`;

let folder: Folder;
beforeAll(() => {
  folder = temporaryFolder();
  const [system, first, ...rest] = chatMessages({ turns: 60, lines: 40 });
  const told = { ...first, content: `${first!["content"] as string} ${RULE}` };
  folder.write("cases/settings/session.json", JSON.stringify([system, told, ...rest]));
  folder.write("cases/settings/repository/README.md", "A service.\n");
  folder.write("cases/settings/expected.txt", "port 47115\n");
  folder.write(
    "cases/settings/case.yaml",
    [
      "request: Write the settings file.",
      "checks:",
      "  - name: the port is right",
      `    run: cat settings.txt out/settings.txt 2>/dev/null | cmp - "$PRECIS_CASE/expected.txt"`,
      "  - name: the answer tells it",
      `    run: grep -q 47115 "$PRECIS_ANSWER"`,
      "rules:",
      "  - name: generated files are under out/",
      `    run: test ! -e settings.txt`,
      "  - name: nothing else changed",
      `    run: cmp README.md "$PRECIS_ORIGINAL/README.md" && ! grep -q '^-[^-]' "$PRECIS_DIFF"`,
      "questions:",
      "  - name: knows the folder",
      "    ask: Where do generated files go?",
      "    key: Under out/ only.",
      `    run: grep -q out/ "$PRECIS_REPLY"`,
    ].join("\n"),
  );
  folder.write("agent.cjs", AGENT);
});
afterAll(() => folder.remove());

const agent = (input: string): string => `'${process.execPath}' '${join(folder.path, "agent.cjs")}' ${input}`;
const continues = (kept: string, ...words: readonly string[]): Promise<Ran> =>
  precisHere(["precis-eval", "exam", "--continue", "cases", "--folder", kept, "--budgets", "5", ...words], {
    folder: folder.path,
    environment: { PATH: process.env["PATH"]!, AGENT_LOG: join(folder.path, `${kept}.log`) },
  });
const agentRuns = (kept: string): number => {
  try {
    return readFileSync(join(folder.path, `${kept}.log`), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
};

interface Told {
  readonly rows: readonly {
    readonly contestant: string;
    readonly runs: number;
    readonly whole: number;
    readonly failed: number;
    readonly checks: { readonly share: number; readonly count: number };
    readonly rules: { readonly share: number; readonly low: number; readonly high: number };
  }[];
  readonly trials: readonly { readonly run: number; readonly checks: readonly { passed: boolean }[] }[];
}
const told = ({ out }: Ran): Told => JSON.parse(out) as Told;

describe("agents that go on", () => {
  it("run nothing before a person has agreed", async () => {
    const ran = await continues("planned", "--agent", agent("{context}"));
    expect(ran).toMatchObject({ code: EXIT.done });
    expect(ran.out).toMatch(
      /1 case, 3 contestants, 3 runs each: 9 runs\n {2}settings {2}2 checks, 2 rules, 1 question/,
    );
    expect(agentRuns("planned")).toBe(0);
    expect(readdirSync(folder.path)).not.toContain("planned");
  });

  it("do with the whole session what they cannot do with its newest messages, three runs each", async () => {
    const ran = await continues("held", "--agent", agent("{context}"), "--yes", "--json");
    expect(ran.code).toBe(EXIT.done);
    const { rows, trials } = told(ran);
    expect(trials).toHaveLength(9);
    const row = (name: string) => rows.find(({ contestant }) => contestant === name)!;
    expect(row("whole")).toMatchObject({
      runs: 3,
      whole: 3,
      failed: 0,
      checks: { share: 1, count: 6 },
      rules: { share: 1 },
      questions: { share: 1, count: 3 },
    });
    expect(row("tail@5%")).toMatchObject({
      whole: 0,
      checks: { share: 0 },
      rules: { share: 0.5 },
      questions: { share: 0 },
    });
    expect(row("compressor@5%")).toMatchObject({ whole: 3 });
    expect(agentRuns("held")).toBe(9);
  });

  it("leave what they did and never touch the case", () => {
    const run = join(folder.path, "held/settings/whole/run-1");
    expect(readdirSync(run).toSorted()).toEqual([
      "agent-errors.txt",
      "answer.txt",
      "changes.diff",
      "context.md",
      "questions.txt",
      "repository",
      "result.json",
    ]);
    expect(readFileSync(join(run, "changes.diff"), "utf8")).toContain("+port 47115");
    expect(readFileSync(join(run, "context.md"), "utf8")).not.toContain("the port is right");
    expect(readdirSync(join(folder.path, "cases/settings/repository"))).toEqual(["README.md"]);
  });

  it("go on behind the last whole run, and say the same", async () => {
    const before = told(await continues("held", "--agent", agent("{context}"), "--yes", "--json"));
    expect(agentRuns("held")).toBe(9);
    rmSync(join(folder.path, "held/settings/whole/run-2/result.json"));
    writeFileSync(join(folder.path, "held/settings/whole/run-2/repository/settings.txt"), "left by a killed run");
    const after = told(await continues("held", "--agent", agent("{context}"), "--yes", "--json"));
    expect(agentRuns("held")).toBe(10);
    expect(after.rows).toEqual(before.rows);
  });

  it("may read the context from standard input, and their failure is counted", async () => {
    const words = ["--contestants", "whole", "--runs", "1", "--yes", "--json"];
    expect(told(await continues("stdin", "--agent", agent("-"), ...words)).rows[0]).toMatchObject({
      whole: 1,
      failed: 0,
    });
    const failing = told(await continues("failing", "--agent", "exit 7", ...words));
    expect(failing.rows[0]).toMatchObject({ whole: 0, failed: 1 });
  });

  it("are shown as tables, with every run and what proves nothing", async () => {
    const { out } = await continues("held", "--agent", agent("{context}"), "--yes");
    expect(out).toMatch(/Agents that continue[^]*whole +100 \(\d+–100\) +100 \(\d+–100\) +100 \(\d+–100\) +3 +3/);
    expect(out).toMatch(/Every run[^]*settings +tail@5% +1 +0\/2 +1\/2 +0\/1/);
    expect(out).toMatch(/What was missed[^]*the port is right[^]*tail@5% 3/);
    expect(out).toMatch(
      /prove nothing \(0 lies within 95 %, or there are fewer than 20\s+checks, rules and questions\)/,
    );
  });
});

describe("agents that somebody else runs", () => {
  const place = "by-hand/settings/whole/run-1";

  it("get a folder each, and what they answered is not prepared away", async () => {
    const ran = await continues("by-hand", "--contestants", "whole", "--prepare", "--yes");
    expect(ran.code).toBe(EXIT.done);
    expect(ran.out.replace(/\s+/g, " ")).toContain("3 runs prepared");
    expect(readdirSync(join(folder.path, place)).toSorted()).toEqual(["context.md", "questions.txt", "repository"]);
    folder.write(`${place}/repository/out/settings.txt`, "port 47115\n");
    folder.write(`${place}/answer.txt`, "It is 47115.\n\n**1.** They go under out/.\n");
    await continues("by-hand", "--contestants", "whole", "--prepare", "--yes");
    expect(readFileSync(join(folder.path, place, "answer.txt"), "utf8")).toContain("47115");
    expect(agentRuns("by-hand")).toBe(0);
  });

  it("are marked where they have answered, without any context being made again", async () => {
    const ran = await continues("by-hand", "--contestants", "whole,plain", "--mark", "--yes");
    expect(ran.code).toBe(EXIT.done);
    expect(ran.out).toMatch(/settings +whole +1 +2\/2 +2\/2 +1\/1/);
    expect(ran.out).toContain("5 runs without an answer.txt");
  });

  it("are no agents that a command runs", async () => {
    const ran = await continues("by-hand", "--agent", "true", "--mark", "--yes");
    expect(ran).toMatchObject({ code: EXIT.usage });
    expect(ran.err).toContain("--agent and --mark exclude one another");
  });
});

describe("what an answer says to a question", () => {
  const answer = "2 files changed.\n\n**1.** The first.\nIt has 2\nlines.\n2) The second.\nQ3: The third.";
  it.each([
    [1, "**1.** The first.\nIt has 2\nlines."],
    [2, "2) The second."],
    [3, "Q3: The third."],
    [4, answer],
  ])("%i", (number, said) => expect(replyTo(answer, number)).toBe(said));
});

describe("what cannot be gone on with", () => {
  it.each([
    [["--yes"], EXIT.usage, "--continue needs an agent"],
    [["sessions", "--agent", "true"], EXIT.usage, "takes the sessions from its cases"],
    [["--agent", "true", "--contestants", "plain"], EXIT.usage, "no model is configured"],
    [["--agent", "true", "--continue", "empty"], EXIT.unreadable, "case.yaml"],
    [["--agent", "true", "--continue", "wrong"], EXIT.unreadable, "request"],
    [["--agent", "true", "--continue", "twice"], EXIT.unreadable, "a unique name"],
  ])("%j ends in %i", async (words, code, said) => {
    mkdirSync(join(folder.path, "empty"), { recursive: true });
    folder.write("wrong/case.yaml", "checks: [{ name: a, run: b }]\n");
    folder.write("twice/case.yaml", "request: a\nchecks: [{ name: a, run: b }]\nrules: [{ name: a, run: c }]\n");
    const ran = await continues("none", ...words);
    expect(ran.err).toContain(said);
    expect(ran).toMatchObject({ code, out: "" });
  });
});
