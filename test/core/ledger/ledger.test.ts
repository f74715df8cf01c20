import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLedgerKeeper } from "../../../src/core/ledger/ledger.ts";
import { retractedBy } from "../../../src/core/ledger/entries.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { RUNS, transcripts } from "../../support/transcripts.ts";
import { does, edits, ledgerOf, reads, run, says, user } from "./ledger-talk.ts";
import { expectLinear } from "../../support/linear.ts";
import { processorMs } from "../../support/linear.ts";

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
    const wholeMs = processorMs(() => keeper.ledgerOf(long));
    const moreMs = processorMs(() => keeper.ledgerOf([...long, ...run("npm test", "1 passed")]));
    expect(moreMs).toBeLessThan(wholeMs / 2);
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

  it("are not what is shown as a demonstration directly before", () => {
    const task = user("Please fix the rounding in src/fields.py.");
    const shown = user(
      "Here is a demonstration of how to correctly accomplish this task.\nFix the port in src/server.py.",
    );
    expect(ledgerOf(shown, task).requests.map(({ message }) => message)).toEqual([1]);
    expect(ledgerOf(shown, says("Fixed."), task).requests).toHaveLength(2);
    expect(ledgerOf(user("Here is an example of the failing output: 344"), task).requests).toHaveLength(2);
    expect(ledgerOf(shown).requests).toHaveLength(1);
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

describe("figures that the assistant took back", () => {
  const { values, decisions, overruled, retractions } = ledgerOf(
    user("Revenue at risk?"),
    says("Revenue at risk: €9,184,221.55 in the last 12 months."),
    user("That looks high."),
    says("The rates were doubled. My €9,184,221.55 was wrong."),
    says("Corrected revenue at risk: €7,402,118.09 (ECB rates)."),
  );

  it("hold no longer, and what holds is settled", () => {
    expect(values.map(({ message }) => message)).toEqual([4]);
    expect(overruled).toEqual(["Revenue at risk: €9,184,221.55 in the last 12 months."]);
    expect(retractions).toMatchObject([{ message: 3, figure: "9,184,221.55" }]);
    expect(decisions.map(({ text }) => text)).toEqual([
      "My €9,184,221.55 was wrong.",
      "Corrected revenue at risk: €7,402,118.09 (ECB rates).",
    ]);
  });

  it("are not quoted from what was said before", () => {
    const isRetracted = retractedBy({ retractions })!;
    expect(isRetracted(1, "at risk: €9,184,221.55")).toBe(true);
    expect(isRetracted(3, "My €9,184,221.55 was wrong.")).toBe(false);
    expect(retractedBy({ retractions: [] })).toBeUndefined();
  });
});

describe("what the assistant proposes", () => {
  const proposal = "My recommendation: go with option A for all of the releases.";
  const offer = says(`**Option A — a section of its own**\n**Option B — a thank-you line**\n\n${proposal}`);
  const decided = (...parts: readonly (Message | readonly Message[])[]): unknown =>
    ledgerOf(user("How do we thank people?"), offer, ...parts).decisions.map(({ text, choice }) => [text, choice]);

  it("is decided where the person agrees, or the assistant goes on by itself", () => {
    expect(decided()).toEqual([]);
    expect(decided(user("yes please"))).toEqual([[proposal, "yes please"]]);
    expect(decided(edits("CHANGELOG.md"))).toEqual([[proposal, undefined]]);
    expect(decided(user("Now fix the footer."))).toEqual([]);
  });

  it("makes way for the option that the person chooses", () => {
    expect(decided(user("I like option B"))).toEqual([["Option B — a thank-you line", "I like option B"]]);
  });
});

describe("rules that go with one request", () => {
  const rules = (...texts: readonly string[]): readonly string[] =>
    ledgerOf(...texts.flatMap((text) => [user(text), says("Done.")])).constraints.map(({ text }) => text);

  it("end with an order to do just that, and are told as they were said", () => {
    const ban = "yes, but we don't need to commit";
    expect(rules(ban, "now the header")).toEqual([ban]);
    expect(rules(ban, "commit please")).toEqual([]);
    expect(ledgerOf(user(ban), says("Done."), user("commit please")).overruled).toEqual([]);
  });

  it("stay where they were said twice", () => {
    const ban = "yes, but we don't need to commit";
    expect(rules(ban, ban, "commit please")).toEqual([ban]);
  });
});

describe("rules that are overruled", () => {
  it.each([
    ["Also the currency must be EUR.", "No, use CHF after all, not EUR."],
    // No rule by itself: it takes the place of one.
    ["Ab jetzt die Ausgabe bitte auf Euro.", "Nein, doch lieber Schweizer Franken statt Euro."],
    ["Also the currency must be EUR.", "No, it is CHF, not EUR."],
    ["Use c3-standard-8 with 2 nodes.", "Make it 3 nodes of c3-standard-4 instead."],
    ["Definition of churn: no order in 60 days.", "Please use 90 days from here on."],
    ["Yes, let's go with the economy class.", "Could you upgrade me to business class?"],
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

  it("are none where another value could be that of several", () => {
    const said = ["Keep logs for 60 days.", "The trial must last 14 days.", "Make it 90 days."];
    const { constraints } = ledgerOf(...said.map(user));
    expect(constraints.map(({ text }) => text)).toEqual(said.slice(0, 2));
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

  it("are changed by an edit of the open file, which only its result names", () => {
    const shown = "[File: /repo/src/fields.py (1997 lines total)]\n1475: return 1\n(Current directory: /repo)";
    const open = does("open", { path: "src/fields.py" }, shown);
    const line = { replacement_text: "return 1", start_line: 1475, end_line: 1475 };
    const edited = does("edit", line, `File updated. Please review the changes.\n${shown}`);
    const { files, actions } = ledgerOf(open, edited);
    expect(files).toMatchObject([{ path: "src/fields.py", state: "edited", tool: "edit", reads: 1, edits: 1 }]);
    expect(actions[1]).toMatchObject({ target: "src/fields.py" });
    expect(
      ledgerOf(open, does("shell", { command: "edit 1475:1475\nreturn 1\nend_of_edit" }, shown)).files,
    ).toMatchObject([{ path: "src/fields.py", state: "edited" }]);
    const refused = "Your proposed edit has introduced new syntax error(s).\nThis is how it would have looked\n";
    expect(ledgerOf(open, does("edit", line, `${refused}${shown}`)).files).toMatchObject([{ state: "read" }]);
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

  it("in a message is over where the turn that wrote it changed files and ended, unless that asks about the rest", () => {
    const text = "Now I'll make the edits:\n1. Update the fish case\n2. Add a test";
    const begun = [user("please test it"), does("Edit", { file_path: "/a.go" }, "updated", { text })].flat();
    expect(ledgerOf(begun).plan).toMatchObject({ source: "text" });
    expect(ledgerOf(begun, says("All clean: the case is updated and tested.")).plan).toBeUndefined();
    expect(ledgerOf(begun, says("The case is updated. Shall I add the test?")).plan).toMatchObject({ source: "text" });
    const looked = [user("please test it"), does("Read", { file_path: "/a.go" }, "1\tconst a", { text })].flat();
    expect(ledgerOf(looked, says("This is how I would do it.")).plan).toMatchObject({ source: "text" });
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

it("follows the branch where it is renamed, and no other", () => {
  const branchAfter = (...steps: (readonly [string, string])[]): string | undefined =>
    ledgerOf([
      user("go"),
      ...run("git checkout -b ops/pool && git commit -m x", "[ops/pool 3fe09d1] x"),
      ...steps.flatMap(([command, text]) => run(command, text)),
    ]).branch;
  const pushed = "To github.com:a/b.git\n * [new branch]      pool -> pool";
  expect(branchAfter(["git branch -m pool && git push -u origin pool", pushed])).toBe("pool");
  expect(branchAfter(["git branch -M ops/pool infra/pool", ""])).toBe("infra/pool");
  expect(branchAfter(["git branch -m old new", ""])).toBe("ops/pool");
  expect(branchAfter(["git branch -m main", "fatal: a branch named 'main' already exists"])).toBe("ops/pool");
  expect(branchAfter(["cat > notes.md <<'EOF'\ngit branch -m a\nEOF", ""])).toBe("ops/pool");
  expect(branchAfter(["git branch -m a && git checkout b", "Switched to branch 'b'"])).toBe("b");
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
