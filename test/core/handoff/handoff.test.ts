import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHandoff, parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import { HANDOFF_END, HANDOFF_START } from "../../../src/core/handoff/marks.ts";
import { SEVEN_SECTIONS, THIRTEEN_SECTIONS } from "../../../src/core/handoff/templates.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { RUNS, transcripts } from "../../support/transcripts.ts";
import { does, edits, reads, run, says, user } from "../events/session-talk.ts";
import { measure, requestFor, SPAN } from "./requests.ts";

/** A piece of real work: two requests, reads, an edit, a failing test, a fix, a commit. */
const WORK: readonly Message[] = [
  user("Add a port setting to the server, please. Never change the default port."),
  ...reads("/repo/src/server.ts"),
  ...does(
    "TodoWrite",
    {
      todos: [
        { content: "Add the setting", status: "in_progress" },
        { content: "Document the setting", status: "pending" },
      ],
    },
    "ok",
  ),
  ...edits("/repo/src/server.ts", "listen()", "listen(port)"),
  ...run("cd /repo && npm test", "--- FAIL: TestPort (0.0s)\nFAIL"),
  says(
    "The issue is that the default is read before the settings file is loaded. I decided to load the settings file first.",
  ),
  user("Which port is the default? I forgot."),
  says("The default port is 8137."),
  user("ok, go on"),
  ...edits("/repo/src/settings.ts"),
  ...run("cd /repo && npm test", "ok  \tserver\t0.1s\n12 passed"),
  ...run(
    "cd /repo && git commit -am 'Load settings first'",
    "[feature/port 7e00b6e] Load settings first\n 2 files changed",
  ),
  ...run("cd /repo && npm run lint", "Exit code 1\nsrc/settings.ts:3:1: error: unused variable 'port'"),
];

function sectionOf(text: string, heading: string): string {
  const start = text.indexOf(`## ${heading}\n`);
  if (start < 0) return "";
  const next = text.indexOf("\n## ", start);
  return text.slice(start, next < 0 ? text.indexOf(HANDOFF_END) : next);
}

describe("a handoff of real work", () => {
  const { text, tokens } = writeHandoff(requestFor(WORK, { tail: 2 }));

  it("has those of the thirteen sections that have something to say, in order", () => {
    const headings = text
      .split("\n")
      .filter((line) => line.startsWith("## "))
      .map((line) => line.slice(3));
    expect(headings).toEqual(THIRTEEN_SECTIONS.flatMap(({ heading }) => (headings.includes(heading) ? [heading] : [])));
    expect(headings).toContain("Completed Actions");
    expect(text).not.toMatch(/^## .*\n(?:None|## )/m);
  });

  it("opens and closes with its marks and names the recall id of what it replaces", () => {
    expect(text).toMatch(/Originals: recall r[0-9a-f]+: messages \d+-\d+, word for word/);
    expect(text.startsWith(`${HANDOFF_START}\n`)).toBe(true);
    expect(text.endsWith(HANDOFF_END)).toBe(true);
    expect(text).toContain(SPAN);
    expect(tokens).toBe(measure.text(text));
  });

  it("points to the live request and says what it answers", () => {
    expect(sectionOf(text, "Active Task")).toContain('"ok, go on"');
    expect(sectionOf(text, "Completed Actions")).toContain("Agent: The default port is 8137.");
  });

  it("holds what a person said and asked, in their words and with the number of the message", () => {
    const said = sectionOf(text, "Completed Actions");
    expect(said).toContain("[1] User: Add a port setting to the server, please. Never change the default port.");
    expect(said).toMatch(/\[\d+\] User: Which port is the default\? I forgot\./);
    expect(said).toContain("I decided to load the settings file first.");
    expect(sectionOf(text, "Goal")).toMatch(/^- \[\d+\] /m);
  });

  it("says nothing in a section of its own that the record of turns says already", () => {
    expect(text.split("The default port is 8137.")).toHaveLength(2);
    expect(text.split("I decided to load the settings file first.")).toHaveLength(2);
  });

  it("tells what was done for each request, by which tool and with which outcome", () => {
    const actions = sectionOf(text, "Completed Actions");
    expect(actions).toMatch(/^1\. \[1\] User: Add a port setting/m);
    expect(actions).toMatch(/^ {2}· Edit src\/server\.ts\n {4}\+ listen\(port\)$/m);
    expect(actions).toMatch(/^ {2}· `cd \/repo && npm test` → failed.*TestPort/m);
    expect(actions).toMatch(/^ {2}· `cd \/repo && npm test` → 12 passed$/m);
    expect(actions).toMatch(/git commit.*→ \[feature\/port 7e00b6e\]/);
  });

  it("lists the files by the tool that touched them", () => {
    expect(sectionOf(text, "Relevant Files")).toMatch(/^- Edit: .*src\/server\.ts/m);
  });

  it("says where things stand and what is left", () => {
    expect(sectionOf(text, "Active State")).toContain("Folder: /repo");
    expect(sectionOf(text, "Active State")).toContain("Branch: feature/port");
    expect(sectionOf(text, "In Progress")).toContain("Add the setting");
    expect(sectionOf(text, "Remaining Work")).toContain("Document the setting");
  });

  it("calls blocked only what is unresolved", () => {
    const whole = writeHandoff(requestFor([...WORK, ...reads("/repo/src/settings.ts")], { tail: 2 })).text;
    expect(sectionOf(whole, "Blocked")).toContain("src/settings.ts:3:1: error: unused variable 'port'");
    expect(sectionOf(whole, "Blocked")).not.toContain("TestPort");
  });
});

describe("any handoff", () => {
  it("stays within its budget, from 150 tokens up, and can be read back", () => {
    fc.assert(
      fc.property(transcripts(), fc.integer({ min: 150, max: 3_000 }), ({ messages }, budget) => {
        const handoff = writeHandoff(requestFor(messages, { budget, tail: 2 }));
        expect(handoff.tokens).toBe(measure.text(handoff.text));
        expect(handoff.tokens).toBeLessThanOrEqual(budget);
        const parsed = parseHandoff(handoff.text)!;
        expect(parsed.spans[0]).toBe(SPAN);
        for (const { topic, written } of handoff.sections)
          expect(parsed.sections.get(topic)?.length ?? 0).toBe(written);
        expect(isHandoff(textMessage("user", handoff.text))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it("keeps the only episode where its parts came to more than they were estimated at", () => {
    const changes = Array.from({ length: 9 }, (_, n) => [...reads(`src/s${n}.ts`), ...edits(`src/s${n}.ts`)]).flat();
    const talk = [user("Please add nine settings to the server."), ...changes, says("They are added."), user("thanks")];
    for (let budget = 190; budget < 250; budget++)
      expect(writeHandoff(requestFor(talk, { budget, tail: 1 })).text, `${budget}`).toContain("## Completed Actions");
  });

  it("is the same for the same input", () => {
    fc.assert(
      fc.property(transcripts(), fc.integer({ min: 150, max: 2_000 }), ({ messages }, budget) => {
        expect(writeHandoff(requestFor(messages, { budget }))).toEqual(writeHandoff(requestFor(messages, { budget })));
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });

  it("says no fact twice", () => {
    fc.assert(
      fc.property(transcripts(), ({ messages }) => {
        const parsed = parseHandoff(writeHandoff(requestFor(messages, { budget: 4_000 })).text)!;
        for (const [topic, items] of parsed.sections)
          if (topic !== "actions") expect(new Set(items).size).toBe(items.length);
      }),
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });

  it("lets nothing past the redactor", () => {
    const secret = "sk-live-0123456789abcdef";
    const redact = (text: string): string => text.replaceAll(secret, "[secret]");
    const messages = [
      user(`Never print ${secret}. Deploy with it, then tell me the state?`),
      ...run(`deploy --key ${secret}`, `Exit code 1\nerror: ${secret} was refused`),
      says(`The issue is that ${secret} is wrong, so I decided to stop.\n\nKey: ${secret}1234`),
      user(`use ${secret} for everything`),
      says("ok"),
    ];
    const { text } = writeHandoff(requestFor(messages, { redact }));
    expect(text).toContain("[secret]");
    expect(text).not.toContain(secret);
  });

  it("looks for secrets before it cuts anything", () => {
    const secret = "sk-live-0123456789abcdef0123456789abcdef";
    const redact = (text: string): string => text.replaceAll(secret, "[secret]");
    const half = secret.slice(0, 16);
    for (let pad = 90; pad < 260; pad += 7) {
      const filler = "word ".repeat(pad / 5);
      const messages = [
        user(`Deploy it. ${filler}${secret} and so on.`),
        ...run(`deploy ${filler}${secret} now`, `Exit code 1\nerror: ${filler}${secret} was refused`),
        ...run(`npm test ${filler}${secret} now`, `Exit code 1\nerror: ${filler}${secret} was refused`),
        ...does("TodoWrite", { todos: [{ content: `${filler}${filler}${secret} again`, status: "pending" }] }, "ok"),
        ...does("Task", { prompt: `${filler}${secret}` }, `I found ${filler}${secret} in it`),
        says("Next."),
      ];
      expect(writeHandoff(requestFor(messages, { redact, tail: 1, budget: 4_000 })).text).not.toContain(half);
    }
  });

  it("repeats nothing that stands beside it", () => {
    const messages = [
      user("Never push to main."),
      says("Understood."),
      user("Always squash. Which branch is this?"),
      says("This is the feature branch, as you asked."),
    ];
    const { text } = writeHandoff(requestFor(messages, { from: 2, until: 2 }));
    expect(text).not.toContain("Never push to main.");
    expect(sectionOf(text, "Constraints & Preferences")).toBe("");
    expect(sectionOf(text, "Pending User Asks")).toBe("");
  });

  it.each([600, 2_000, 10_000])("keeps the beginning of a first request that is too long for %i tokens", (budget) => {
    const request = `Rewrite the importer so that it streams its input. ${"Here is some more of what I have in mind. ".repeat(200)}`;
    const messages = [
      user(request),
      ...reads("a.ts"),
      says("Done."),
      user("Now document the importer, all of its options, please and thank you."),
      ...reads("b.ts"),
    ];
    const { sections } = parseHandoff(writeHandoff(requestFor(messages, { tail: 1, budget })).text)!;
    expect(sections.get("goal")).toBeUndefined();
    expect(sections.get("actions")![0]).toMatch(/^\[1\] User: Rewrite the importer so that it streams its input\./);
  });

  it("says in each section what it left out, once, with the id that brings it back", () => {
    const todos = Array.from({ length: 80 }, (_, at) => ({ content: `Move the module ${at} over`, status: "pending" }));
    const messages = [user("Move all modules."), ...does("TodoWrite", { todos }, "ok"), says("Going on.")];
    const { text, sections } = writeHandoff(requestFor(messages, { tail: 1, budget: 500 }));
    const remaining = sections.find(({ topic }) => topic === "remaining")!;
    expect(remaining.leftOut).toBeGreaterThan(0);
    expect(remaining.written).toBeGreaterThan(0);
    expect(sectionOf(text, "Remaining Work").split(`(+${remaining.leftOut} in ${SPAN})`)).toHaveLength(2);
  });

  it("prefers the newest requests where not all fit", () => {
    const messages = Array.from({ length: 80 }, (_, at) => [
      user(`Please never use the module number ${at + 10} for anything at all.`),
      says("Fine."),
    ]).flat();
    const { text } = writeHandoff(
      requestFor([...messages, user("go on"), says("Going on.")], { tail: 2, budget: 600 }),
    );
    const said = sectionOf(text, "Completed Actions");
    expect(said).toContain("module number 89 ");
    expect(said).not.toContain("module number 13 ");
    const numbers = Array.from(said.matchAll(/module number (\d+)/g), ([, number]) => Number(number)).slice(1);
    expect(numbers.length).toBeGreaterThan(8);
    expect(numbers).toEqual(numbers.map((_, at) => 90 - numbers.length + at));
  });

  it("lets the oldest of what was done go first where all is a little too long", () => {
    const rooms = Array.from({ length: 9 }, (_, at) => `K${at}41`);
    const messages = rooms.flatMap((room, at) => [
      user(`Book room ${room} for ${at + 2} people on Friday, and order tea for ${at + 3} of them.`),
      ...does("book_room", { room, people: at + 2, tea: at + 3 }, JSON.stringify({ room, booking: `B-77${at}`, at })),
      says(`Room ${room} is booked as B-77${at}; the price is ${at + 1}00.50 EUR. Tea is ordered: ${at + 3} cups.`),
    ]);
    for (let budget = 200; budget < 600; budget += 3) {
      const { text } = writeHandoff(requestFor([...messages, user("And now?")], { tail: 1, budget }));
      const done = sectionOf(text, "Completed Actions");
      expect(done === "" || done.includes(rooms.at(-1)!), `${budget} tokens: ${done}`).toBe(true);
    }
  });

  it("can be written in the seven sections", () => {
    const { text } = writeHandoff(requestFor(WORK, { tail: 2, template: SEVEN_SECTIONS }));
    const headings = text
      .split("\n")
      .filter((line) => /^#{2,3} /.test(line))
      .map((line) => line.replace(/^#+ /, ""));
    expect(headings).toEqual(SEVEN_SECTIONS.flatMap(({ heading }) => (headings.includes(heading) ? [heading] : [])));
    expect(headings).toEqual(expect.arrayContaining(["Goal", "Progress", "Done", "In Progress", "Relevant Files"]));
  });

  it("lists the files of a tool in one line", () => {
    const messages = [
      user("look around"),
      ...Array.from({ length: 40 }, (_, at) => reads(`/repo/packages/some-package/src/feature-${at}/index.ts`)).flat(),
      ...reads("x.ts"),
    ];
    const lines = sectionOf(writeHandoff(requestFor(messages, { tail: 2 })).text, "Relevant Files")
      .split("\n")
      .filter((line) => line.startsWith("- "));
    expect(lines).toEqual([expect.stringMatching(/^- Read: (?:[^,]+, ){10,}[^,]+$/)]);
  });
});

describe("a focus", () => {
  const topics = ["payments", "footers"];
  const messages = Array.from({ length: 400 }, (_, at) => [
    user(`For ${topics[at % 2]} number ${at}, please never use the old module in any of its forms.`),
    says("Fine."),
  ]).flat();
  it.each([1_000, 2_000, 4_000])("gets 60 to 70 percent of %i tokens", (budget) => {
    const { text } = writeHandoff(
      requestFor([...messages, user("go on"), says("ok")], { tail: 2, budget, focus: "payments" }),
    );
    const lines = text.split("\n").filter((line) => topics.some((topic) => line.includes(topic)));
    const about = measure.text(lines.filter((line) => line.includes("payments")).join("\n"));
    expect(about / budget).toBeGreaterThan(0.6);
    expect(about / budget).toBeLessThan(0.7);
  });
});

it("keeps, of a talk too long for it, what stands nowhere else, however old it is", () => {
  const talk = Array.from({ length: 60 }, () => [
    user("Thank you for this good advice, I will try all of it tomorrow."),
    says("You are welcome, that is what I am here for, see you tomorrow."),
  ]).flat();
  const own = "My sister Ilse breeds alpacas near Oulu, and her barn burned down in March.";
  const messages = [user("Hello there, shall we talk?"), says("Yes."), user(own), says("Oh."), ...talk];
  const others = Array.from({ length: 40 }, (_, at) => [
    user(
      `I went to see place${String.fromCharCode(97 + (at % 26), 97 + (at % 25))} and I feel better again, as you said.`,
    ),
    says("Good."),
  ]).flat();
  const { text } = writeHandoff(
    requestFor([...messages, ...others, user("go on"), says("ok")], { tail: 2, budget: 300 }),
  );
  expect(text).toContain(own);
});
