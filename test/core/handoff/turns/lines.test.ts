/** What there is to tell of a turn, line by line. */
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../../../src/core/events/events.ts";
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
  const turns = turnsOf(events.all, { from: 0, until: messages.length });
  const options: LinesOptions = {
    redact: (text) => text,
    shortened: (text) => text,
    isBeside: () => false,
    live: -1,
    tellsRequests: true,
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
    ["that broke off", user("<turn_aborted>\nThe user interrupted.\n</turn_aborted>"), "· interrupted by the user"],
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

  it("stand below what the client says has ended", () => {
    const sent = "System: [2026-03-23 23:29:33 UTC] Exec failed (calm-ott, code 2) :: no such table\n\n続けて";
    expect(told([user(sent)])).toEqual(["· Exec failed (calm-ott, code 2) :: no such table", "[1] User: 続けて"]);
  });

  it.each([
    ["nie", "Gotowe. Czy podnieść cenę do 19 zł?", "[2] User: nie (Czy podnieść cenę do 19 zł?)"],
    ["はい", "消しますか？", "[2] User: はい (消しますか？)"],
    ["ok", "Das ist erledigt.", "[2] User: ok"],
  ])("so few as %j have the question with them that they answer", (word, before, line) => {
    expect(told([says(before), user(word)])).toContain(line);
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

  it("that a person said to a call stay, whatever was done after it", () => {
    const refused = (why: string) =>
      does(
        "Edit",
        { file_path: "a.ts", old_string: "a", new_string: "b" },
        `The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n${why}`,
        { isError: true },
      );
    const lines = told([
      user("Mend it."),
      ...refused("rename it on main"),
      ...refused("without a migration"),
      ...edits("a.ts"),
    ]);
    expect(lines.filter((line) => line.includes("declined"))).toEqual([
      expect.stringContaining("rename it on main"),
      expect.stringContaining("without a migration"),
    ]);
  });

  it("that an agent says before a call lose their last sentence, which the call tells", () => {
    const found = "The cart is empty because nobody filled it, in the whole of the shop.";
    const looks = (text: string) => does("Bash", { command: "ls" }, "a.ts", { text });
    const list = `${found} I do two things:\n1. Count the plums of the shop.\n2. Fill the cart with them.`;
    for (const [said, left] of [
      [`${found} Now I look at the shelf.`, found],
      [`${found}\n\n${found} Now I look at the shelf.`, `${found}\n\n${found}`],
      [list, list],
    ])
      expect(told([user("Mend it."), ...looks(said!), says("Done.")])).toContain(`Agent: ${left}`);
  });

  it("that an agent says before a call that was declined or failed are whole: no call tells what it would have done", () => {
    const words = "The cart is empty because nobody filled it. I add a field for the plums and read the old name too.";
    const fails = does("Edit", { file_path: "cart.ts", old_string: "a", new_string: "b" }, "Error: not found", {
      text: words,
      isError: true,
    });
    expect(told([user("Mend it."), ...fails, says("Done.")])).toContain(`Agent: ${words}`);
  });

  it("of the live request are named where they stood: what follows is no answer to the request before", () => {
    const messages = [
      user("Is it done?"),
      says("Yes. Shall I push it?"),
      user("Yes, do it all."),
      ...run("git push", "ok"),
    ];
    expect(told(messages, { live: 2 })).toEqual([
      "[1] User: Is it done?",
      "Agent: Yes. Shall I push it?",
      "[3] User: (the request that stands below)",
      "· `git push` → ok",
    ]);
    expect(turnsOf(eventsOf(messages).all, { from: 0, until: 5 })).toHaveLength(2);
  });

  it("that an agent says again are whole where it says them last, and left out visibly before", () => {
    const plan = (end: string) =>
      says(
        `# Plan of the shop\nFirst the plums are counted.\nThen the cart is filled.\nAt last, number ${end} of them is told of all of it.`,
      );
    const lines = linesOf(["one", "two", "three"].flatMap((end) => [user(`Again for ${end}.`), plan(end)]));
    const [first, , last] = lines.filter(({ lead }) => lead === "Agent: ").map(({ body }) => body.within(110));
    expect(first).toBe("[…]\nAt last, number one of them is told of all of it.");
    expect(last).toContain("# Plan of the shop");
  });

  it("that an agent says are told by it where a file that it reads later has them, too", () => {
    const plan = says(
      "First the plums are counted.\nThen the cart is filled.\nAt last all of it is told to the shop, in so many words.",
    );
    const read = reads("plan.md", "First the plums are counted.\nThen the cart is filled.");
    const lines = linesOf([user("Plan it."), plan, user("Show it."), ...read, says("Done.")]);
    expect(lines.find(({ lead }) => lead === "Agent: ")!.body.within(90)).toContain("First the plums are counted.");
  });

  it("that two reports of pages have are told with the last of them alone", () => {
    const page = (price: string) =>
      `I opened the next page.\nSign up for our daily letter now.\nYou find us at 33 University Place.\nThe ${price} plate costs less than the others do.`;
    const asks = (price: string) => does("delegate", { task: `Find the ${price} plate` }, page(price));
    const lines = linesOf([user("Which is cheapest?"), ...asks("green"), ...asks("red")].flat());
    const [first, last] = lines.filter(({ kind }) => kind === "report").map(({ body }) => body.within(130));
    expect(first).toContain("The green plate");
    expect(first).not.toContain("Sign up");
    expect(last).toContain("Sign up");
  });

  it("that several edits write into a file are told with the last of them", () => {
    const changes = ["a.ts", "b.ts", "b.ts"].map((path, at) => edits(path, `old ${at}`, "const limit = readLimit();"));
    const lines = told([user("Mend it."), ...changes.flat(), says("Done.")]);
    expect(lines.filter((line) => line.includes("readLimit"))).toEqual([
      expect.stringContaining("Edit a.ts"),
      expect.stringContaining("Edit b.ts"),
    ]);
  });

  it("that stand beside the handoff are not told again, nor those that only announce", () => {
    expect(told([user("Mend it."), says("Done.")], { isBeside: (text) => text === "Mend it." })).toEqual([
      "Agent: Done.",
    ]);
    const lead = "I look at every single one of the files in the folder src now, one by one:";
    const calls = (text: string) => does("Bash", { command: "ls" }, "a.ts", { text });
    expect(told([user("Mend it."), ...calls(lead), says("Done.")])).toEqual([
      "[1] User: Mend it.",
      "· looked at: ls → a.ts",
      "Agent: Done.",
    ]);
    const found = "The parser keeps each row of the table in a buffer of its own. That is why it grows.";
    expect(told([user("Mend it."), ...calls(`${found}\n\n${lead}`), says("Done.")])[1]).toBe(`Agent: ${found}`);
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
      ["· Edit a.ts → its result says that the user declined"],
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
      "that only looked and found nothing says so",
      [run("rg plums src", "exit code 1")],
      ["· looked at: rg plums src → exit code 1"],
    ],
    [
      "that failed and was made again with success is told as that",
      [run("make site", "Error: no rule\nexit code 2"), run("make site", "built\nexit code 0")],
      ["· `make site` → built"],
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

  it("is less for a command that printed nothing than for one with an outcome", () => {
    const [failed, done, silent] = worths([
      run("make a", "Error: no rule\nexit code 2"),
      run("make b", "built\nexit code 0"),
      run("mkdir c", ""),
    ]);
    expect(failed).toBe(done);
    expect(silent).toBeLessThan(done!);
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
