/** Completions, as each shell loads and asks for them. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { NODE_ENVIRONMENT, precisHere } from "./precis.ts";

const BIN = resolve(import.meta.dirname, "../../src/cli/bin.ts");
const folder = mkdtempSync(join(tmpdir(), "precis-complete-"));
const program = join(folder, "precis");
writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
chmodSync(program, 0o755);
writeFileSync(join(folder, "session.jsonl"), "");
afterAll(() => rmSync(folder, { recursive: true }));

async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await precisHere(["complete", "--", ...words]);
  return out.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]!]));
}

function inShell(shell: string, script: string): readonly string[] {
  const env = { ...NODE_ENVIRONMENT, PATH: `${folder}${delimiter}${process.env["PATH"]}`, HOME: folder };
  const { stdout, stderr, error } = spawnSync(shell, ["-c", script], { cwd: folder, env, encoding: "utf8" });
  if (error !== undefined) throw error;
  expect(stderr).toBe("");
  return stdout.trim().split(/\s+/);
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).error === undefined;

describe("what can follow", () => {
  it("is a command, of a group its commands, and a flag once a dash is typed", async () => {
    expect(await offered("comp")).toEqual(["compact", "complete"]);
    expect(await offered("")).toEqual(expect.arrayContaining(["serve", "sessions", "doctor"]));
    expect(await offered("sessions", "")).toEqual(expect.arrayContaining(["list", "show", "edit"]));
    expect(await offered("sessions", "show", "--t")).toEqual(["--tail", "--tenant"]);
    expect(await offered("compact", "session.jsonl", "--bud")).toEqual(["--budget"]);
    expect(await offered("compact", "--hel")).toEqual(["--help"]);
  });

  it("is left to the shell, which offers files, where an argument or a flag's value is due", async () => {
    expect(await offered("compact", "")).toEqual([]);
    expect(await offered("compact", "--out", "-")).toEqual([]);
    expect(await offered("nonsense", "--")).toEqual([]);
  });
});

describe("a shell", () => {
  it.skipIf(!isInstalled("bash"))("bash: asks at every Tab", () => {
    const typed = (...words: readonly string[]) =>
      `COMP_WORDS=(precis ${words.join(" ")}); COMP_CWORD=${words.length}; _precis; echo "\${COMPREPLY[*]}"`;
    const script = `source <(precis complete bash); ${typed("sessions", "sh")}; ${typed("compact", "--bud")}; complete -p precis`;
    const [show, budget, ...registered] = inShell("bash", script);
    expect([show, budget, registered.join(" ")]).toEqual(["show", "--budget", "complete -o default -F _precis precis"]);
  });

  it.skipIf(!isInstalled("fish"))("fish: asks at every Tab, and offers files by itself", () => {
    const script = "precis complete fish | source; complete -C 'precis sessions sh'; complete -C 'precis compact sess'";
    const found = inShell("fish", script);
    expect(found).toEqual(expect.arrayContaining(["show", "session.jsonl"]));
  });

  it.skipIf(!isInstalled("zsh"))("zsh: loads its function", () => {
    const script = "autoload -Uz compinit; compinit -u -D; source <(precis complete zsh); echo $_comps[precis]";
    expect(inShell("zsh", script)).toEqual(["_precis"]);
  });

  it("that nobody wrote completions for is an error that names those there are", async () => {
    expect(await precisHere(["complete", "zhs"])).toMatchObject({ code: 2, err: expect.stringContaining("zsh") });
    expect((await precisHere(["complete", "tcsh"])).err).toContain("bash, zsh, fish");
  });
});
