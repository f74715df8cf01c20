/** What a handoff says that was done was done: calls that were stopped, refused, cut off or taken back are told as that. */
import { describe, expect, it } from "vitest";
import { agent, call, DOORS, failed, section, toldOf, user, work, type Step } from "./sessions.ts";

const NEXT = user("Which page is next?");
const session = (...steps: readonly Step[]): readonly Step[] => [
  user("Set up the service, step by step."),
  ...work(1, "intro"),
  ...steps,
  agent("So far for the setup."),
  ...work(5),
  NEXT,
];

/** A line of the record that tells the call without a word of how it ended. */
const asDone = (words: string): RegExp => new RegExp(`^ *· ${words.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$`, "m");

describe.each(DOORS)("through %s", (door) => {
  describe("a call that was not carried out", () => {
    it.each([
      ["write_file", "etc/alpha.toml", "aborted by user after 1.2s"],
      ["write_file", "etc/beta.toml", "The tool call was cancelled."],
      ["create_file", "etc/gamma.toml", "Skipped due to queued user message."],
      ["Write", "etc/delta.toml", "The user doesn't want to proceed with this tool use. The tool use was rejected."],
      ["str_replace_editor", "etc/epsilon.toml", "Operation interrupted"],
      ["edit_file", "設定/主要.toml", "User rejected the change"],
    ])("of %s on %s that answers %j is not told as done", async (tool, path, result) => {
      const args = { path, content: "limit = 40", old_string: "a", new_string: "limit = 40" };
      const { handoff } = await toldOf(
        door,
        session(failed(tool, args, result), call("Read", { file_path: "a.md" }, "text")),
      );
      expect(handoff).toMatch(new RegExp(`${path}.*(?:declined|interrupted)`));
      expect(handoff).not.toMatch(asDone(`${tool} ${path}`));
      expect(handoff).not.toContain("limit = 40");
      expect(section(handoff, "Relevant Files")).not.toContain(path);
    });

    it("is known from one that was, beside it", async () => {
      const write = (path: string, result: string): Step =>
        call("write_file", { path, content: `name = ${path}` }, result);
      const { handoff } = await toldOf(
        door,
        session(write("a/one.toml", "Aborted by the user"), write("a/two.toml", "File a/two.toml was written.")),
      );
      expect(handoff).toMatch(/a\/one\.toml.*interrupted/);
      expect(handoff).toContain("name = a/two.toml");
      expect(section(handoff, "Relevant Files")).toContain("a/two.toml");
    });
  });

  describe("a run that was cut off", () => {
    it.each([
      ["npm test", "Tests  57 passed", "Command timed out after 120000 milliseconds"],
      ["pytest -q", "57 passed so far", "^C"],
      ["cargo test", "57 passed", "Terminated"],
      ["go test ./...", "ok 57 passed", "[timed out]"],
      ["make check", "57 passed, more to come", "process killed by signal SIGKILL"],
    ])("of %s is no check that passed", async (command, counted, mark) => {
      const { handoff } = await toldOf(door, session(call("Bash", { command }, `${counted}\n${mark}`)));
      expect(handoff).toMatch(new RegExp(`\`${command}\` → interrupted\\b`));
      expect(handoff).not.toMatch(/→ 57 passed$/m);
      expect(section(handoff, "Active State")).not.toMatch(/Last check: .* — 57 passed$/m);
    });
  });

  describe("words of a command line", () => {
    it.each([
      "git commit -m 'Drop old/api.ts: rm -f old/api.ts'",
      'gh issue create --title "del old/api.ts > old/list.txt"',
      "git log --grep='> old/list.txt'",
      "cat <<'END' | wc -l\nrm old/api.ts\necho x > old/list.txt\nEND",
      "grep -rn 'git rm old/api.ts' docs",
    ])("between quotes delete and write no file: %j", async (command) => {
      const note = call(
        "Edit",
        { file_path: "notes.md", old_string: "a", new_string: "b" },
        "The file notes.md has been updated.",
      );
      const { handoff } = await toldOf(door, session(call("Bash", { command }, "ok"), note));
      const files = section(handoff, "Relevant Files");
      expect(files).toContain("notes.md");
      expect(files).not.toMatch(/old\/(?:api\.ts|list\.txt)/);
      expect(section(handoff, "Active State")).not.toMatch(/Changed since the last commit: [2-9]/);
    });
  });

  describe("text that an edit replaced", () => {
    it.each([
      ["Edit", "old_string", "new_string"],
      ["replace", "old_string", "new_string"],
      ["str_replace_editor", "old_str", "new_str"],
      ["edit_file", "oldText", "newText"],
      ["replace_in_file", "search", "replace"],
    ])("of %s does not stand as what is there", async (tool, before, after) => {
      const args = {
        path: "src/load.ts",
        [before]: "return fetchOld(customer);",
        [after]: "return fetchInvoice(customer);",
      };
      const { handoff } = await toldOf(door, session(call(tool, args, "The file src/load.ts has been updated.")));
      expect(handoff).toContain("return fetchInvoice(customer);");
      expect(handoff).not.toMatch(/^(?![-−]).*fetchOld/m);
    });

    it("by another edit after it does not stand either", async () => {
      const edit = (before: string, after: string): Step =>
        call(
          "Edit",
          { file_path: "src/load.ts", old_string: before, new_string: after },
          "The file src/load.ts has been updated.",
        );
      const { handoff } = await toldOf(
        door,
        session(edit("one();", "second();"), edit("second();", "third();"), edit("third();", "fourth();")),
      );
      expect(handoff).toContain("fourth();");
      expect(handoff).not.toMatch(/second\(\)|third\(\)/);
    });
  });

  describe("an edit that a person declined", () => {
    it.each([
      [
        "Edit",
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nKeep the name.",
      ],
      [
        "apply_edit",
        "Error: The user rejected permission to use this specific tool call with the following feedback: Keep the name.",
      ],
      [
        "replace_in_file",
        "The user denied this operation and provided the following feedback:\n<feedback>\nKeep the name.\n</feedback>",
      ],
      ["edit_file", "patch rejected by user"],
      ["write_file", "User declined the change"],
    ])("of %s is no fact, and what they said stands", async (tool, result) => {
      const args = {
        path: "src/log.ts",
        old_string: "a",
        new_string: "export const LOG_NAME = 7;",
        content: "export const LOG_NAME = 7;",
      };
      const { handoff } = await toldOf(door, session(failed(tool, args, result)));
      expect(handoff).toMatch(/src\/log\.ts.*declined/);
      expect(handoff).not.toContain("LOG_NAME");
      if (door === "library" || door === "anthropic-messages")
        if (result.includes("Keep the name.")) expect(handoff).toContain("Keep the name.");
    });
  });

  describe("what still runs", () => {
    it.each([
      [
        "Agent",
        { description: "Read the logs", prompt: "Read" },
        "Async agent launched successfully.\nagentId: a7f30c2 (internal)",
        "a7f30c2",
      ],
      [
        "Bash",
        { command: "npm run serve", run_in_background: true },
        "Command running in background with ID: bash_9q",
        "bash_9q",
      ],
      [
        "exec_command",
        { cmd: "make watch" },
        "Chunk ID: 2b\nWall time: 1.0 seconds\nProcess running with session ID 7741\nOutput:\n",
        "7741",
      ],
      ["Bash", { command: "python -m http.server" }, "Command running in background with ID: 5c1e", "5c1e"],
      [
        "Task",
        { description: "集計する", prompt: "x" },
        "Async agent launched successfully.\nagentId: b81d4e0",
        "b81d4e0",
      ],
    ])("of %s %o stands as running, with its id", async (tool, args, result, id) => {
      const { handoff } = await toldOf(door, session(call(tool, args, result)));
      expect(section(handoff, "In Progress")).toContain(id);
      expect(section(handoff, "Completed Actions")).not.toContain(id);
    });

    it("does not stand there once it has ended", async () => {
      const steps = [
        call("Bash", { command: "npm run serve" }, "Command running in background with ID: bash_9q"),
        call("KillShell", { shell_id: "bash_9q" }, "Shell bash_9q was killed."),
      ];
      expect(section((await toldOf(door, session(...steps))).handoff, "In Progress")).not.toContain("bash_9q");
    });
  });

  it("a call without a result is not told as done", async () => {
    const stopped = call("Write", { file_path: "etc/prod.yaml", content: "port: 6200" });
    const { handoff } = await toldOf(door, session(stopped, user("[Request interrupted by user for tool use]")));
    expect(handoff).not.toMatch(asDone("Write etc/prod.yaml"));
    expect(handoff).not.toContain("port: 6200");
    expect(section(handoff, "Relevant Files")).not.toContain("etc/prod.yaml");
  });
});
