/** docs/cli.md is what the commands say of themselves. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { allCommands } from "../../src/cli/main.ts";
import { withCommands } from "../../scripts/docs/commands.ts";
import { manPage } from "../../scripts/docs/man-page.ts";
import manifest from "../../package.json" with { type: "json" };

it("docs/cli.md is current, as `npm run docs` leaves it", async () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/cli.md"), "utf8");
  expect(withCommands(page, await allCommands())).toBe(page);
});

it("every command explains itself, its arguments and how it is used", async () => {
  for (const one of await allCommands()) {
    for (const command of "commands" in one ? one.commands : [one]) {
      expect(command.summary).toMatch(/^[A-Z].*\.$/);
      expect(Object.keys(command.examples).length).toBeGreaterThan(0);
      for (const line of Object.keys(command.examples)) expect(line).toContain(`precis ${command.name}`);
      for (const { description } of Object.values(command.args)) expect(description).toMatch(/^[A-Z].*\.$/);
    }
  }
});

it("the man page is current, as `npm run docs` leaves it, and is one that `man` can show", async () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../docs/precis.1"), "utf8");
  expect(manPage(manifest.version, await allCommands())).toBe(page);
  const requests = page.split("\n").filter((line) => /^[.']/.test(line));
  expect(requests.filter((line) => !/^\.(?:TH|SH|SS|TP|PP|B|I|IR|nf|fi)\b/.test(line))).toEqual([]);
  expect(page.split("\n").filter((line) => line.length > 0 && /[^\\]-/.test(line.replace(/^\.TH.*/, "")))).toEqual([]);
  expect(manifest.man).toBe("docs/precis.1");
});
