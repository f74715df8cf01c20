/** The example of an agent as a process, against the strict provider, which refuses whatever a vendor would refuse. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createProvider, type Answer } from "../../provider/src/index.ts";
import { NODE_ENVIRONMENT } from "../cli/precis.ts";

const MAIN = resolve(import.meta.dirname, "../../examples/agent/main.ts");
const LINES_MAX = 200;
const WINDOW_TOKENS = 16_000;
const CALLS = 10;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "precis-agent-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const runs = (command: string): Answer => ({ text: "Next.", calls: [{ name: "shell", arguments: { command } }] });

/** An agent that a provider answers by a script; `input` is what a person types. */
async function agent(script: readonly Answer[], input: string, ...flags: readonly string[]) {
  const provider = createProvider({
    script: [...script],
    models: { strict: { windowTokens: WINDOW_TOKENS } },
    seed: script.length,
  });
  const { url, close } = await provider.listen();
  const words = [MAIN, "--model", "strict", "--url", `${url}/v1`, "--window", String(WINDOW_TOKENS), ...flags];
  const child = spawn(process.execPath, words, { cwd: folder, env: { ...NODE_ENVIRONMENT, HOME: folder } });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => void (out += String(chunk)));
  child.stdin.end(input);
  const ended = new Promise<string>((done) => {
    child.once("close", async () => {
      await close();
      done(out);
    });
  });
  return { child, ended };
}

it("works through compactions, and compacts, undoes and recalls on request", async () => {
  const parts = Array.from({ length: CALLS }, (_, at) =>
    runs(`echo part-${at}; seq ${at * 1_000} ${at * 1_000 + 900}`),
  );
  const { ended } = await agent(
    [...parts, { text: "All parts are counted." }],
    "Count all parts.\n/context\n/compress the parts\n/undo\n/recall part-3\n/exit\n",
    "--yes",
  );
  const out = await ended;
  expect(out).toContain("All parts are counted.");
  expect([...out.matchAll(/compacted: \d+ → \d+ tokens/g)].length).toBeGreaterThan(1);
  expect(out).toMatch(/\d+ tokens, [2-9] compactions so far/);
  expect(out).toContain("The newest compaction is undone.");
  expect(out).toMatch(/r[0-9a-f]{16} {2}/);
  expect(out).not.toContain("failed:");
});

it("runs nothing that is not allowed", async () => {
  const { ended } = await agent([runs("touch made"), { text: "So I stop." }], "Make a file.\nno\n");
  expect(await ended).toContain("So I stop.");
  expect(existsSync(join(folder, "made"))).toBe(false);
});

it("continues a turn that kill -9 cut off, without repeating its command", async () => {
  const script = [runs("echo begun >> begun.txt; sleep 20"), { text: "I continue." }];
  const { child, ended } = await agent(script, "Something slow.\n", "--yes");
  while (child.exitCode === null && !existsSync(join(folder, "begun.txt"))) await pause(20);
  child.kill("SIGKILL");
  await ended;
  const out = await (await agent(script.slice(1), "", "--yes")).ended;
  expect(out).toContain("The last turn was cut off; it continues.");
  expect(out).toContain("I continue.");
  expect(readFileSync(join(folder, "begun.txt"), "utf8")).toBe("begun\n");
});

it("can be read in one sitting", () => {
  expect(readFileSync(MAIN, "utf8").split("\n").length - 1).toBeLessThanOrEqual(LINES_MAX);
});
