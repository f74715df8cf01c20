/** The lines that a call adds and removes, in whatever form its tool takes them. */
import { describe, expect, it } from "vitest";
import { headOfChange, writtenBy } from "../../../src/core/events/changes.ts";
import type { ToolCallPart } from "../../../src/core/transcript/message.ts";
import { expectLinear } from "../../support/linear.ts";

const callWith = (args: unknown): ToolCallPart => ({
  kind: "tool-call",
  id: "1",
  name: "Edit",
  arguments: typeof args === "string" ? args : JSON.stringify(args),
});
const written = (args: unknown) => {
  const { added, removed } = writtenBy(callWith(args));
  return { added, removed };
};

const PATCH = "*** Begin Patch\n*** Update File: a.ts\n@@\n keep\n-old line\n+new line\n*** End Patch";

describe("what a call writes", () => {
  it.each<[string, unknown, readonly string[], readonly string[]]>([
    ["old and new text", { old_string: "keep\nold line", new_string: "keep\nnew line" }, ["new line"], ["old line"]],
    ["the keys of another tool", { oldText: "old line", newText: "new line" }, ["new line"], ["old line"]],
    [
      "several edits",
      {
        edits: [
          { old_string: "a", new_string: "b" },
          { old_string: "c", new_string: "d" },
        ],
      },
      ["b", "d"],
      ["a", "c"],
    ],
    ["a whole file", { content: "one\n\ntwo" }, ["one", "two"], []],
    ["a patch", { patch: PATCH }, ["new line"], ["old line"]],
    ["a patch in the arguments themselves", PATCH, ["new line"], ["old line"]],
    [
      "a patch handed to a shell",
      { command: ["bash", "-lc", `apply_patch <<'EOF'\n${PATCH}\nEOF`] },
      ["new line"],
      ["old line"],
    ],
    ["a line that only moved", { old_string: "a\nb", new_string: "b\na" }, [], []],
    ["a line with other margins", { old_string: "  a", new_string: "    a" }, [], []],
    ["other scripts", { old_string: "旧い行", new_string: "新しい行" }, ["新しい行"], ["旧い行"]],
    ["nothing", { path: "a.ts", replace_all: true }, [], []],
    ["arguments that are no JSON", "{broken", [], []],
  ])("of %s", (_, args, added, removed) => {
    expect(written(args)).toEqual({ added, removed });
  });

  it("is read of arguments nested deeper than a call stack is", () => {
    const deep = `${'{"a":'.repeat(6_000)}{"new_string":"found"}${"}".repeat(6_000)}`;
    expect(written(deep).added).toEqual(["found"]);
  });

  it.each(["x", "\n", "a\n", "+a\n", "\\n"])("is read in linear time of many %j", (unit) => {
    expectLinear(100_000, (size) => {
      const text = unit.repeat(Math.floor(size / unit.length));
      return () => written({ old_string: `${text}1`, new_string: `${text}2`, patch: `*** Begin Patch\n${text}` });
    });
  });
});

describe("the head of a change", () => {
  const head = (old: string, now: string, shown = ""): string | undefined =>
    headOfChange(callWith({ old_string: old, new_string: now }), shown);

  it("is the last line above it that is not indented, in the replaced text", () => {
    const [sum, mean] = ["func sum(a int) int {\n\treturn a\n}", "func mean(a int) int {"];
    expect(head(`${sum}\n${mean}\n\treturn 1\n}`, `${sum}\n${mean}\n\treturn 2\n}`)).toBe(mean);
    expect(head("\treturn 1", "\treturn 2")).toBeUndefined();
    expect(head("limit = 1", "limit = 2")).toBeUndefined();
    expect(head("import (\n\t'a'\n)", "import (\n\t'b'\n)")).toBeUndefined();
    expect(head("name: All checks\njobs:\n  test: 1", "name: All checks\njobs:\n  test: 2")).toBeUndefined();
  });

  it("is not one of several", () => {
    const edit = (name: string) => ({
      old_string: `def ${name}(a):\n  return 1`,
      new_string: `def ${name}(a):\n  return 2`,
    });
    expect(headOfChange(callWith({ edits: [edit("one")] }), "")).toBe("def one(a):");
    expect(headOfChange(callWith({ edits: [edit("one"), edit("two")] }), "")).toBeUndefined();
  });

  it("is looked for in the numbered lines of the file that the tool shows", () => {
    const shown = "The file a.go has been updated:\n    8\tfunc mean(a int) int {\n    9\t\treturn 2\n   10\t}";
    expect(head("\treturn 1", "\treturn 2", shown)).toBe("func mean(a int) int {");
    expect(head("\treturn 1", "\treturn 2", "The file a.go has been updated:\n\treturn 2")).toBeUndefined();
  });
});
