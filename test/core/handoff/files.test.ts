/** The list of files: everything that was changed is in it, before what was only read. */
import { describe, expect, it } from "vitest";
import { parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { does, edits, reads, run, says, user } from "../events/session-talk.ts";
import { requestFor } from "./requests.ts";

const ASKED = user("Make the importer read gzip files too.");

/** The files listed, of a handoff of all messages but the last `tail`. */
function listed(parts: readonly (Message | readonly Message[])[], tail = 0): readonly string[] {
  const { text } = writeHandoff(requestFor(parts.flat(), { tail }));
  return parseHandoff(text)!.sections.get("files") ?? [];
}

describe("the files of a handoff", () => {
  it("are those that were changed before the newest messages, even where these work on them again", () => {
    const before = [ASKED, edits("src/hooks.go"), reads("src/agent.go")];
    expect(listed([before, edits("src/hooks.go"), says("Done.")].flat(), 3)).toEqual([
      "Edit, uncommitted: src/hooks.go",
      "Read: src/agent.go",
    ]);
    expect(listed([before, reads("src/hooks.go"), says("Done.")].flat(), 3)).toContain(
      "Edit, uncommitted: src/hooks.go",
    );
  });

  it("are not those that only the newest messages change: they show themselves there", () => {
    const before = [ASKED, reads("src/hooks.go"), reads("src/agent.go")];
    expect(listed([before, edits("src/hooks.go"), says("Done.")].flat(), 3)).toEqual(["Read: src/agent.go"]);
  });

  it("are counted since the last commit, with those that only the newest messages change", () => {
    const committed = run("git commit -am 'Read settings'", "[main 7e00b6e] Read settings\n 1 file changed");
    const talk = [ASKED, edits("src/a.go"), committed, edits("src/b.go"), edits("src/b.go"), edits("src/c.go")].flat();
    const state = (messages: readonly Message[], tail: number): string => {
      const { text } = writeHandoff(requestFor(messages, { tail }));
      return (parseHandoff(text)!.sections.get("state") ?? []).find((line) => line.startsWith("Changed since")) ?? "";
    };
    expect(state(talk, 0)).toBe("Changed since the last commit: 2 files");
    expect(state(talk, 4)).toBe("Changed since the last commit: 2 files (1 only in the messages below)");
    const again = [ASKED, edits("src/a.go"), committed, edits("src/b.go"), edits("src/a.go")].flat();
    expect(state(again, 4)).toBe("Changed since the last commit: 2 files (1 only in the messages below)");
    const handoff = textMessage("user", writeHandoff(requestFor(talk)).text);
    expect(state([handoff, ...reads("src/b.go"), says("Good.")], 0)).toBe("Changed since the last commit: 2 files");
    expect(state([handoff, ...committed, says("Good.")], 0)).toBe("");
    expect(state([handoff, ...edits("src/b.go"), ...edits("src/d.go"), says("Good.")], 0)).toBe("");
    expect(state([ASKED, edits("src/a.go"), committed, handoff, edits("src/d.go")].flat(), 0)).toBe("");
    expect(state([handoff, ...committed, ...edits("src/d.go")], 0)).toBe("Changed since the last commit: 1 file");
    const summary = user(
      "This session is being continued from a previous conversation. Summary: src/a.go was changed.",
    );
    expect(state([summary, ...edits("src/d.go"), says("Good.")], 0)).toBe("");
  });

  it("are named below a folder that the handoff names once", () => {
    const { text } = writeHandoff(requestFor([ASKED, ...reads("/srv/app/src/a.ts"), ...edits("/srv/app/src/b.ts")]));
    expect(text).toContain("Paths in this folder are written without its name: /srv/app/src/");
    expect(text).toContain("- Edit, uncommitted: b.ts");
  });

  it("are not called uncommitted after a commit, also those of an earlier handoff", () => {
    const earlier = textMessage("user", writeHandoff(requestFor([ASKED, ...edits("src/a.go"), says("Done.")])).text);
    const committed = run("git commit -am 'Read settings'", "[main 7e00b6e] Read settings\n 1 file changed");
    expect(listed([earlier, reads("src/b.go"), says("Good.")])).toContain("Edit, uncommitted: src/a.go");
    expect(listed([earlier, committed, says("Good.")])).toEqual(["Edit: src/a.go"]);
  });

  it("are in the record too where an edit works on the open file", () => {
    const line = { replacement_text: "return round(value)", start_line: 9, end_line: 9 };
    const edited = does("edit", line, "File updated.\n[File: src/fields.py (9 lines total)]\n9:return round(value)");
    const { text } = writeHandoff(requestFor([ASKED, ...edited, says("Done.")]));
    expect(text).toContain("· edit src/fields.py\n    + return round(value)");
    expect(text).toContain("- edit, uncommitted: src/fields.py");
  });

  it("are counted once under both of their names, and not where the edit was refused", () => {
    const shown = "[File: /app/src/a.py (2 lines total)]\n1:x = 1\n(Current directory: /app)";
    const refused =
      "Your proposed edit has introduced new syntax error(s). Please retry.\n\nERRORS:\n- E999 IndentationError: unexpected indent\n\nThis is how it would have looked if applied\n[File: /app/src/b.py (9 lines total)]\n1:y = 2";
    const talk = [
      ASKED,
      does("create", { filename: "src/a.py" }, "[File: src/a.py (1 lines total)]\n1:\n(Current directory: /app)"),
      does("edit", { path: "/app/src/a.py", replacement_text: "x = 1" }, `File updated.\n${shown}`),
      does("edit", { path: "/app/src/b.py", replacement_text: " y = 2" }, refused),
      says("Done."),
    ].flat();
    const { text } = writeHandoff(requestFor(talk));
    expect(text).toContain("Changed since the last commit: 1 file\n");
    expect(listed([talk])).toEqual(["create, uncommitted: src/a.py"]);
  });

  it("name what was changed before what was read often and lately", () => {
    const often = Array.from({ length: 12 }, () => reads("src/agent.go")).flat();
    expect(listed([ASKED, edits("src/hooks.go"), often])).toEqual([
      "Edit, uncommitted: src/hooks.go",
      "Read: src/agent.go",
    ]);
  });
});
