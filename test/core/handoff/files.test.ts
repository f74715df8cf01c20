/** The list of files: everything that was changed is in it, before what was only read. */
import { describe, expect, it } from "vitest";
import { parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { does, edits, reads, run, says, user } from "../events/session-talk.ts";
import { requestFor } from "./requests.ts";

const ASKED = user("Make the importer read gzip files too.");
/** Shows that there is something to commit to. */
const STATUS = run("git status --short", " M src/hooks.go");

/** The files listed, of a handoff of all messages but the last `tail`. */
function listed(parts: readonly (Message | readonly Message[])[], tail = 0): readonly string[] {
  const { text } = writeHandoff(requestFor(parts.flat(), { tail }));
  return parseHandoff(text)!.sections.get("files") ?? [];
}

describe("the files of a handoff", () => {
  it("are those that were changed before the newest messages, even where these work on them again", () => {
    const before = [ASKED, STATUS, edits("src/hooks.go"), reads("src/agent.go")];
    expect(listed([before, edits("src/hooks.go"), says("Done.")].flat(), 3)).toEqual([
      "Edit: src/hooks.go",
      "Read: src/agent.go",
    ]);
    expect(listed([before, reads("src/hooks.go"), says("Done.")].flat(), 3)).toContain("Edit: src/hooks.go");
  });

  it("are not those that only the newest messages change: they show themselves there", () => {
    const before = [ASKED, reads("src/hooks.go"), reads("src/agent.go")];
    expect(listed([before, edits("src/hooks.go"), says("Done.")].flat(), 3)).toEqual(["Read: src/agent.go"]);
  });

  it("are named as in the folder that most calls ran in, and in full where calls ran in another", () => {
    const inShop = [
      run("cd /srv/shop && npm ci", "ok"),
      edits("src/a.ts"),
      reads("/srv/shop/src/b.ts"),
      run("npm run dev", "ok"),
    ];
    const inTools = [run("cd /srv/tools && npm ci", "ok"), edits("src/a.ts")];
    const { text } = writeHandoff(requestFor([ASKED, ...inShop, ...inTools].flat()));
    expect(text).toContain("## Active State\n- Paths in this folder are written without its name: /srv/shop/");
    expect(text).not.toContain("Folder: /srv/tools");
    expect(text).toContain("- Edit: /srv/tools/src/a.ts, src/a.ts");
    expect(text).toContain("- Read: src/b.ts");
  });

  it("are named as from the folder that paths without it begin in", () => {
    const looks = (path: string) => does("Grep", { pattern: "plums", path }, "No matches found");
    const talk = [
      ASKED,
      reads("/srv/shop/cmd/cart/a.go"),
      edits("/srv/shop/cmd/cart/b.go"),
      looks("cmd/cart"),
      run("cat cmd/cart/a.go", "package cart"),
    ];
    const { text } = writeHandoff(requestFor(talk.flat()));
    expect(text).toContain("Paths in this folder are written without its name: /srv/shop/\n");
    expect(text).toContain("- Edit: cmd/cart/b.go");
    expect(listed(talk)).toHaveLength(2);
  });

  it("are named below a folder that the handoff names once", () => {
    const { text } = writeHandoff(requestFor([ASKED, ...reads("/srv/app/src/a.ts"), ...edits("/srv/app/src/b.ts")]));
    expect(text).toContain("Paths in this folder are written without its name: /srv/app/src/");
    expect(text).toContain("- Edit: b.ts");
  });

  it("are named apart where they changed since the last commit, until the next", () => {
    const commit = run("git commit -am 'Read settings'", "[main 7e00b6e] Read settings\n 1 file changed");
    const talk = [ASKED, edits("src/a.go"), commit, edits("src/b.go"), says("Done.")];
    expect(listed(talk)).toEqual(["Edit since the last commit: src/b.go", "Edit: src/a.go"]);
    const earlier = textMessage("user", writeHandoff(requestFor(talk.flat())).text);
    expect(listed([earlier, reads("src/c.go"), says("Good.")])).toContain("Edit since the last commit: src/b.go");
    expect(listed([earlier, commit, says("Good.")])).toContain("Edit: src/b.go");
  });

  it("are in no repository, and not uncommitted, where no commit was made: what a commit would hold is not known", () => {
    const { text } = writeHandoff(requestFor([ASKED, ...STATUS, ...edits("src/a.go"), ...edits("/tmp/b.go")]));
    expect(text).toContain("src/a.go");
    expect(text).not.toContain("commit");
  });

  it("have their new name once they are moved", () => {
    const moved = run("git mv src/a.go src/b.go && mv src/c.go src/d.go", "");
    expect(listed([ASKED, reads("src/a.go"), edits("src/c.go"), moved, says("Done.")]).toSorted()).toEqual([
      "Bash, deleted: src/a.go",
      "Bash, deleted: src/c.go",
      "Bash: src/b.go",
      "Bash: src/d.go",
    ]);
  });

  it("are in the record too where an edit works on the open file", () => {
    const line = { replacement_text: "return round(value)", start_line: 9, end_line: 9 };
    const edited = does("edit", line, "File updated.\n[File: src/fields.py (9 lines total)]\n9:return round(value)");
    const { text } = writeHandoff(requestFor([ASKED, ...edited, says("Done.")]));
    expect(text).toContain("· edit src/fields.py\n    + return round(value)");
    expect(text).toContain("- edit: src/fields.py");
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
    expect(listed([talk])).toEqual(["create: src/a.py"]);
  });

  it("name what was changed before what was read often and lately", () => {
    const often = Array.from({ length: 12 }, () => reads("src/agent.go")).flat();
    expect(listed([ASKED, STATUS, edits("src/hooks.go"), often])).toEqual(["Edit: src/hooks.go", "Read: src/agent.go"]);
  });

  it("are not those that a tool says it could not read", () => {
    const missing = JSON.stringify({
      status: "error",
      tool: "read",
      error: "ENOENT: no such file, access 'docs/a.md'",
    });
    expect(listed([ASKED, does("Read", { file_path: "docs/a.md" }, missing), says("It is not there.")])).toEqual([]);
    expect(listed([ASKED, does("Read", { file_path: "logs/a.json" }, missing), says("Read.")])).toEqual([
      "Read: logs/a.json",
    ]);
  });
});
