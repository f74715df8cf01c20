import { describe, expect, it } from "vitest";
import { describeCall } from "../../../../src/core/digest/call.ts";
import { deedOf } from "../../../../src/core/ledger/readers/commands.ts";
import { readResult, type CallResult } from "../../../../src/core/ledger/readers/results.ts";
import { branchIn, folderIn, rootOf } from "../../../../src/core/ledger/readers/workspace.ts";

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
    const started = performance.now();
    result("Read", { file_path: "a" }, "x".repeat(2_000_000));
    result("Task", { prompt: "look" }, "y\n".repeat(500_000));
    expect(performance.now() - started).toBeLessThan(50);
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
