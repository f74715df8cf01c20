/** Files by what was last done to each; only a result that says so counts as a change. */
import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/core/transcript/message.ts";
import { does, edits, eventsIn, reads, run, starts, writes } from "./session-talk.ts";

const statesOf = (...parts: readonly (Message | readonly Message[])[]): Record<string, string> =>
  Object.fromEntries(eventsIn(...parts).files.map(({ path, state }) => [path, state]));

describe("a file", () => {
  it.each<[string, readonly (Message | readonly Message[])[], Record<string, string>]>([
    ["that was read", [reads("a.ts")], { "a.ts": "read" }],
    ["that was read after an edit stays edited", [edits("a.ts"), reads("a.ts")], { "a.ts": "edited" }],
    ["that was edited after it was created stays created", [writes("a.ts", "x"), edits("a.ts")], { "a.ts": "created" }],
    ["that a command deleted", [writes("a.ts", "x"), run("rm a.ts", "")], { "a.ts": "deleted" }],
    ["that a tool deleted", [does("delete_file", { path: "a.ts" }, "Deleted a.ts")], { "a.ts": "deleted" }],
    ["that a command wrote", [run("echo 1 > out/a.txt", "")], { "out/a.txt": "edited" }],
    ["that a command only showed", [run("cat docs/a.md", "text")], { "docs/a.md": "read" }],
    [
      "and not one that it did not find",
      [run("rg -n plum src/a.py src/b.py", "rg: src/b.py: No such file or directory (os error 2)\nsrc/a.py:3:plum")],
      { "src/a.py": "read" },
    ],
    ["nor an address", [run("cat https://example.org/a.md git@example.org:a/b.git", "x")], {}],
    ["on Windows", [edits("C:\\repo\\src\\a.ts")], { "C:\\repo\\src\\a.ts": "edited" }],
    [
      "in another script",
      [run("rm 設定.json", ""), edits("src/файл.ts")],
      { "設定.json": "deleted", "src/файл.ts": "edited" },
    ],
    ["with spaces", [run("rm 'two words.txt'", "")], { "two words.txt": "deleted" }],
  ])("%s", (_, parts, expected) => {
    expect(statesOf(...parts)).toEqual(expected);
  });

  it.each<[string, readonly (Message | readonly Message[])[]]>([
    ["an edit that failed", [does("Edit", { file_path: "a.ts" }, "String to replace not found in file.")]],
    ["an edit that was declined", [does("Edit", { file_path: "a.ts" }, "The user rejected this edit.")]],
    ["an edit without a result", [starts("Edit", { file_path: "a.ts" })]],
    ["a write that was aborted", [does("write_file", { path: "a.ts", content: "x" }, "Aborted by the user.")]],
    ["a deletion that failed", [run("rm a.ts", "rm: a.ts: No such file or directory\nExit code 1")]],
    ["words between quotes", [run("git grep 'rm a.ts > b.ts'", "")]],
    ["a pattern", [run("rm *.ts", "")]],
    ["a variable", [run("rm $FILE.ts", "")]],
  ])("is not changed by %s", (_, parts) => {
    expect(Object.values(statesOf(...parts)).filter((state) => state !== "read")).toEqual([]);
  });

  it.each(["git diff HEAD~1..HEAD", "git log main..feature/a.b", "grep -n 'rm old/x.ts' src", "grep fs.watch src"])(
    "is not named by %j",
    (command) => {
      expect(statesOf(run(command, "some text"))).toEqual({});
    },
  );

  it("has the messages of its first and last touch and change, and how often it was read", () => {
    const [file] = eventsIn(reads("a.ts"), edits("a.ts"), reads("a.ts"), edits("a.ts"), reads("a.ts")).files;
    expect(file).toMatchObject({ first: 0, last: 8, firstChanged: 2, changed: 6, reads: 3, tool: "Edit" });
  });
});
