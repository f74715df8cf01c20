/** What somebody adds to a program to use precis: at most three lines in the first example for each SDK and framework. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const PAGE = join(import.meta.dirname, "../../docs/frameworks.md");
const LINES_MAX = 3;

/** The first block of code of each section that imports an entry of ours, by the section's heading. */
const examples = readFileSync(PAGE, "utf8")
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const heading = section.slice(0, section.indexOf("\n"));
    const code = Array.from(section.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, text]) => text!);
    const first = code.find((text) => /from "precis(?:\/|")/.test(text));
    return first === undefined ? [] : [[heading, first] as const];
  });

/** Lines that import something of ours, or use it. The recall tool among somebody's own tools is for those who want it. */
function addedLines(code: string): readonly string[] {
  const lines = code.split("\n");
  const imports = lines.filter((line) => /from "precis(?:\/|")/.test(line));
  const names = imports.flatMap((line) => /\{ ([^}]+) \}/.exec(line)?.[1]?.split(", ") ?? []);
  const own = new RegExp(String.raw`\b(?:${[...names, "precis"].join("|")})\b`);
  return lines.filter((line) => own.test(line.replace("...precis.tools()", "")));
}

describe("adopting precis", () => {
  it("has an example for every framework", () => {
    expect(examples.length).toBeGreaterThanOrEqual(5);
  });

  it.each(examples)("takes at most three lines: %s", (_, code) => {
    expect(addedLines(code).length).toBeGreaterThan(0);
    expect(addedLines(code).length).toBeLessThanOrEqual(LINES_MAX);
  });
});
