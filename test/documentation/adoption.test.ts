/**
 * What somebody does to use precis: at most three lines in the first example for each SDK and framework, and one command, or three at
 * most, for each agent and proxy that precis runs inside.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { precisHere } from "../cli/precis.ts";

const DOCS = join(import.meta.dirname, "../../docs");
const LINES_MAX = 3;

/** The first block of code of each section that imports an entry of ours, by the section's heading. */
const examples = sectionsOf("frameworks.md").flatMap(([heading, section]) => {
  const code = Array.from(section.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, text]) => text!);
  const first = code.find((text) => /from "precis(?:\/|")/.test(text));
  return first === undefined ? [] : [[heading, first] as const];
});

/** The hosts of the table, and the first block of each one's section. */
const hosts = sectionsOf("hosts.md").flatMap(([heading, section]) => {
  const [, language, text] = /^```(\w+)\n([\s\S]*?)^```/m.exec(section) ?? [];
  return text === undefined ? [] : [[heading, language!, text] as const];
});

function sectionsOf(page: string): readonly (readonly [heading: string, text: string])[] {
  const sections = readFileSync(join(DOCS, page), "utf8").split(/^## /m).slice(1);
  return sections.map((section) => [section.slice(0, section.indexOf("\n")), section] as const);
}

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

  it("has a section for every host of the table", () => {
    const table = readFileSync(join(DOCS, "hosts.md"), "utf8").matchAll(/^\| .*\| \[([^\]]+)\]\(#/gm);
    expect(hosts.map(([heading]) => heading).toSorted()).toEqual(Array.from(table, ([, name]) => name!).toSorted());
  });

  it.each(hosts)("takes one command, or three at most, inside a host: %s", (_, language, text) => {
    const commands = text.split("\n").filter((line) => line.trim() !== "");
    expect(language).toBe("sh");
    expect(commands.length).toBeLessThanOrEqual(text.includes("precis setup ") ? 1 : LINES_MAX);
  });

  it.each(hosts)("has commands that change nothing that is not taken back: %s", async (_, __, text) => {
    for (const [, words] of text.matchAll(/^precis (setup [^#\n]*?) *(?:#.*)?$/gm)) {
      const folder = mkdtempSync(join(tmpdir(), "precis-adoption-"));
      const run = (...more: readonly string[]) =>
        precisHere([...words!.split(" "), ...more], { folder, environment: { HOME: folder } });
      expect(await run()).toMatchObject({ code: 0, out: expect.stringContaining("written") });
      expect(await run("--undo")).toMatchObject({ code: 0, out: expect.stringContaining("taken back") });
      expect(filesBelow(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
    }
  });
});

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}
