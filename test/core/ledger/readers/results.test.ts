import { describe, expect, it } from "vitest";
import { describeCall } from "../../../../src/core/digest/call.ts";
import { deedOf } from "../../../../src/core/ledger/readers/commands.ts";
import { readResult, type CallResult } from "../../../../src/core/ledger/readers/results.ts";
import { branchIn, folderIn, rootOf } from "../../../../src/core/ledger/readers/workspace.ts";
import { processorMs } from "../../../support/linear.ts";

function result(name: string, args: unknown, text: string, isError = false): CallResult {
  return readResult(deedOf(describeCall(name, JSON.stringify(args))), text, isError);
}
const run = (command: string, text: string, isError = false): CallResult => result("Bash", { command }, text, isError);

describe("how a run ended", () => {
  it("is its exit status where the harness prints one", () => {
    expect(run("make build", "Exit code 2\nsrc/a.c:3:1: error: expected ';'")).toMatchObject({
      ok: false,
      exit: 2,
      errors: ["src/a.c:3:1: error: expected ';'"],
    });
    expect(run("deploy", "all good\n\nCommand exited with code 0").ok).toBe(true);
  });

  it("is what its tests say where it does not", () => {
    const failed = run("go test ./...", "--- FAIL: TestLogin (0.01s)\nFAIL\nFAIL\tapp\t0.3s");
    expect(failed).toMatchObject({ ok: false, failing: ["TestLogin"] });
    expect(failed.errors.join()).toContain("TestLogin");
    expect(run("pytest", "===== 12 passed in 0.4s =====")).toMatchObject({ ok: true, passed: 12 });
  });

  it("is a failure where the last that it printed is one, but for what was committed before", () => {
    expect(run("kubectl drain x2", "x2 cordoned\nerror: timed out")).toMatchObject({ ok: false });
    expect(run("terraform apply", "Creating...\n╷\n│ Error: quota of '8.0'\n╵")).toMatchObject({ ok: false });
    expect(run("git push", "remote: error: GH006\n ! [remote rejected] a -> a (hook declined)").ok).toBe(false);
    expect(run("git commit -m x && git push", "[a 7e00b6e] x\nfatal: no upstream").ok).toBe(true);
    expect(run("./sync", "error: retrying\nsynced")).toMatchObject({ ok: true, reports: "error: retrying" });
  });

  it("is not read from what a command shows", () => {
    expect(run("cat app.log", "ERROR disk full\nFAILED test_a").errors).toEqual([]);
    expect(run("grep -rn error src", "Exit code 1").errors).toEqual([]);
  });

  it("keeps the line that says most", () => {
    const commit = run("git commit -m x", "hook ran\n[main 7e00b6e] Add the field\n 2 files changed, 10 insertions(+)");
    expect(commit.outcome).toBe("[main 7e00b6e] Add the field");
    expect(run("gh pr create", "Creating pull request\nhttps://github.com/a/b/pull/136").outcome).toBe(
      "https://github.com/a/b/pull/136",
    );
  });

  it("is the newest commit where the log is shown after it, which lists the newest first", () => {
    const log = "aaa1111 Fix typo\nbbb2222 Make the tests passed\nccc3333 First";
    const listed = (command: string, text = log): unknown => run(command, text).outcome;
    expect(listed("git commit -qm 'Fix typo' && git log --oneline -n 3")).toBe("aaa1111 Fix typo");
    expect(listed("git add -A && git commit -qm 'Fix typo' && git log --oneline | head -n 3")).toBe("aaa1111 Fix typo");
    expect(listed("git commit -qm 'Fix typo' && git log --oneline && git push", `ran hook\n${log}\nTo x`)).toMatch(
      /^aaa/,
    );
    expect(listed("git commit -qm 'Fix typo' && git log -2 --format=%s", "ran hook\nFix typo\nFirst")).toBe("Fix typo");
    expect(listed("git cherry-pick x && git log -2 --format=%s", "Fix typo\nFirst")).toBe("Fix typo");
    expect(listed("git revert ccc3333 && git log --oneline -n 2")).toBe("aaa1111 Fix typo");
    expect(listed("git reset --hard aaa1111 && git log --oneline -n 3")).toBe("aaa1111 Fix typo");
    expect(listed("git commit -m x && git log --oneline", `[main aaa1111] Fix typo\n 1 file changed\n${log}`)).toBe(
      "[main aaa1111] Fix typo",
    );
    expect(listed("git commit -qm x; git log -2 --graph --oneline", "* aaa1111 x\n* bbb2222 y")).toBe("* aaa1111 x");
    const whole =
      "commit aaa1111 (HEAD -> main)\nAuthor: A <a@x.org>\nDate:   Mon\n\n    Fix typo\n\ncommit bbb2222\nAuthor: A";
    expect(listed("git commit -qm x && git log -2", whole)).toBe("commit aaa1111 (HEAD -> main) Fix typo");
  });

  it("is no commit of a log where none was made", () => {
    const log = "bbb2222 Second\nccc3333 First";
    const nothing = `On branch main\nnothing to commit, working tree clean\n${log}`;
    expect(run("git commit -qm x; git log --oneline", nothing).outcome).toBe("nothing to commit, working tree clean");
    expect(run("git commit -qm 'Fix typo'; git log --oneline", `hook declined\n${log}`).outcome).toBe("hook declined");
  });

  it("is not the first commit of a log that was shown before it, or that is turned round", () => {
    const twice = "bbb2222 Second\nccc3333 First\naaa1111 Third\nbbb2222 Second";
    expect(run("git log --oneline -2 && git commit -qm 'Third' && git log --oneline -2", twice).outcome).toBe(
      "aaa1111 Third",
    );
    expect(run("git commit -qm x && git log --oneline --reverse", "ccc3333 First\naaa1111 x").outcome).toBe(
      "aaa1111 x",
    );
    expect(run("git log --oneline -2 && npm test", "aaa1111 Third\nbbb2222 Second\n5 passed").outcome).toBe("5 passed");
  });

  it.each([
    ["git diff --no-stat", "error: invalid option: --no-stat\nusage: git diff [<options>]\n\n  -a  --text   as text"],
    ["git diff --no-stat", "usage: git diff [<options>] [<commit>]\n   or: git diff\n\n    -a  --text    as text."],
    ["python tool.py --x", "usage: tool.py [-h]\n               [--y Y]\ntool.py: error: unrecognized arguments: --x"],
    ["cd a && grep -P x b", "grep: invalid option -- P\nusage: grep [-abc] [pattern]\n\t[--null] [file ...]"],
    ["gh pr list --x", "unknown flag: --x\n\nUsage:  gh pr list [flags]\n\nFlags:\n  -a   Error: what a prints"],
    ["git ---x", "git: '---x' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tx"],
    ["ls --x", "ls: unrecognized option '--x'\nTry 'ls --help' for more information."],
    ["cargo build --x", "error: unexpected argument '--x' found\n\n  tip: try '--y'\n\nUsage: cargo build [OPTIONS]\n"],
  ])("of %s is what was wrong with the call, not its help", (command, text) => {
    const complaint = text.split("\n").find((line) => /--x|no-stat$|-- P|^usage: git/.test(line));
    const { ok, errors, outcome } = run(command, `Exit code 129\n${text}`);
    expect({ ok, errors, outcome }).toEqual({ ok: false, errors: [complaint], outcome: complaint });
  });

  it("is no wrong call where something else failed, or the usage is of what it started", () => {
    const usage = "usage: git diff [<options>]\n  -a  --text  as text";
    expect(run("npm run lint; git diff --x", `Exit code 129\na.ts:3:1: error no-var\n${usage}`).errors).toEqual([
      "a.ts:3:1: error no-var",
    ]);
    expect(run("npm run build", `Exit code 2\n${usage}`).usageOf).toBeUndefined();
    expect(run("git diff -h", `Exit code 0\n${usage}`)).toMatchObject({ ok: true, errors: [], usageOf: "git diff" });
  });

  it("is the exception, not the way to where it was raised", () => {
    const way = '  File "/app/decrypt.py", line 5, in <module>\n    print(chr(-1))\n'.repeat(6);
    const raised = `starts ok\nTraceback (most recent call last):\n${way}ValueError: chr() arg not in range`;
    expect(run("python decrypt.py", `${raised}\n(Current directory: /app)\nbash-$`).outcome).toBe(
      "ValueError: chr() arg not in range",
    );
    expect(
      run("python a.py", `Exit code 1\n${raised.replace("ValueError", "sqlalchemy.exc.NoResult")}`).errors,
    ).toEqual(["sqlalchemy.exc.NoResult: chr() arg not in range"]);
    expect(run("python a.py", `${raised}\n3 passed`).outcome).toBe("3 passed");
    const node = `/app/x.mjs:1\nthrow new RangeError("far");\n      ^\n\nRangeError: far\n${"    at x\n".repeat(40)}\nNode.js v24.1.0`;
    expect(run("node x.mjs", node).outcome).toBe("RangeError: far");
  });

  it("says that the run failed where it is the last that was printed, and no status is", () => {
    const raised = `starts ok\nTraceback (most recent call last):\n  File "/app/a.py", line 5, in <module>\nValueError: far`;
    const failed = { ok: false, errors: ["ValueError: far"] };
    expect(run("python a.py", `${raised}\n(Current directory: /app)\nbash-$`)).toMatchObject(failed);
    expect(run("node x.mjs", "throw e;\n      ^\n\nRangeError: far\n    at x\n\nNode.js v24.1.0")).toMatchObject({
      ok: false,
      errors: ["RangeError: far"],
    });
    for (const worked of [`${raised}\ndone`, `Exit code 0\n${raised}`])
      expect(run("python a.py", worked)).toMatchObject({ ok: true, errors: [] });
    expect(run("cat run.log", raised).ok).toBeUndefined();
  });

  it.each(["[lint:go] $ ~/app/lint/go", "$ tsc --noEmit", "> shop@1.4.2 test", "+ go vet ./..."])(
    "is not %j, which only says what is run",
    (echo) => {
      expect(run("mise run lint", `did it\n${echo}`).outcome).toBe("did it");
      expect(run("mise run lint", `Exit code 1\nit broke\n${echo}`).errors).toEqual(["it broke"]);
      expect(run("mise run lint", echo).outcome).toBeUndefined();
      expect(run("mise run lint", `Exit code 1\n${echo}`).errors).toEqual([echo]);
      expect(run("npm install", `audited\n+ left-pad@1.3.0`).outcome).toBe("+ left-pad@1.3.0");
    },
  );

  it("tells a declined call from a failed one", () => {
    expect(
      result(
        "Edit",
        { file_path: "a.ts", old_string: "a", new_string: "b" },
        "The user doesn't want to proceed with this tool use.",
        true,
      ),
    ).toEqual({ ok: false, failing: [], errors: [], outcome: "declined by the user" });
  });

  it("looks at the ends of a result only", { retry: 5 }, () => {
    const ms = processorMs(() => {
      result("Read", { file_path: "a" }, "x".repeat(2_000_000));
      result("Task", { prompt: "look" }, "y\n".repeat(500_000));
    });
    expect(ms).toBeLessThan(50);
  });
});

describe("how another call ended", () => {
  it("is a failure when the tool refuses", () => {
    expect(
      result(
        "Edit",
        { file_path: "a.ts", old_string: "a", new_string: "b" },
        "<tool_use_error>String to replace not found in file.</tool_use_error>",
      ),
    ).toMatchObject({
      ok: false,
      errors: ["String to replace not found in file."],
    });
  });

  it("is not told by the file that was read", () => {
    const read = result("Read", { file_path: "a.md" }, "# Errors\nFailed builds and how to read them");
    expect(read).toEqual({ ok: true, failing: [], errors: [] });
  });
});

describe("the workspace", () => {
  it("is where a command goes, or where a result says it is", () => {
    expect(folderIn(describeCall("Bash", JSON.stringify({ command: "cd /repo && ls" })), "")).toBe("/repo");
    expect(
      folderIn(describeCall("shell", JSON.stringify({ command: "ls" })), "a\n(Current directory: /testbed)\nbash-$"),
    ).toBe("/testbed");
  });

  it("has the branch that git reports", () => {
    const git = describeCall("Bash", JSON.stringify({ command: "git status" }));
    expect(branchIn(git, "On branch feature/x\nnothing to commit")).toBe("feature/x");
    expect(branchIn(git, "[feature/y 7e00b6e] Add it")).toBe("feature/y");
    expect(
      branchIn(describeCall("Bash", JSON.stringify({ command: "cat log" })), "On branch feature/x"),
    ).toBeUndefined();
  });

  it("has the root that absolute and relative names of one file agree on", () => {
    expect(rootOf(["/home/a/app/src/x.ts", "src/x.ts", "/home/a/app/src/y.ts", "lib/y.ts", "x.ts"])).toBe(
      "/home/a/app",
    );
    expect(rootOf(["/a/b.ts", "c/d.ts"])).toBeUndefined();
  });
});
