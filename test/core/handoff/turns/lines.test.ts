/** What there is to tell of a turn, line by line. */
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../../../src/core/events/events.ts";
import { changedAfter } from "../../../../src/core/events/files.ts";
import { stillRunning } from "../../../../src/core/events/running.ts";
import type { Line, LinesOptions } from "../../../../src/core/handoff/turns/line.ts";
import { linesOfTurns } from "../../../../src/core/handoff/turns/lines.ts";
import { turnsOf } from "../../../../src/core/handoff/turns/turns.ts";
import { textMessage, type Message } from "../../../../src/core/transcript/message.ts";
import { does, edits, reads, run, says, starts, user, writes } from "../../events/session-talk.ts";

type Parts = readonly (Message | readonly Message[])[];

function told(parts: Parts, given: Partial<LinesOptions> = {}): readonly string[] {
  return linesOf(parts, given).map(({ lead, body }) => `${lead}${body.within(Infinity)}`);
}

function linesOf(parts: Parts, given: Partial<LinesOptions> = {}): readonly Line[] {
  const messages = parts.flat();
  const events = eventsOf(messages);
  const turns = turnsOf(events.all, { from: 0, until: messages.length, live: -1 });
  const options: LinesOptions = {
    redact: (text) => text,
    shortened: (text) => text,
    isBeside: () => false,
    tellsRequests: true,
    isOld: changedAfter(events),
    running: new Set(stillRunning(events)),
    ...given,
  };
  return linesOfTurns(turns, options).flat();
}

describe("words", () => {
  it.each<[string, Message, string]>([
    ["of a person", user("Never push to main."), "[1] User: Never push to main."],
    ["of the system", textMessage("system", "Read-only from now on."), "[1] System: Read-only from now on."],
    [
      "of an earlier summary",
      user("[pi compaction summary]\nThe cart is done."),
      "Earlier summary: [pi compaction summary]\nThe cart is done.",
    ],
    ["of a console", user("<bash-stdout>a b c</bash-stdout>"), "Console of the user: <bash-stdout>a b c</bash-stdout>"],
    ["of an agent", says("The cart is done."), "Agent: The cart is done."],
    [
      "of a report",
      user("<task-notification>\nb7 completed\n</task-notification>"),
      "Report: <task-notification>\nb7 completed\n</task-notification>",
    ],
    [
      "behind a command",
      user("<command-name>/plan</command-name>\n<command-args>add telemetry</command-args>"),
      "[1] User: /plan add telemetry",
    ],
  ])("%s are told as theirs", (_, message, line) => {
    expect(told([message])).toEqual([line]);
  });

  it("of a person have their pictures and documents with them, by kind, name and size", () => {
    const data = "A".repeat(4_096);
    const message: Message = {
      role: "user",
      parts: [
        { kind: "text", text: "This layout." },
        { kind: "image", source: { type: "data", mediaType: "image/png", data } },
        { kind: "file", name: "contract.pdf", source: { type: "data", mediaType: "application/pdf", data } },
        { kind: "image", source: { type: "url", url: "https://a.b/c.png" } },
      ],
    };
    const [line] = told([message]);
    expect(line).toContain("This layout.");
    expect(line).toContain("[picture, image/png, 3 KB; word for word in message 1]");
    expect(line).toContain("[document, contract.pdf, application/pdf, 3 KB; word for word in message 1]");
    expect(line).toContain("[picture, image; word for word in message 1]");
  });

  it("that stand beside the handoff are not told again, nor those that only announce", () => {
    expect(told([user("Mend it."), says("Done.")], { isBeside: (text) => text === "Mend it." })).toEqual([
      "Agent: Done.",
    ]);
    const lead = "I look at every single one of the files in the folder src now, one by one:";
    expect(told([user("Mend it."), says(lead), says("Done.")])).toEqual(["[1] User: Mend it.", "Agent: Done."]);
  });
});

describe("a deed", () => {
  it.each<[string, Parts, readonly string[]]>([
    ["that worked has its command and its verdict", [run("npm test", "12 passed")], ["· `npm test` → 12 passed"]],
    [
      "that failed says why",
      [run("npm test", "Exit code 1\nerror: no rows")],
      ["· `npm test` → failed: error: no rows"],
    ],
    [
      "that was declined says so",
      [does("Edit", { file_path: "a.ts", old_string: "a", new_string: "b" }, "The user rejected this edit.")],
      ["· Edit a.ts → declined by the user"],
    ],
    [
      "that was cut off says so",
      [run("npm test", "41 passed\nCommand timed out after 60 s")],
      ["· `npm test` → interrupted, 41 passed so far: Command timed out after 60 s"],
    ],
    [
      "without a result is not told as done",
      [starts("Write", { file_path: "a.ts", content: "x = 1" })],
      ["· Write a.ts → no result for this call; whether it ran is not known"],
    ],
    [
      "that changed a file has its new lines",
      [edits("a.ts", "one", "two\nthree")],
      ["· Edit a.ts\n  + two\n  + three"],
    ],
    [
      "that a later one took back has none",
      [edits("a.ts", "one", "two"), edits("a.ts", "two", "three")],
      ["· Edit a.ts", "· Edit a.ts\n  + three"],
    ],
    [
      "that a whole new text replaced has none",
      [edits("a.ts", "one", "two"), writes("a.ts", "four")],
      ["· Edit a.ts", "· Write a.ts\n  + four"],
    ],
    [
      "of an agent has its report",
      [does("Task", { description: "Count the rows", prompt: "x" }, "There are 240 rows.")],
      ["· Task Count the rows", "Its report: There are 240 rows."],
    ],
    ["that still runs is told elsewhere", [run("npm start", "Command running in background with ID: b_7")], []],
    [
      "that only looked is one line with the others",
      [reads("a.ts"), reads("b.ts"), run("git status", "clean")],
      ["· looked at: a.ts → const a = 1;, b.ts → const a = 1;, git status → clean"],
    ],
    [
      "that was made again is told once",
      [run("npm test", "12 passed"), run("npm test", "12 passed")],
      ["· `npm test` → 12 passed"],
    ],
    [
      "that ended otherwise is told both times",
      [run("npm test", "11 passed"), run("npm test", "12 passed")],
      ["· `npm test` → 11 passed", "· `npm test` → 12 passed"],
    ],
  ])("%s", (_, parts, expected) => {
    expect(told(parts)).toEqual(expected);
  });

  it("passes whole through the search for secrets, before anything of it is cut", () => {
    const secret = "sk-live-0123456789abcdef0123456789abcdef";
    const redact = (text: string): string => text.replaceAll(secret, "[secret]");
    for (let pad = 0; pad < 700; pad += 23) {
      const filler = "w".repeat(pad);
      const glued = `${filler}/${secret}`;
      const parts = [
        run(`deploy ${filler} ${secret} now`, `ok ${filler} ${secret}`),
        run(`cat ${filler}/${secret}/a.md`, `${filler} ${secret}\n${"more ".repeat(80)}`),
        does(
          "book",
          { note: `${filler} ${secret}` },
          JSON.stringify({ id: 7, name: "a", note: `${filler} ${secret}`, more: 1 }),
        ),
        run(`fetch ${glued}`, `ok ${glued}`),
        run(`fetch ${glued} twice`, `Exit code 1\nerror: ${glued}`),
        does("send", { to: glued }, JSON.stringify({ id: 8, error: glued, name: "a", more: 1 })),
        edits("a.ts", "one", `key = ${filler} ${secret}`),
        does("Task", { description: `${filler} ${secret}`, prompt: "x" }, `It is ${filler} ${secret}.`),
      ];
      expect(told(parts, { redact }).join("\n")).not.toContain(secret.slice(0, 20));
    }
  });
});

describe("what a line is worth", () => {
  const worths = (parts: Parts): readonly number[] => linesOf(parts).map(({ worth }) => worth);

  it("is more for a call that failed than for one that did what it should", () => {
    const [failed, done] = worths([run("make a", "Error: no rule\nexit code 2"), run("make b", "built\nexit code 0")]);
    expect(failed).toBeGreaterThan(done!);
  });

  it("is less for a question than for what a person states", () => {
    const [stated, asked] = worths([
      user("Never push to main."),
      says("I will not."),
      user("Is it 日本語ですか？"),
    ]).filter((_, at) => at !== 1);
    expect(asked).toBeLessThan(stated!);
  });
});
