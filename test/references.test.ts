/** Every reference leads somewhere for a reader from outside: to a file of this repository, or to a public source. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** Notations for documents that are not in this repository. A section sign needs the address of what it is a section of. */
const UNREACHABLE: readonly (readonly [string, RegExp])[] = [
  ["a section of an internal design", /\bDESIGN(?:\.md|\s*§)/],
  ["a numbered document", /\breference\/0\d\d/i],
  ["a numbered document by its bare number", /(?<![\d.,:#_-])(?<!\d )\b00[1-4]\b(?![.,]?\d| \d)/],
  ["an internal note", /\bfield\/[\w-]+\.md|\bfield notes?\b|\b(?:wire-facts|extension-points)\.md/i],
  ["an internal note by its bare name", /(?<!# )\bagents\.md\b/],
  ["documents without a name", /\bthe documents\b/i],
  ["a section of something without an address", /^(?!.*https?:\/\/).*§\s*\d/],
];

/** Recorded work of an agent and generated figures: not our words. */
const RECORDED = /^(?:examples\/.*\.jsonl?|bench\/results\/.*|eval\/exam\/.*\.json|package-lock\.json)$/;
const PICTURE = /\.(?:jpg|png)$/;

const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" })
  .split("\0")
  .filter((path) => path !== "" && !RECORDED.test(path) && !PICTURE.test(path) && existsSync(join(ROOT, path)));

const text = (path: string): string => readFileSync(join(ROOT, path), "utf8");

function unreachableIn(content: string): readonly string[] {
  return content
    .split("\n")
    .flatMap((line, index) =>
      UNREACHABLE.filter(([, notation]) => notation.test(line)).map(
        ([what]) => `${index + 1}: ${what}: ${line.trim().slice(0, 100)}`,
      ),
    );
}

describe("references", () => {
  it("name no document that an outside reader does not have", () => {
    const found = tracked
      .filter((path) => join(ROOT, path) !== import.meta.filename)
      .flatMap((path) => unreachableIn(text(path)).map((what) => `${path}:${what}`));
    expect(found).toEqual([]);
  });

  it.each([
    "as settled in DESIGN §10",
    "(reference/002)",
    "Reference/001 §16.1.1",
    "the thirteen of 002, or seven",
    "(field/agents.md: Claude Code)",
    "from the field notes on the wire",
    "(agents.md names no figure)",
    "as the documents have it",
    "§16.3 triggers at 75 %",
  ])("are recognised in %j", (line) => {
    expect(unreachableIn(line)).not.toEqual([]);
  });

  it.each([
    "https://www.sqlite.org/fileformat.html §1.3",
    "(Zhang 2026, section 12)",
    "`AGENTS.md` of a project",
    '"# agents.md instructions for "',
    "a median of 205.002 ms, 20,000 tokens, 12 000 000 rows",
  ])("are left alone in %j", (line) => {
    expect(unreachableIn(line)).toEqual([]);
  });

  it("to files under docs/ name files that there are", () => {
    const missing = tracked
      .filter((path) => /^(?:src|scripts|bench|e2e)\/.*\.ts$/.test(path))
      .flatMap((path) =>
        [...text(path).matchAll(/(?<![\w./-])docs\/[\w/-]+\.md/g)]
          .map(([name]) => name)
          .filter((name) => !existsSync(join(ROOT, name)))
          .map((name) => `${path}: ${name}`),
      );
    expect(missing).toEqual([]);
  });

  it("between Markdown files lead to files that there are", () => {
    const missing = tracked
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) =>
        [...text(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
          .map((match) => match[1]!)
          .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
          .map((target) => `${path}: ${target}`),
      );
    expect(missing).toEqual([]);
  });

  it("to a heading of a Markdown file name a heading that there is", () => {
    const missing = tracked
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) =>
        [...text(path).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
          .filter(([, file, heading]) => !headings(file === "" ? path : join(dirname(path), file!)).has(heading!))
          .map(([, file, heading]) => `${path}: ${file}#${heading}`),
      );
    expect(missing).toEqual([]);
  });
});

/** Of a Markdown file, as GitHub names them in addresses. */
function headings(path: string): ReadonlySet<string> {
  const lines = text(path)
    .replace(/^```[^]*?^```/gm, "")
    .match(/^#+ .*$/gm);
  return new Set(
    (lines ?? []).map((line) =>
      line
        .replace(/^#+ /, "")
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}
