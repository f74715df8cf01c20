/** `precis handoff`: a session of one agent becomes the beginning of another, towards a goal. */
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { precisHere, temporaryFolder } from "./precis.ts";

const SESSION = `${import.meta.dirname}/../../examples/restart.claude-code.jsonl`;
const GOAL = "Write the guide for operators.";

function handoff(...words: readonly string[]) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const environment = { XDG_DATA_HOME: folder.path, HOME: folder.path };
  const run = (args: readonly string[]) => precisHere(args, { folder: folder.path, environment });
  return { run, done: run(["handoff", GOAL, ...words]) };
}

describe("precis handoff", () => {
  it("writes what a new session needs, with the goal as its request, and leaves the old one alone", async () => {
    const { done, run } = handoff(SESSION, "--budget", "1500");
    const { code, out, err } = await done;
    expect([code, out.trimEnd().endsWith(GOAL)]).toEqual([0, true]);
    expect(out).toContain("orders.jsonl is append-only");
    expect(out).toContain(`The newest user message: "${GOAL}"`);
    expect(err).toMatch(/6,\d+ → [\d,]+ tokens/);
    const listed = JSON.parse((await run(["sessions", "--json"])).out) as { compactions: number }[];
    expect(listed).toMatchObject([{ compactions: 0 }]);
    const id = /recall (r[0-9a-f]{16})/.exec(out)![1]!;
    const { out: original } = await run(["recall", id]);
    expect(original).toContain("power cut");
  });

  it("takes a whole session where that is small, and says what it cannot read", async () => {
    const { code, out } = await handoff(SESSION, "--set", "model.context_length=200000").done;
    expect([code, out.includes(GOAL)]).toEqual([0, true]);
    expect(await handoff().done).toMatchObject({
      code: 2,
      err: expect.stringContaining("no agent has kept a session"),
    });
    const { code: refused, err } = await handoff("gone.jsonl").done;
    expect(await handoff().run(["handoff", SESSION])).toMatchObject({
      code: 2,
      err: expect.stringContaining("no goal"),
    });
    expect([refused, err]).toEqual([3, expect.stringContaining("no such file")]);
    expect(readFileSync(SESSION, "utf8")).not.toContain(GOAL);
  });
});
