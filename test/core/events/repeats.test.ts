/** What was done again and came to the same is said in the handoff, so that it is not done once more. */
import { describe, expect, it } from "vitest";
import { compacted, filler, ran, says, talk, user } from "../../support/compacting.ts";
import type { Message } from "../../../src/core/transcript/message.ts";

const read = (name: string, id: string, seed = name): Message[] =>
  ran("read_file", { path: `src/${name}.ts` }, filler(900, seed), id);
const insert = (at: number): Message[] =>
  ran("insert_text", { path: "src/a.ts", line: 12, text: "import x from 'y';" }, "inserted", `i${at}`);

const LOOKED = ["k", "l", "m", "n", "o"].flatMap((name) => read(name, name));

async function stateOf(...work: (Message | readonly Message[])[]): Promise<string> {
  const { text } = await compacted(
    talk(
      user("Change the parser so that it takes quoted names."),
      ...work,
      says("So far."),
      user("Go on."),
      says("Yes."),
    ),
    { budget: 2_500, reason: "budget" },
  );
  return /## Active State\n([^]*?)\n(?:## |\[end)/.exec(text)?.[1] ?? "";
}

describe("the state of a handoff", () => {
  it("says how often the same call came to the same", async () => {
    const state = await stateOf(
      LOOKED,
      Array.from({ length: 13 }, (_, at) => insert(at)).flat(),
      Array.from({ length: 5 }, (_, at) =>
        ran("terminal", { command: "npm test" }, "FAIL\nExit code 1", `t${at}`),
      ).flat(),
    );
    expect(state).toContain("Called again, with the same result each time: insert_text src/a.ts");
    expect(state).toContain("(13 times); npm test (5 times)");
  });

  it("does not say it of a call that worked after each change, and says it of one that never did", async () => {
    const turns = (command: string, result: string): Message[] =>
      Array.from({ length: 5 }, (_, at) => [
        ...ran(
          "edit_file",
          { path: "src/a.ts", old_string: `a${at}`, new_string: `b${at}` },
          "The file src/a.ts was updated.",
          `e${command}${at}`,
        ),
        ...ran("terminal", { command }, result, `t${command}${at}`),
      ]).flat();
    const state = await stateOf(LOOKED, turns("npm run build", "built in all"), turns("npm test", "FAIL\nExit code 1"));
    expect(state).not.toContain("npm run build (");
    expect(state).toContain("npm test (5 times)");
  });

  it("does not say it of a call that came to something else at last, and counts from when it was the same", async () => {
    const pods = (results: readonly string[], command: string): readonly (readonly Message[])[] =>
      results.map((result, at) => ran("terminal", { command }, result, `${command}${at}`));
    const state = await stateOf(
      LOOKED,
      pods(["Pending", "Pending", "Pending", "Running"], "kubectl get pods").flat(),
      pods(["Running", "Gone", "Gone", "Gone"], "kubectl get jobs").flat(),
    );
    expect(state).not.toContain("get pods (");
    expect(state).toContain("kubectl get jobs (3 times)");
  });

  it("does not say it of calls that came to something else, nor of two", async () => {
    const state = await stateOf(
      LOOKED,
      Array.from({ length: 5 }, (_, at) => ran("terminal", { command: "npm test" }, `${at} passed`, `t${at}`)).flat(),
      insert(1),
      insert(2),
    );
    expect(state).not.toContain("Called again");
  });
});
