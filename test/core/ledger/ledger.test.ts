import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { settledErrors } from "../../../src/core/ledger/entries.ts";
import { createLedgerKeeper, type Ledger } from "../../../src/core/ledger/ledger.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { RUNS, transcripts } from "../../support/transcripts.ts";
import { does, edits, reads, run, says, user } from "./ledger-talk.ts";
import { expectLinear } from "../../support/linear.ts";

function ledgerOf(...parts: readonly (Message | readonly Message[])[]): Ledger {
  return createLedgerKeeper().ledgerOf(parts.flat());
}

describe("the keeper", () => {
  it("says the same after any number of steps as from scratch", () => {
    fc.assert(
      fc.property(transcripts(), fc.array(fc.nat(), { maxLength: 5 }), ({ messages }, steps) => {
        const keeper = createLedgerKeeper();
        for (const step of steps) keeper.ledgerOf(messages.slice(0, step % (messages.length + 1)));
        expect(keeper.ledgerOf(messages)).toEqual(createLedgerKeeper().ledgerOf(messages));
      }),
      { numRuns: RUNS },
    );
  });

  it("points every entry at a message, and keeps its words", () => {
    fc.assert(
      fc.property(transcripts(), ({ messages }) => {
        const ledger = createLedgerKeeper().ledgerOf(messages);
        const lists = [
          ledger.requests,
          ledger.constraints,
          ledger.decisions,
          ledger.values,
          ledger.questions,
          ledger.actions,
          ledger.files,
        ];
        for (const entry of lists.flat()) expect(messages[entry.message]).toBeDefined();
        for (const { message, text } of ledger.constraints)
          expect(JSON.stringify(messages[message])).toContain(JSON.stringify(text).slice(1, -1));
      }),
      { numRuns: RUNS },
    );
  });

  it("costs what is new: ten messages onto a long conversation", { retry: 3 }, () => {
    const long = Array.from({ length: 400 }, (_, at) => [
      user(`Please look at part ${at}.`),
      ...run(`npm test -- part${at}`, `ok ${at}\n`.repeat(200)),
      says("Done."),
    ]).flat();
    const keeper = createLedgerKeeper();
    const began = performance.now();
    keeper.ledgerOf(long);
    const started = performance.now();
    keeper.ledgerOf([...long, ...run("npm test", "1 passed")]);
    expect(performance.now() - started).toBeLessThan((started - began) / 2);
  });
});

describe("requests", () => {
  it("are what people wrote, verbatim, settled when the turn ends", () => {
    const { requests } = ledgerOf(user("add a footer"), reads("a.ts"), says("Done."), user("now a header"));
    expect(requests).toMatchObject([
      { message: 0, text: "add a footer", settled: 3 },
      { message: 4, text: "now a header" },
    ]);
    expect(requests[1]!.settled).toBeUndefined();
  });

  it("are open again when the assistant goes on by itself", () => {
    expect(ledgerOf(user("add a footer"), says("I will."), reads("a.ts")).requests[0]!.settled).toBeUndefined();
  });

  it("know that they were interrupted", () => {
    const { requests } = ledgerOf(
      user("add a footer"),
      reads("a.ts"),
      user("[Request interrupted by user]"),
      user("no, a header"),
    );
    expect(requests).toMatchObject([{ text: "add a footer", interrupted: true }, { text: "no, a header" }]);
  });

  it("may come as a slash command with words of its own, once", () => {
    const record = "<command-name>/plan</command-name>\n<command-args>add telemetry, never log names</command-args>";
    const { requests, constraints } = ledgerOf(
      user(record),
      user("Make a plan.\n\nARGUMENTS: add telemetry, never log names"),
    );
    expect(requests).toHaveLength(1);
    expect(constraints.map(({ text }) => text)).toEqual(["add telemetry, never log names"]);
  });

  it("are not the commands of the client", () => {
    expect(ledgerOf(user("<command-name>/exit</command-name>\n<command-args></command-args>")).requests).toEqual([]);
  });
});

describe("constraints", () => {
  it("come from people only, and count how often they were said", () => {
    const { constraints } = ledgerOf(
      user("Never push to main."),
      says("You must never rebase."),
      ...reads("a.ts"),
      user("never push to MAIN!"),
    );
    expect(constraints).toEqual([{ kind: "constraint", message: 0, text: "Never push to main.", times: 2, last: 4 }]);
  });
});

describe("rules that are overruled", () => {
  it.each([
    ["Also the currency must be EUR.", "No, use CHF after all, not EUR."],
    // No rule by itself: it takes the place of one.
    ["Ab jetzt die Ausgabe bitte auf Euro.", "Nein, doch lieber Schweizer Franken statt Euro."],
    ["Also the currency must be EUR.", "No, it is CHF, not EUR."],
  ])("make way for what overrules them: %s → %s", (before, now) => {
    const { constraints, overruled } = ledgerOf(user(before), says("Done."), user(now));
    expect(constraints).toMatchObject([{ message: 2, text: now, replaces: before }]);
    expect(overruled).toEqual([before]);
  });

  it("are none where a correction names no rule", () => {
    const { constraints, overruled } = ledgerOf(user("Use tabs."), says("Done."), user("No, it is Bob, not Alice."));
    expect(constraints.map(({ text }) => text)).toEqual(["Use tabs."]);
    expect(overruled).toEqual([]);
  });
});

describe("errors", () => {
  const failing = "Exit code 1\nsrc/a.ts(3,1): error TS2305: no such export";

  it("are resolved by the same command ending well", () => {
    const { errors, commands } = ledgerOf(
      user("fix it"),
      run("npm run check", failing),
      edits("src/a.ts"),
      run("npm run check", "0 errors"),
    );
    expect(errors).toMatchObject([
      { text: "src/a.ts(3,1): error TS2305: no such export", resolved: { message: 6, by: "rerun" } },
    ]);
    expect(commands).toMatchObject([{ times: 2, ok: true }]);
  });

  it("has the newest run of a command last, whichever was run first", () => {
    const { commands } = ledgerOf(
      user("Make it build."),
      ...does("bash", { command: "npm run build" }, "src/a.ts(1,1): error TS2304: Cannot find name 'x'."),
      ...does("bash", { command: "npx tsc --noEmit" }, "src/a.ts(1,1): error TS2304: Cannot find name 'x'."),
      ...does("bash", { command: "npm run build" }, "built in 2 s"),
    );
    expect(commands.map(({ text, ok }) => [text, ok])).toEqual([
      ["npx tsc --noEmit", false],
      ["npm run build", true],
    ]);
  });

  it("are resolved by a like command once files have changed", () => {
    const test = "--- FAIL: TestA (0.0s)\nFAIL";
    const changed = ledgerOf(
      user("go"),
      run("go test ./a", test),
      edits("a.go"),
      run("go test ./a ./b", "ok  \ta\t0.1s"),
    );
    expect(changed.errors).toMatchObject([{ resolved: { by: "success" } }]);
    const unchanged = ledgerOf(user("go"), run("go test ./a", test), run("go test ./b", "ok  \tb\t0.1s"));
    expect(unchanged.errors[0]!.resolved).toBeUndefined();
  });

  it("stand until then, and know when files changed under them", () => {
    const { errors } = ledgerOf(user("fix it"), run("npm run check", failing), edits("src/a.ts"));
    expect(errors).toMatchObject([{ changedSince: 4 }]);
    expect(errors[0]!.resolved).toBeUndefined();
  });

  it("count as settled where they were made good, or where changes and further requests came after them", () => {
    const broken = run("npx tsc --noEmit", "src/a.ts(3,1): error TS2305: no such export\nExit code 2");
    const asked = (...texts: string[]): Message[] => texts.map((text) => user(text));
    const failedAt = 2;
    expect(settledErrors(ledgerOf(user("go"), broken, edits("a.ts"), asked("next", "and this"))).size).toBe(0);
    expect(settledErrors(ledgerOf(user("go"), broken, asked("next", "and this", "and that", "more"))).size).toBe(0);
    expect(settledErrors(ledgerOf(user("go"), broken, edits("a.ts"), asked("next", "and this", "and that")))).toEqual(
      new Set([failedAt]),
    );
  });

  it("in the form of a call are resolved by another call of the same program", () => {
    const mistyped = run("cd /app && git diff main --no-stat", "Exit code 129\nusage: git diff [<options>] [<commit>]");
    const after = (...next: Parameters<typeof run>): boolean[] =>
      ledgerOf(user("go"), mistyped, run(...next)).errors.map(({ resolved }) => resolved !== undefined);
    expect(after("git diff --stat main | head", " a.ts | 2 +-")).toEqual([true]);
    expect(after("git log --oneline", "abc1234 First")).toEqual([false]);
    expect(after("git diff main --no-stat | head", "usage: git diff [<options>]")).toEqual([false]);
    expect(after("git diff --help | head", "GIT-DIFF(1)")).toEqual([false]);
    expect(after("cd /app && ls", "a.ts")).toEqual([false]);
    expect(after("git diff --no-stats", "error: invalid option: --no-stats\nusage: git diff [<options>]")).toEqual([
      false,
    ]);
    expect(after("git diff nowhere", "Exit code 128\nfatal: bad revision 'nowhere'")).toEqual([false, false]);
    const failed = run("git push --force", "Exit code 1\nerror: failed to push some refs");
    expect(ledgerOf(user("go"), failed, run("git push --dry-run", "ok")).errors[0]!.resolved).toBeUndefined();
  });

  it("of an edit are resolved by the edit that worked", () => {
    const miss = does(
      "Edit",
      { file_path: "a.ts", old_string: "x", new_string: "y" },
      "<tool_use_error>String to replace not found in file.</tool_use_error>",
    );
    expect(ledgerOf(user("go"), miss, edits("a.ts")).errors).toMatchObject([{ resolved: { by: "rerun" } }]);
  });

  it("are not made of searches and reads that found nothing", () => {
    const { errors } = ledgerOf(
      user("go"),
      does("Read", { file_path: "b.ts" }, "File does not exist.", { isError: true }),
      run("grep -rn x src", "Exit code 1"),
    );
    expect(errors).toEqual([]);
  });
});

describe("files", () => {
  it("have the last state that a tool brought them into", () => {
    const { files } = ledgerOf(
      user("go"),
      reads("a.ts"),
      edits("a.ts"),
      reads("a.ts"),
      does("Write", { file_path: "b.ts", content: "x" }, "created"),
      edits("b.ts"),
      run("rm c.ts", ""),
    );
    expect(files).toMatchObject([
      { path: "a.ts", state: "edited", tool: "Edit", reads: 2, edits: 1 },
      { path: "b.ts", state: "created", tool: "Write", edits: 2 },
      { path: "c.ts", state: "deleted", tool: "Bash" },
    ]);
  });

  it("are not changed by an edit that failed", () => {
    const miss = does("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" }, "No changes made", {
      isError: true,
    });
    expect(ledgerOf(user("go"), reads("a.ts"), miss).files).toMatchObject([{ path: "a.ts", state: "read" }]);
  });

  it("do not include what a pattern or a script leaves in a command line", () => {
    expect(
      ledgerOf(
        user("go"),
        run("go test ./cmd/... && jq .user.login lib/x.json && git log origin/main..HEAD", "ok"),
      ).files.map(({ path }) => path),
    ).toEqual(["lib/x.json"]);
  });
});

describe("the plan", () => {
  const todo = (status: string): readonly Message[] =>
    does("TodoWrite", { todos: [{ content: "Test it", status }] }, "ok");

  it("is the list as last written", () => {
    expect(ledgerOf(user("go"), todo("pending"), todo("in_progress")).plan).toMatchObject({
      source: "tool",
      items: [{ text: "Test it", state: "doing" }],
    });
  });

  it("in a message is over with the turn that carried it out", () => {
    const plan = says("Plan:\n1. Add the field\n2. Write the test");
    expect(ledgerOf(user("how?"), plan, user("yes"), edits("a.ts")).plan).toMatchObject({ source: "text" });
    const over = [user("how?"), plan, user("yes"), edits("a.ts"), says("All done.")].flat();
    expect(ledgerOf(over).plan).toBeUndefined();
    const next = does("TaskCreate", { subject: "Write the docs", description: "all" }, "Task #1 created");
    expect(ledgerOf(over, user("and now?"), next).plan!.items).toEqual([{ text: "Write the docs", state: "open" }]);
  });
});

describe("questions", () => {
  it("are answered by the words that end the turn, or stay open", () => {
    const { questions } = ledgerOf(
      user("Which port does the server use?"),
      says("The server uses port 8137."),
      user("And the database?"),
    );
    expect(questions).toMatchObject([
      { by: "person", answer: { message: 1, text: "The server uses port 8137." } },
      { by: "person", text: "And the database?" },
    ]);
    expect(questions[1]!.settled).toBeUndefined();
  });

  it("of the assistant are answered by a short reply", () => {
    const { questions } = ledgerOf(
      user("go"),
      says("It works.\n\nShall I commit it to main?"),
      user("no, to a branch"),
    );
    expect(questions).toMatchObject([
      { by: "assistant", text: "Shall I commit it to main?", answer: { text: "no, to a branch" } },
    ]);
  });
});

describe("hostile transcripts", () => {
  it("pair repeated call ids in order and ignore orphans", () => {
    const call = (id: string, path: string): Message => ({
      role: "assistant",
      parts: [{ kind: "tool-call", id, name: "Read", arguments: JSON.stringify({ file_path: path }) }],
    });
    const result = (id: string): Message => ({
      role: "tool",
      parts: [{ kind: "tool-result", callId: id, content: [] }],
    });
    const { files } = createLedgerKeeper().ledgerOf([
      result("x"),
      call("x", "a.ts"),
      result("x"),
      result("x"),
      call("x", "b.ts"),
      result("x"),
    ]);
    expect(files.map(({ path }) => path)).toEqual(["a.ts", "b.ts"]);
  });

  it("with endless lines cost no more than ordinary text", () => {
    expectLinear(50_000, (times) => {
      const line = "never use x because y ".repeat(times);
      return () =>
        ledgerOf(
          user(line),
          says(line),
          run(`echo ${line}`, line),
          run("npm test", line),
          does("Task", { prompt: line }, line),
        );
    });
  });

  it.each(["* | ", "usage: ", "abc1234 x\n", " \n", "Traceback (most recent call last):\n", "\n\t", "error: usage:\n"])(
    "cost no more where a run shows %j for ever",
    (unit) => {
      expectLinear(50_000, (times) => {
        const text = unit.repeat(times);
        const command = "git commit -qm x && git log --oneline";
        return () =>
          ledgerOf(
            user("go"),
            run(command, text),
            run("git diff --x", `Exit code 129\n${text}usage: git diff [<options>]`),
            run("python a.py", `Traceback (most recent call last):\n${text}`),
          );
      });
    },
  );
});

describe("a merge with conflicts", () => {
  const conflicts =
    "Auto-merging src/a.ts\nCONFLICT (content): Merge conflict in src/a.ts\nCONFLICT (modify/delete): src/old.ts deleted in HEAD and modified in origin/main.\nAutomatic merge failed; fix conflicts and then commit the result.";
  const merge = run("git merge origin/main", conflicts, { isError: true });

  it("names the files until something is committed", () => {
    const open = ledgerOf([user("Merge."), ...merge]).errors;
    expect(open.map(({ text }) => text)).toEqual(["merge conflicts in src/a.ts, src/old.ts"]);
    const done = ledgerOf([user("Merge."), ...merge, ...run("git commit --no-edit", "[main 0abc123] Merge")]).errors;
    expect(done.every(({ resolved }) => resolved !== undefined)).toBe(true);
  });
});

it("has no error left in a file that was deleted", () => {
  const error = "src/modes/view.ts(3,5): error TS2304: Cannot find name 'x'.";
  const { errors } = ledgerOf([
    user("Build."),
    ...run("npx tsc", error, { isError: true }),
    ...run("rm packages/app/src/modes/view.ts", ""),
  ]);
  expect(errors.map(({ resolved }) => resolved !== undefined)).toEqual([true]);
});

it("learns the branch from a command that prints only that", () => {
  const { branch } = ledgerOf([
    user("Go."),
    ...run("git checkout -b fix/a", "Switched to a new branch 'fix/a'"),
    ...run("git branch --show-current", "feature/b\n"),
  ]);
  expect(branch).toBe("feature/b");
});

it("keeps the rules of project instructions that the agent read, and only those", () => {
  const shown =
    "     1→# Shop\n     2→\n     3→Always run `npm run lint` before committing.\n     4→The shop sells books.";
  const { instructions } = ledgerOf([user("Go."), ...does("Read", { file_path: "/repo/AGENTS.md" }, shown)]);
  expect(instructions.map(({ text, file }) => [file, text])).toEqual([
    ["AGENTS.md", "Always run `npm run lint` before committing."],
  ]);
  const commands =
    "     1→## Running Tests\n     2→```bash\n     3→mise run test\n     4→```\n<system-reminder>You must always be kind to files.</system-reminder>";
  const read = ledgerOf([user("Go."), ...does("Read", { file_path: "/repo/CLAUDE.md" }, commands)]);
  expect(read.instructions.map(({ text }) => text)).toEqual(["Running Tests: `mise run test`"]);
  const page = ledgerOf([user("Go."), ...does("Read", { file_path: "/repo/page.md" }, shown)]);
  expect(page.instructions).toEqual([]);
});
