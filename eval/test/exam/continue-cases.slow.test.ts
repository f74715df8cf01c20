/**
 * The project's own cases for agents that go on: they come out the same every time, untouched work earns nothing and bends
 * no rule, a solution earns everything, and what has to be remembered is not in the newest tenth.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CONTINUE_CASES, type Check } from "../../../examples/continue/cases.ts";
import { replyTo } from "../../src/exam/continue/answers.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const SOLUTIONS = join(import.meta.dirname, "solutions");

/** Four recorded sessions are made twice, on a machine that has other things to do. */
const CASES_MS_MAX = 600_000;

let folder: string;
let again: string;
beforeAll(() => {
  [folder, again] = [casesMade(), casesMade()];
}, CASES_MS_MAX);
afterAll(() => {
  for (const one of [folder, again]) rmSync(one, { recursive: true, force: true });
});

function casesMade(): string {
  const place = mkdtempSync(join(tmpdir(), "precis-cases-"));
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "eval/scripts/continue-cases.ts"), place], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return place;
}

interface Work {
  readonly repository: string;
  readonly failing: (checks: readonly Check[]) => readonly string[];
  readonly unanswered: (questions: readonly Check[]) => readonly string[];
}

/** A copy of a case's repository, and an answer. */
function workOn(name: string, answer: string): Work {
  const place = mkdtempSync(join(folder, `${name}-work-`));
  const [original, repository] = [join(folder, name, "repository"), join(place, "repository")];
  cpSync(original, repository, { recursive: true });
  writeFileSync(join(place, "answer.txt"), answer);
  const holds = ({ run }: Check, reply: string): boolean => {
    writeFileSync(join(place, "reply.txt"), reply);
    const env = {
      PATH: process.env["PATH"],
      PRECIS_CASE: join(folder, name),
      PRECIS_ORIGINAL: original,
      PRECIS_REPOSITORY: repository,
      PRECIS_DIFF: join(place, "changes.diff"),
      PRECIS_ANSWER: join(place, "answer.txt"),
      PRECIS_REPLY: join(place, "reply.txt"),
    };
    return spawnSync(run, { shell: true, cwd: repository, env }).status === 0;
  };
  return {
    repository,
    failing: (checks) => {
      const { stdout } = spawnSync("git", ["diff", "--no-index", "--no-color", "--", original, repository], {
        encoding: "utf8",
      });
      writeFileSync(join(place, "changes.diff"), stdout);
      return checks.filter((check) => !holds(check, answer)).map((check) => check.name);
    },
    unanswered: (questions) =>
      questions.filter((question, at) => !holds(question, replyTo(answer, at + 1))).map((question) => question.name),
  };
}

function solved(name: string): Work {
  const solution = join(SOLUTIONS, name);
  const work = workOn(name, readFileSync(join(solution, "answer.txt"), "utf8"));
  cpSync(solution, work.repository, {
    recursive: true,
    filter: (path) => !/(?:answer\.txt|append-to-shipping\.js)$/.test(path),
  });
  const appended = join(solution, "append-to-shipping.js");
  if (existsSync(appended)) appendFileSync(join(work.repository, "src/shipping.js"), readFileSync(appended));
  return work;
}

interface SessionMessage {
  readonly role: string;
  readonly content: string;
}

describe.each(CONTINUE_CASES.map((one) => [one.name, one] as const))(
  "the case %s",
  (name, { checks, rules, questions }) => {
    const messages = (): readonly SessionMessage[] =>
      JSON.parse(readFileSync(join(folder, name, "session.json"), "utf8")).messages;

    it("is a session without its last request, a repository, and a request", () => {
      expect(messages().at(-1)!.role).toBe("assistant");
      expect(existsSync(join(folder, name, "repository", ".git"))).toBe(false);
      expect(readFileSync(join(folder, name, "case.yaml"), "utf8")).toContain("request:");
    });

    it("comes out the same, byte by byte", () => {
      const made = ["session.json", "case.yaml"].map((file) => readFileSync(join(folder, name, file), "utf8"));
      const remade = ["session.json", "case.yaml"].map((file) => readFileSync(join(again, name, file), "utf8"));
      expect(remade).toEqual(made);
    });

    it("has what the person decided in the first two thirds, and is long enough to lose it", () => {
      const text = messages().map((message) => JSON.stringify(message));
      const lengthBefore = (at: number): number => text.slice(0, at).join("").length;
      const whole = lengthBefore(text.length);
      const long = messages().flatMap(({ role, content }, at) => (role === "user" && content.length > 400 ? [at] : []));
      expect(long.length).toBeGreaterThan(1);
      expect(lengthBefore(long.at(-1)!)).toBeLessThan((whole * 2) / 3);
      expect(whole).toBeGreaterThan(90_000);
    });

    it("finds the work undone where nothing was done", () => {
      expect(workOn(name, "").failing(checks)).toEqual(checks.map((check) => check.name));
    });

    it("is not answered by what every agent could say", () => {
      expect(workOn(name, "I do not know.").unanswered(questions)).toEqual(questions.map((one) => one.name));
    });

    it("earns everything when it is solved", () => {
      const { failing, unanswered } = solved(name);
      expect([...failing([...checks, ...rules]), ...unanswered(questions)]).toEqual([]);
    });
  },
);

describe("a solution that forgets", () => {
  const change = (work: Work, file: string, from: string, to: string): void => {
    const path = join(work.repository, file);
    const text = readFileSync(path, "utf8");
    expect(text).toContain(from);
    writeFileSync(path, text.replaceAll(from, to));
  };
  it.each([
    ["settlement", "src/settlement.js", "8415", "8411", "the account of each region, as it is now"],
    ["settlement", "src/settlement.js", '"\\t"', '";"', "the columns, by tabs"],
    ["settlement", "test/settlement.test.js", "acc: ", "", "its tests are named for accounting, and pass"],
    ["express", "src/shipping.js", "15_000", "20_000", "15 kg, express_too_heavy, never split"],
    ["express", "src/shipping.js", "Math.ceil((standard", "Math.round((standard", "always up to the next 10 cents"],
    ["express", "src/shipping.js", "// carrier 2026-03", "", "the carrier's figures have their comment, all of them"],
    ["stocktake", "src/stocktake.js", "_MAX = 2", "_MAX = 3", "up to 2 units are booked, not 3"],
    ["stocktake", "src/stocktake.js", "counted >= reserved &&", "", "fewer than are reserved: recount"],
    ["trip", "hotel.md", "19:15", "20:21", "the letter: arrival at 19:15"],
    ["trip", "rooms.csv", "31,", "27,", "the twelve rooms that hold now"],
    ["trip", "rooms.csv", "Tom R.", "Tom Reyes", "first name and first letter only, no numbers, no births"],
  ])("of %s, in %s: %s for %s", (name, file, from, to, check) => {
    const { checks, rules } = CONTINUE_CASES.find((one) => one.name === name)!;
    const work = solved(name);
    change(work, file, from, to);
    expect(work.failing([...checks, ...rules])).toContain(check);
  });
});
