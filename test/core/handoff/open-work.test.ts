/** What a handoff says is under way or left: nothing that the work has done already. */
import { describe, expect, it } from "vitest";
import { parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import type { Topic } from "../../../src/core/handoff/sections/topic.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { does, edits, run, says, user } from "../events/session-talk.ts";
import { requestFor } from "./requests.ts";

type Part = Message | readonly Message[];

/** What a handoff of all these messages says of a topic; `tail` of them stay beside it. */
function told(topic: Topic, parts: readonly Part[], tail = 0): readonly string[] {
  const { text } = writeHandoff(requestFor(parts.flat(), { tail }));
  return parseHandoff(text)!.sections.get(topic) ?? [];
}

const ASKED = user("Please make the importer read gzip files too, and write a test for it.");

function plans(...states: readonly string[]): readonly Message[] {
  const todos = states.map((status, at) => ({ content: `Make change number ${at + 1}`, status }));
  return does("TodoWrite", { todos }, "ok", { text: "Now I know the trailers. Let me make the changes:" });
}

describe("the active task", () => {
  it("is pointed to by the person's own words, and not by a reminder before them", () => {
    const reminder = "<system-reminder>\nThe following skills are available:\n- review\n</system-reminder>";
    const parts = [reminder, "Now rename parseRow to readRow everywhere."].map(
      (text) => ({ kind: "text", text }) as const,
    );
    const live: Message = { role: "user", parts };
    const [task] = told("task", [ASKED, edits("/repo/a.go"), says("It reads gzip now."), live, edits("/repo/b.go")], 2);
    expect(task).toBe('The newest user message: "Now rename parseRow to readRow everywhere."');
  });
});

describe("what is in progress", () => {
  it("is the step of the plan that is under way, and what still runs", () => {
    const server = does(
      "Bash",
      { command: "npm run dev", run_in_background: true },
      "Command running in background with ID: bash_4t",
    );
    const [runs, step] = told("progress", [ASKED, plans("completed", "in_progress", "pending"), server]);
    expect(runs).toMatch(/^Started in message 4, no end seen: .*npm run dev.*bash_4t/);
    expect(step).toBe("Make change number 2");
  });

  it("is nothing where the plan is done, or where there is none", () => {
    expect(told("progress", [ASKED, plans("in_progress", "pending"), plans("completed", "completed")])).toEqual([]);
    expect(told("progress", [ASKED, edits("/repo/a.go"), says("I will go on with the test now.")])).toEqual([]);
  });
});

describe("what is left", () => {
  it("is what of the plan is open, in its order", () => {
    const parts = [ASKED, plans("completed", "in_progress", "pending", "pending"), edits("/repo/a.go")];
    expect(told("remaining", parts)).toEqual(["Make change number 3", "Make change number 4"]);
  });

  it("is of an earlier handoff as long as no newer plan replaces it", () => {
    const first = writeHandoff(requestFor([ASKED, ...plans("in_progress", "pending")]));
    const handoff = textMessage("user", first.text);
    expect(told("remaining", [handoff, run("npm test", "3 passed")])).toEqual(["Make change number 2"]);
    expect(told("remaining", [handoff, plans("completed", "completed")])).toEqual([]);
  });
});

describe("what blocks the work", () => {
  it("is told with a call like it that worked: whether that put it right is not known", () => {
    const talk = [ASKED, run("cd api && npm test", "error: no transport", { isError: true })];
    expect(told("blocked", talk)).toEqual(["cd api && npm test — error: no transport"]);
    expect(told("blocked", [...talk, run("cd web && npm test", "3 passed")])).toEqual([
      "cd api && npm test — error: no transport; a call like it worked in message 4",
    ]);
    expect(told("blocked", [...talk, run("cd api && npm test", "3 passed")])).toEqual([]);
  });
});

describe("what a person decided through a tool", () => {
  it("is dated by the message of the answer, and no more in a conversation that begins with the handoff", () => {
    const asks = (answer: string): readonly Message[] =>
      does("AskUserQuestion", { questions: [] }, `User has answered your questions: "Which store?"="${answer}".`);
    const talk = [ASKED, ...asks("SQLite"), user("No, take PostgreSQL."), says("I take PostgreSQL.")];
    expect(told("decisions", talk)).toEqual(["[3] Which store? — user: SQLite"]);
    const handoff = textMessage("user", writeHandoff(requestFor(talk)).text);
    expect(told("decisions", [handoff, says("Good.")])).toEqual(["[earlier] Which store? — user: SQLite"]);
    expect(told("decisions", [handoff, asks("MariaDB")])).toEqual(["[3] Which store? — user: MariaDB"]);
  });
});

describe("what is pending", () => {
  it("is what a person asked beside the live request and has no answer yet", () => {
    const also = user("And the page needs a line about gzip, in both languages.");
    expect(told("pending", [ASKED, edits("/repo/a.go"), also, run("npm test", "3 passed"), user("Go on.")])).toEqual(
      [ASKED, also].map(({ parts }) => (parts[0] as { text: string }).text),
    );
    expect(told("pending", [ASKED, edits("/repo/a.go"), says("The importer reads gzip."), user("Go on.")])).toEqual([]);
  });
});
