/** The module of the plugin for Claude Code: what the person reads where precis cannot compact. `$` is Claude Code's; `precis` runs. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const MODULE = join(ROOT, ".claude-plugin/compact.mjs");
const OWN = { messages: "of Claude Code" };

type Hook = ($: object, e: object, next: object) => unknown;

async function compact(e: object, run: (argv: readonly string[], init: { readonly stdin: string }) => unknown) {
  const { register } = (await import(MODULE)) as { register: (on: unknown) => void };
  const hooks: Hook[] = [];
  register((_: string, hook: Hook) => {
    hooks.push(hook);
    return { catch: (handler: Hook) => void hooks.push(handler) };
  });
  const shown: string[] = [];
  const $ = {
    session: {
      info: () => ({ transcriptPath: "session.jsonl" }),
      usage: () => ({ context: { window: 20_000 } }),
      model: () => "claude-sonnet-4-5",
    },
    process: { run },
    env: { set: () => undefined },
    ui: { log: (text: string) => void shown.push(text), toast: () => undefined, status: () => undefined },
  };
  const next = (): unknown => OWN;
  const [hook, caught] = hooks;
  const event = { trigger: "auto", messages: [], ...e };
  try {
    return { shown, result: await hook!($, event, next) };
  } catch (error) {
    const failed = Object.assign(() => OWN, { error, called: false });
    return { shown, result: await caught!($, event, failed) };
  }
}

/** With a home in which the store cannot be made. */
function runPrecis(_: readonly string[], { stdin }: { readonly stdin: string }) {
  const home = mkdtempSync(join(tmpdir(), "precis-module-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, "precis"), "no folder");
  const env = { PATH: process.env["PATH"], HOME: home, XDG_DATA_HOME: home };
  const words = ["--disable-warning=ExperimentalWarning", join(ROOT, "src/cli/bin.ts"), "hook"];
  expect(existsSync(words[1]!)).toBe(true);
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { input: stdin, env, encoding: "utf8" });
  return { exitCode: status ?? 1, stdout, stderr };
}

it("tells the person why Claude Code compacts itself", async () => {
  const { shown, result } = await compact({}, runPrecis);
  expect(result).toBe(OWN);
  expect(shown).toEqual([expect.stringMatching(/^precis did not compact, so Claude Code does: .*session\.jsonl/)]);
});

it.each([
  ["is not installed", () => Promise.reject(new Error("precis: not found")), "precis: not found"],
  ["fails", () => ({ exitCode: 1, stdout: "", stderr: "error: no\nmore" }), "error: no"],
  ["says nothing", () => ({ exitCode: 3, stdout: "", stderr: "" }), "`precis hook` ended with 3."],
])("also where it %s", async (_, run, says) => {
  const { shown, result } = await compact({}, run);
  expect(result).toBe(OWN);
  expect(shown).toEqual([`precis did not compact, so Claude Code does: ${says}`]);
  expect(await compact({ instructions: "undo" }, run)).toEqual({
    shown: [],
    result: { skip: `precis could not undo: ${says}` },
  });
});
