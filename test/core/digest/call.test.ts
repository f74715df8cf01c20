import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeCall } from "../../../src/core/digest/call.ts";
import type { CallAction } from "../../../src/core/digest/tool-names.ts";

const json = (value: unknown): string => JSON.stringify(value);

describe("describeCall", () => {
  test("never throws, keeps the target to one short line, and knows every decoded string", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.string().map((text) => json({ command: text })),
        ),
        (name, args) => {
          const call = describeCall(name, args);
          expect(call.target.length).toBeLessThanOrEqual(160);
          expect(call.target).not.toMatch(/[\r\n]/);
          expect(call.tool).toBe(name);
        },
      ),
    );
  });

  test.each<[string, unknown, CallAction, string, readonly string[]]>([
    ["Read", { file_path: "/a/b.ts", offset: 10 }, "read", "/a/b.ts", ["/a/b.ts"]],
    ["read_file", { path: "b.py" }, "read", "b.py", ["b.py"]],
    [
      "str_replace_based_edit_tool",
      { command: "view", path: "/a/b.ts", view_range: [5, 9] },
      "read",
      "/a/b.ts",
      ["/a/b.ts"],
    ],
    ["str_replace_editor", { command: "create", path: "/a/b.ts", file_text: "x" }, "write", "/a/b.ts", ["/a/b.ts"]],
    [
      "str_replace_editor",
      { command: "str_replace", path: "/a/b.ts", old_str: "x", new_str: "y" },
      "edit",
      "/a/b.ts",
      ["/a/b.ts"],
    ],
    ["edit", { path: "a.ts", oldText: "1", newText: "2" }, "edit", "a.ts", ["a.ts"]],
    ["Bash", { command: "cd /repo && npm test -- --run", description: "Run tests" }, "run", "npm test -- --run", []],
    [
      "shell",
      { command: ["bash", "-lc", "sed -n '1,20p' src/main.ts"] },
      "run",
      "sed -n '1,20p' src/main.ts",
      ["src/main.ts"],
    ],
    ["exec_command", { cmd: "cat src/a.ts | head" }, "run", "cat src/a.ts | head", ["src/a.ts"]],
    ["Grep", { pattern: "func main", path: "cmd" }, "search", "func main in cmd", ["cmd"]],
    ["Glob", { pattern: "**/*.ts" }, "list", "**/*.ts", []],
    ["WebFetch", { url: "https://example.org/x", prompt: "what" }, "fetch", "https://example.org/x", []],
    ["web_search", { query: "prompt caching" }, "search", "prompt caching", []],
    ["TodoWrite", { todos: [{ content: "write it", status: "pending" }] }, "plan", "write it", []],
    ["Task", { description: "look around", prompt: "long text" }, "delegate", "look around", []],
    ["mcp__files__read_text_file", { path: "x.md" }, "read", "x.md", ["x.md"]],
    ["launch_rocket", { command: "go" }, "run", "go", []],
    ["magic", { path: "x.md", old_string: "a", new_string: "b" }, "edit", "x.md", ["x.md"]],
    ["magic", { origin: "A", seats: 3 }, "other", "origin=A seats=3", []],
    ["get_user_details", { user_id: "u_1" }, "fetch", "u_1", []],
  ])("%s %j", (tool, args, action, target, paths) => {
    expect(describeCall(tool, json(args))).toMatchObject({ action, target, paths });
  });

  test("finds the files of a patch, as JSON or as free text", () => {
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** Add File: src/b.ts\n+z\n*** End Patch";
    expect(describeCall("apply_patch", patch)).toMatchObject({
      action: "edit",
      target: "src/a.ts +1",
      paths: ["src/a.ts", "src/b.ts"],
    });
    expect(describeCall("shell", json({ command: ["apply_patch", patch] })).paths).toEqual(
      expect.arrayContaining(["src/a.ts", "src/b.ts"]),
    );
  });

  test("says at which line a partial read starts", () => {
    expect(describeCall("Read", json({ file_path: "a.ts", offset: 120, limit: 10 })).firstLine).toBe(120);
    expect(describeCall("read_file", json({ path: "a.ts", start_line_one_indexed: 120 })).firstLine).toBe(120);
    expect(describeCall("Read", json({ file_path: "a.ts" })).firstLine).toBeUndefined();
  });

  test("takes arguments that are no JSON as text, and survives any nesting", () => {
    expect(describeCall("Read", '{"file_path": "a.ts"').values).toEqual(['{"file_path": "a.ts"']);
    expect(describeCall("x", `${"[".repeat(50_000)}"deep"${"]".repeat(50_000)}`).values).toHaveLength(1);
  });
});
