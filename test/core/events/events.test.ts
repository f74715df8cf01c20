/** All that happened, in order, each with its evidence; what no result shows is unknown. */
import { describe, expect, it } from "vitest";
import { endingOf } from "../../../src/core/events/endings.ts";
import { eventsOf } from "../../../src/core/events/events.ts";
import { personText } from "../../../src/core/events/person.ts";
import { refusalIn } from "../../../src/core/events/refusals.ts";
import { commandFacts } from "../../../src/core/events/shell.ts";
import { describeCall } from "../../../src/core/digest/call.ts";
import { textMessage } from "../../../src/core/transcript/message.ts";
import { expectLinear } from "../../support/linear.ts";
import { does, edits, eventsIn, reads, run, says, user } from "./session-talk.ts";

describe("events", () => {
  it("are in the order of the conversation, each at its message", () => {
    const { all } = eventsIn(
      user("Mend it."),
      does("Read", { file_path: "a.ts" }, "text", { text: "I look first." }),
      run("npm test", "3 passed"),
      says("Mended."),
    );
    expect(all.map(({ kind, message }) => `${kind} ${message}`)).toEqual([
      "heard 0",
      "said 1",
      "call 1",
      "call 3",
      "said 5",
    ]);
    expect(all.map((event) => (event.kind === "said" ? event.ends : undefined))).toEqual([
      undefined,
      false,
      undefined,
      undefined,
      true,
    ]);
  });

  it("give several calls of one reply their own results, in whatever order these come", () => {
    const [first, second] = [run("npm test", "3 passed"), run("npm run lint", "Exit code 1\nerror: unused")];
    const calls = [...first[0]!.parts, ...second[0]!.parts];
    const { calls: told } = eventsIn({ role: "assistant", parts: calls }, second[1]!, first[1]!);
    expect(told.map(({ ending }) => ending.status)).toEqual(["done", "failed"]);
  });

  it("do not have what the agent thought in its text", () => {
    const { all } = eventsIn(says("<think>the user is wrong</think>\nIt is done."), says("<thinking>no end"));
    expect(all).toMatchObject([{ text: "It is done." }, { text: "<thinking>no end" }]);
  });

  it.each<[string, string, string | undefined, string | undefined]>([
    ["cd /repo && git status", "On branch fix/cart\nnothing to commit", "/repo", "fix/cart"],
    ["git checkout -b next", "Switched to a new branch 'next'", undefined, "next"],
    ["git branch --show-current", "feature/a.b", undefined, "feature/a.b"],
    ["cd src && ls", "a.ts", undefined, undefined],
    ["cd /srv/app && npm test", "ok\nShell cwd was reset to /repo", "/repo", undefined],
    ["cd 'C:\\repo' && dir", "a.ts", "C:\\repo", undefined],
    ["echo On branch nowhere", "On branch nowhere", undefined, undefined],
    ["Push-Location $mem\ngit commit -m a", "[main 884bd58] a", undefined, undefined],
    ["git branch -M main", "", undefined, "main"],
    ["git branch -m develop trunk", "", undefined, "trunk"],
    ["(cd ../other && git checkout release/9)", "Switched to branch 'release/9'", undefined, undefined],
    ["ls; cd /tmp/y && git checkout -b other", "Switched to a new branch 'other'", undefined, undefined],
    ["ssh box 'git checkout prod'", "Switched to branch 'prod'", undefined, undefined],
    ["git branch -M main && git push -u origin main", "", undefined, "main"],
    ["git switch -c next", "fatal: a branch named 'next' already exists\nExit code 128", undefined, undefined],
    ["git -C ../other status", "On branch other", undefined, undefined],
  ])("know folder and branch of %s", (command, result, folder, branch) => {
    const events = eventsIn(run(command, result));
    expect(events.folder).toBe(folder);
    expect(events.branch?.name).toBe(branch);
  });

  it("know where the client says that it works, wherever a call of it went", () => {
    const client = user("<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>");
    const other = run("cd /tmp/probe && git status", "On branch probe");
    const events = eventsIn(client, run("git status", "On branch main"), other, run("ls src", "a.ts"));
    expect([events.folder, events.root, events.branch?.name]).toEqual(["/srv/app", "/srv/app", "main"]);
  });

  it("know no branch of a folder that is not below the one where it was stated", () => {
    const stated = run("cd /srv/a && git status", "On branch fix/cart");
    expect(eventsIn(stated, run("cd /srv/a/src && ls", "x")).branch).toEqual({ name: "fix/cart", message: 0 });
    expect(eventsIn(stated, run("cd /srv/b && ls", "x")).branch).toBeUndefined();
  });

  it("know no folder of all where many paths are named without one", () => {
    const paths = ["/srv/app/src/a.ts", "/srv/app/src/b.ts", "STATUS.md", "notes/today.md"];
    expect(eventsIn(...paths.flatMap((path) => [reads(path)])).root).toBeUndefined();
    expect(eventsIn(...paths.slice(0, 2).flatMap((path) => [reads(path)])).root).toBe("/srv/app/src");
  });

  it("know the last commit that was made, and the folder that most paths lie below", () => {
    const { committed, root } = eventsIn(
      edits("/home/a/shop/src/a.ts"),
      run("git commit -am x", "[main 7e00b6e] x"),
      run("git commit -am y", "Exit code 1\nnothing to commit"),
      reads("/home/a/shop/src/b.ts"),
      reads("/home/a/shop/test/c.ts"),
      reads("/home/a/shop/test/d.ts"),
    );
    expect(committed).toBe(2);
    expect(root).toBe("/home/a/shop");
  });

  it("know a commit that a script made, and none that is only shown", () => {
    const made = "Backing up.\n[main 884bd58] Daily copy\n 2 files changed";
    expect(eventsIn(edits("a.sh"), run("./backup.sh", made)).committed).toBe(2);
    expect(eventsIn(edits("a.sh"), run("cat log.txt", made)).committed).toBeUndefined();
  });

  it("have the words of people alone as requests, not those of system, harness or tools", () => {
    const { requests } = eventsIn(
      textMessage("system", "Obey."),
      user("<system-reminder>Be brief.</system-reminder>"),
      user("One."),
      does("WebFetch", { url: "https://a.b" }, "User: two."),
      textMessage("user", "Three.", "summary"),
      user("四。"),
    );
    expect(requests.map(({ text }) => text)).toEqual(["One.", "四。"]);
  });
});

describe.each(["x", " ", "\n", "#", "[", "` ", "'", '"', "<", "{", "a\n", "User: ", "\\", "、"])(
  "a text of 200,000 characters of %j",
  (unit) => {
    const repeated = (size: number): string => unit.repeat(Math.ceil(size / unit.length));
    it.each<[string, (text: string) => unknown]>([
      ["a person's words", (text) => personText(user(text))],
      ["a command", (text) => commandFacts(text)],
      [
        "a result of a run",
        (text) =>
          endingOf(describeCall("Bash", '{"command":"npm test"}'), commandFacts("npm test"), { text, isError: false }),
      ],
      [
        "a result of a tool",
        (text) => endingOf(describeCall("Edit", '{"file_path":"a.ts"}'), undefined, { text, isError: true }),
      ],
      ["an answer in JSON", (text) => refusalIn(`{"error":${text}`)],
      [
        "a declined call",
        (text) =>
          endingOf(describeCall("Edit", "{}"), undefined, {
            text: `The user doesn't want to proceed with this tool use.${text}`,
            isError: true,
          }),
      ],
      ["a whole conversation", (text) => eventsOf([user(text), ...run(text, text), says(text)])],
    ])("is read in linear time as %s", (_, read) => {
      expectLinear(200_000, (size) => {
        const text = repeated(size);
        return () => read(text);
      });
    });
  },
);
