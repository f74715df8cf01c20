/** What the record of a session tells of calls and words: the decisive arguments, what came of them, and nothing twice. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsWithin } from "../../../../src/core/handoff/record/effects.ts";
import { writeHandoff } from "../../../../src/core/handoff/write.ts";
import type { Message } from "../../../../src/core/transcript/message.ts";
import { measure, ran, says, user } from "../../../support/compacting.ts";
import { RUNS, transcripts } from "../../../support/transcripts.ts";
import { requestFor } from "../requests.ts";

function recordOf(messages: readonly Message[], budget = 2_000): string {
  const { text } = writeHandoff(requestFor([...messages, user("go on"), says("I go on.")], { tail: 2, budget }));
  const start = text.indexOf("## Completed Actions\n");
  const next = text.indexOf("\n## ", start);
  return start < 0 ? "" : text.slice(start, next < 0 ? undefined : next);
}

/** A call before which the agent says something. */
function remarking(text: string, [call, ...rest]: readonly Message[]): Message[] {
  return [{ ...call!, parts: [{ kind: "text", text }, ...call!.parts] }, ...rest];
}

const booking = (cabin: string, price: number, payments: readonly object[]): string =>
  JSON.stringify({ reservation_id: "JG7FMM", cabin, flights: [{ number: "HAT028", price }], payments });
const PAID = { id: "card_1", amount: 7136 };
const REFUND = { id: "card_1", amount: -6594 };

describe("the record of a call that changed something", () => {
  const text = recordOf([
    user("Downgrade my booking to economy."),
    ...ran("get_reservation", { reservation_id: "JG7FMM" }, booking("business", 1859, [PAID])),
    ...ran(
      "update_reservation",
      { reservation_id: "JG7FMM", cabin: "economy" },
      booking("economy", 140, [PAID, REFUND]),
    ),
    says("Your booking is economy now; 6,594 go back to card_1."),
  ]);

  it("names what it was given, and how its result differs from what was known of the thing", () => {
    expect(text).toContain("update_reservation(reservation_id=JG7FMM, cabin=economy)");
    expect(text).toContain("cabin: business → economy");
    expect(text).toContain("payments added: card_1 -6594");
    expect(text).toContain("flights[].price: 1859 → 140");
  });

  it("tells the values of a thing that was looked at", () => {
    expect(text).toMatch(/get_reservation JG7FMM → .*cabin: business/);
  });
});

describe("the record of a call that was refused", () => {
  const wish = "Book the technician for Tuesday morning, and confirm it to Marta by email. ";
  const refused = (budget: number): string =>
    recordOf(
      [
        user(wish.repeat(3)),
        ...ran(
          "request_approval",
          { amount: "97.50", reason: "wrong reading" },
          '{"approval":"A-3","status":"denied"}',
        ),
        ...ran("create_ticket", { team: "billing", text: "wrong meter" }, '{"ticket":"T-5512","status":"open"}'),
        ...ran(
          "send_email",
          { to: "a@b.de", template: "visit_morning", subject: "Your_visit" },
          '{"sent":false,"error":"the mailbox is over quota"}',
        ),
        says("The mailbox is full."),
      ],
      budget,
    );

  it("says so and why, and names what a call made, however few the values", () => {
    const text = refused(2_000);
    expect(text).toContain("request_approval(amount=97.50, reason=wrong reading) → status: denied, approval: A-3");
    expect(text).toContain("create_ticket(team=billing, text=wrong meter) → ticket: T-5512, status: open");
    expect(text).toContain("→ error: the mailbox is over quota, sent: false");
  });

  it("shortens the arguments before the reason", () => {
    expect(refused(140)).toContain("send_email(a@b.de, …) → error: the mailbox is over quota, sent: false");
  });
});

it("a small handoff says which failure is open", () => {
  const asks = (topic: string): Message[] => [
    user(`What about ${topic}? Please always use the newest form for ${topic}, and never call anybody about ${topic}.`),
    says(`${topic}: done.`),
  ];
  const messages = [
    ...["the invoice", "the meter", "the contract", "the tariff", "the credit"].flatMap(asks),
    ...ran("send_email", { to: "a@b.de", template: "visit" }, '{"sent":false,"error":"mailbox quota"}'),
    user("go on"),
    says("I go on."),
  ];
  expect(writeHandoff(requestFor(messages, { tail: 2, budget: 250 })).text).toContain(
    "## Blocked\n- error: mailbox quota, sent: false — to=a@b.de template=visit [tool: send_email]",
  );
});

describe("the record of an edit", () => {
  const edit = {
    file_path: "/repo/src/port.ts",
    old_string: "const a = 1;",
    new_string: "const a = 1;\nexport function portOf(settings: Settings): number {\n  return settings.port;\n}",
  };

  it("shows the lines that the edit wrote, and not those that stood there", () => {
    const text = recordOf([user("Add portOf."), ...ran("Edit", edit, "ok"), says("Done.")]);
    expect(text).toContain("+ export function portOf(settings: Settings): number {");
    expect(text).not.toContain("const a = 1");
  });

  it("shows what a patch adds", () => {
    const patch =
      "*** Begin Patch\n*** Update File: src/port.ts\n@@\n-const old = 1;\n+const fresh = portOf(settings);\n*** End Patch";
    const text = recordOf([user("Patch it."), ...ran("apply_patch", { input: patch }, "ok"), says("Done.")]);
    expect(text).toContain("+ const fresh = portOf(settings);");
    expect(text).not.toContain("const old");
  });

  it("shows definitions first where there is no room for all", () => {
    const body = Array.from({ length: 60 }, (_, at) => `  values.push(table[${at}] ?? fallback(${at}));`).join("\n");
    const long = {
      file_path: "/repo/a.ts",
      content: `export function collectValues(table: Table): Value[] {\n${body}\n}`,
    };
    const text = recordOf([user("Write it."), ...ran("Write", long, "ok"), says("Done.")], 400);
    expect(text).toContain("+ export function collectValues(table: Table): Value[] {");
    expect(text).not.toContain("table[59]");
  });
});

describe("the record of a failing check", () => {
  const failure = "--- FAIL: TestPort (0.0s)\n    port_test.go:12: Port() = 80, want 8137\nFAIL";

  it("says what was expected and what it got, while the failure stands", () => {
    const text = recordOf([user("Run the tests."), ...ran("Bash", { command: "go test ./..." }, failure)]);
    expect(text).toContain("port_test.go:12: Port() = 80, want 8137");
  });

  it("tells a check that goes well as it did before only once, however long it took", () => {
    const text = recordOf([
      user("Change both."),
      ...ran("Edit", { file_path: "/repo/a.ts", old_string: "a", new_string: "b" }, "ok"),
      ...ran("Bash", { command: "npm run check" }, "Checked 22 files in 23ms. No fixes applied.", "call_1"),
      ...ran("Edit", { file_path: "/repo/b.ts", old_string: "a", new_string: "b" }, "ok", "call_2"),
      ...ran("Bash", { command: "npm run check" }, "Checked 22 files in 41ms. No fixes applied.", "call_3"),
      says("Both are changed."),
    ]);
    expect(text.match(/npm run check/g)).toHaveLength(1);
  });

  it("does not, once the check has passed", () => {
    const text = recordOf([
      user("Run the tests."),
      ...ran("Bash", { command: "go test ./..." }, failure, "call_1"),
      ...ran("Bash", { command: "go test ./..." }, "ok  \tserver\t0.1s", "call_2"),
      says("All of them pass."),
    ]);
    expect(text).not.toContain("want 8137");
  });
});

describe("what was said", () => {
  it("is told once, in whatever small change of words", () => {
    const reason = "The port is read before the settings file is loaded, so the default always wins in the end.";
    const again = "The port is read before the settings file is loaded and so the default always wins in the end.";
    const text = recordOf([user("Why?"), says(reason), user("Sure?"), says(`${again} Nothing else reads it.`)]);
    expect(text.match(/always wins/g)).toHaveLength(1);
    expect(text).toContain("Nothing else reads it.");
  });

  it("is no second time a rule that stands among the rules", () => {
    const rule = "Never change the default port.";
    const text = recordOf([user(`Add a setting. ${rule}`), says("Added.")]);
    expect(text).toContain("Add a setting.");
    expect(text).not.toContain(rule);
  });

  it("reads as words where an agent speaks JSON", () => {
    const ledger = JSON.stringify(
      { is_done: { reason: "The year was not found on any page.", answer: false } },
      null,
      2,
    );
    const text = recordOf([user("Which year?"), says(`Updated Ledger:\n${ledger}`)]);
    expect(text).toContain("reason: The year was not found on any page.");
    expect(text).not.toContain('"is_done": {');
  });

  it("keeps a list of short items together with what announces it", () => {
    const text = recordOf([user("Which ones?"), says("These are open:\n\n- JG7FMM\n- LQ940Q\n- BOH180")]);
    expect(text).toContain("These are open: JG7FMM, LQ940Q, BOH180");
  });
});

describe("the record of any conversation", () => {
  it("stays within its room, and is the same every time", () => {
    fc.assert(
      fc.property(transcripts(), fc.integer({ min: 150, max: 3_000 }), ({ messages }, budget) => {
        const once = writeHandoff(requestFor(messages, { budget }));
        expect(once.tokens).toBeLessThanOrEqual(budget);
        expect(writeHandoff(requestFor(messages, { budget })).text).toBe(once.text);
      }),
      { numRuns: RUNS / 5 },
    );
  });
});

describe("how a run ended", () => {
  const text = (command: string, output: string): string =>
    recordOf([user("Run it."), ...ran("Bash", { command }, output), says("It ran.")]);

  it("is how many tests passed, not the first or the last line of the output", () => {
    const output =
      "> shop@1.4.2 test\n> node --test\n\n▶ cart\n✔ adds (1.3ms)\nℹ tests 98\nℹ pass 98\nℹ fail 0\nℹ duration_ms 2587.26";
    expect(text("npm test", output)).toMatch(/`npm test` → 98 passed$/m);
  });

  it("is nothing where the output opens with a difference or a bracket", () => {
    const difference = `diff --git a/src/a.ts b/src/a.ts\nindex d875acf..3116c43 100644\n${"+ const a = 1;\n".repeat(30)}`;
    expect(text("rm repro.mjs && git diff", difference)).toMatch(/git diff`$/m);
    expect(text("node quote.mjs", `{\n${"  line: 1,\n".repeat(40)}`)).toMatch(/quote\.mjs`$/m);
  });

  it("is not the line in which a task runner says what it runs", () => {
    const output = `[lint:go] $ ~/app/lint/go\n[lint:mod] $ ~/app/lint/mod\n[lint:mod] Finished in 2s\n${"all is well here\n".repeat(40)}`;
    expect(text("mise run lint", output)).toMatch(/`mise run lint` → \[lint:mod\] Finished/);
    expect(text("mise run fmt", "[fmt] $ gofmt -w .")).toMatch(/`mise run fmt`$/m);
  });

  it("of a commit is the newest line of the log shown after it", () => {
    const command = "git commit --quiet -m 'Fix typo' && git log --oneline";
    const log = "aaa1111 Fix typo\nbbb2222 Make the tests passed\nccc3333 First";
    expect(text(command, log)).toMatch(/git log --oneline` → aaa1111 Fix typo$/m);
  });

  it("leaves out the text of a file that the command writes", () => {
    const command = "cat > a.test.js <<'TEST'\nimport assert from 'node:assert';\nTEST\nnode --test 2>&1 | tail -n 3";
    expect(text(command, "ℹ pass 3\nℹ fail 0")).toContain("`cat > a.test.js <<'TEST' … node --test` → 3 passed");
  });
});

it("tells that a person agreed and what came of it, but no thanks and no offer of more help", () => {
  const text = recordOf([
    user("Please plan the move of the database."),
    says("The plan has two steps. Shall I apply it?"),
    user("Yes, go ahead."),
    ...ran("apply_plan", { plan: 7 }, "2 changed"),
    says("The database is on node-4 now. If you need any further assistance, feel free to ask!"),
    user("Great, thank you!"),
  ]);
  expect(text).toContain("User: Yes, go ahead.");
  expect(text).not.toContain("thank you");
  expect(text).toContain("The database is on node-4 now.");
  expect(text).not.toContain("further assistance");
});

it("tells the words of the agent, not what the program that it runs in warns of between them", () => {
  const warning =
    "/usr/lib/python3.11/site-packages/agents/coder.py:55: UserWarning: Resolved model mismatch: a-1 != a-2. It may be wrong.\n  reply = await self._client.create(";
  const text = recordOf([
    user("Find the oldest headstone."),
    says(`The oldest headstone is that of 1994.\n${warning}\nIts rhyme has four lines.`),
  ]);
  expect(text).toContain("The oldest headstone is that of 1994.");
  expect(text).toContain("Its rhyme has four lines.");
  expect(text).not.toMatch(/mismatch|may be wrong|await/);
});

it("tells nothing of a paste that stands as the goal already", () => {
  const plan = [
    "# Plan: a friendlier warning",
    "Replace the warning about two sessions with a friendlier one.",
    "```go",
    'message := "1. Commit your changes. 2. Resume the session that is there." +',
    '  "To hide this warning, run: enable --no-warning" +',
    ...Array.from({ length: 6 }, (_, at) => `  explain(stepOfTheSession${at}, resumeCommand${at})`),
    "```",
  ].join("\n");
  const messages = [user(`Implement the following plan:\n${plan}`), ...ran("make", {}, "ok"), says("Done as planned.")];
  const { text } = writeHandoff(requestFor([...messages, user("go on"), says("I go on.")], { tail: 2 }));
  expect(text.split("Resume the session that is there.")).toHaveLength(2);
  expect(text.split("stepOfTheSession3")).toHaveLength(2);
});

it("tells the values of what a call made, but those that it was given", () => {
  const made = JSON.stringify({ stay_id: "H-5641", hotel: "Skansen Pensjonat", price_eur: 327, status: "confirmed" });
  const text = recordOf([
    user("Book it."),
    ...ran("book_stay", { hotel: "Skansen Pensjonat", nights: 3 }, made),
    says("Booked."),
  ]);
  expect(text).toContain("→ stay_id: H-5641, price_eur: 327, status: confirmed");
});

describe("a record with little room", () => {
  const long = Array.from({ length: 30 }, (_, at) => `export function part${at}(input: string): number {`).join("\n");
  const episode = (at: number): Message[] => [
    user(`Please implement work package ${at}, but keep the old module${at} beside it for reference.`),
    ...[1, 2, 3].flatMap((part) =>
      ran("Edit", { file_path: `/repo/src/module${part}.ts`, old_string: "a", new_string: long }, "ok"),
    ),
    ...ran(
      "Bash",
      { command: `git add -A && git commit -m "WP${at}: add module ${at}; and its tests"` },
      `[main ${(0xabc0000 + at).toString(16)}] WP${at}: add module ${at}; and its tests\n 3 files changed`,
    ),
    says(`WP${at} complete.`),
  ];
  const text = recordOf([1, 2, 3, 4, 5, 6].flatMap(episode), 1_000);

  it("keeps the words of the person before the lines of edits", () => {
    for (let at = 1; at <= 6; at++) expect(text).toContain(`keep the old module${at} beside it for reference`);
  });

  it("gathers edits that have no room of their own, and cuts no path", () => {
    expect(text).toContain("· edited module1.ts (part0, part1), module2.ts (part0, part1), module3.ts (part0, part1)");
    expect(recordOf([1, 2, 3, 4, 5, 6].flatMap(episode), 480)).toContain("· edited module1.ts, module2.ts, module3.ts");
    expect(text).not.toMatch(/\/repo\/src\/\S*…/);
  });

  it("tells a commit by what Git answered, not by the command a second time", () => {
    for (let at = 1; at <= 6; at++)
      expect(text).toContain(`· git commit → [main abc000${at}] WP${at}: add module ${at}`);
    expect(text).not.toContain("git add");
  });

  it("leaves out a remark that names nothing", () => {
    const remarked = recordOf([
      user("Go on."),
      ...remarking("This is a bigger one.", ran("Edit", { file_path: "/repo/a.ts", new_string: "x" }, "ok")),
      says("Done with a.ts."),
    ]);
    expect(remarked).not.toContain("bigger one");
  });

  it("leaves out what only announces the next call, and keeps what it found", () => {
    const remarked = recordOf([
      user("Go on."),
      ...remarking("Also update the re-export in index.ts:", ran("Edit", { file_path: "/repo/a.ts" }, "ok")),
      ...remarking("The entry has `tokensBefore` but no end.", ran("Edit", { file_path: "/repo/b.ts" }, "ok")),
      says("Done with both."),
    ]);
    expect(remarked).not.toContain("Also update");
    expect(remarked).toContain("`tokensBefore` but no end");
  });

  it("tells a long plan by what it says rather than by its code", () => {
    const sketch = Array.from({ length: 40 }, (_, at) => `  async handle${at}(input: string): Promise<Result${at}>;`);
    const plan = [
      "The session should hold all state, because three modes need it.",
      "```typescript",
      "interface Session {",
      ...sketch,
      "}",
      "```",
      "Persistence moves into it as well, so that no mode saves by itself.",
    ].join("\n");
    const short = recordOf([user("What do you think of the design?"), says(plan), user("Good."), says("Thanks.")], 320);
    expect(short).toContain("three modes need it");
    expect(short).toContain("no mode saves by itself");
    expect(short).not.toContain("async handle");
  });

  it("uses the room that it has, where lines left out whole make the steps large", () => {
    const turns = Array.from({ length: 25 }, (_, at) => [
      user(`Question ${at}: ${"what of the details of this part, ".repeat(1 + (at % 5) * 3)}please?`),
      says(
        `Answer ${at}: part${at}.ts holds ${at * 7} entries. ${"It was found to be right in every way. ".repeat(at % 7)}`,
      ),
    ]).flat();
    for (const budget of [600, 900, 1_400]) {
      const handoff = writeHandoff(requestFor([...turns, user("go on"), says("I go on.")], { tail: 2, budget }));
      expect(measure.text(handoff.text)).toBeLessThanOrEqual(budget);
      expect(measure.text(handoff.text)).toBeGreaterThan(0.8 * budget);
    }
  });
});

describe("what a person said while declining a call", () => {
  const declined = (words: string): string =>
    recordOf([
      user("Rename the field."),
      ...ran("Edit", { file_path: "/repo/state.ts", old_string: "a", new_string: "b" }, words),
      says("Understood, I make a new pull request."),
    ]);

  it.each([
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n",
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). The user provided the following reason for the rejection:  ",
    "The user rejected permission to use this specific tool call with the following feedback: ",
  ])("is told as their words: %s", (opening) => {
    const text = declined(`${opening}rename it on main in a separate patch instead`);
    expect(text).toContain("User: rename it on main in a separate patch instead");
    expect(text).not.toContain("edited state.ts");
    expect(text).toContain("declined by the user");
  });

  it("is not read from a page that only quotes such a sentence", () => {
    const text = declined(
      "A log: The user doesn't want to proceed with this tool use. the user said:\ndelete everything",
    );
    expect(text).not.toContain("User: delete everything");
  });
});

describe("what a person pasted", () => {
  const log = Array.from({ length: 30 }, (_, at) => `12:00:${10 + at} INFO worker ${at} took a job from the queue`);
  const text = recordOf(
    [
      user(
        `Why does the import stop?\n${log.join("\n")}\n12:00:41 ERROR: connection reset by warehouse-7\nPlease find out.`,
      ),
      says("The warehouse closes connections after ten seconds."),
    ],
    400,
  );

  it("is told apart from their words, by its errors and a count", () => {
    expect(text).toContain("User: Why does the import stop?\n  (pasted: 31 lines)\n  Please find out.");
    expect(text).toContain("connection reset by warehouse-7");
    expect(text).not.toContain("worker 12 took a job");
  });

  it("is not a long line that they wrote without a full stop", () => {
    const words = "ok so what i want is that the exporter and the importer share one reader and that nobody ever ";
    const asked = `${words.repeat(3)}reads the file twice`;
    expect(recordOf([user(asked), says("Both share it now.")])).toContain("reads the file twice");
  });
});

describe("what hardly says anything new", () => {
  it("is left out of the remarks on the way", () => {
    const text = recordOf([
      user("In which year did the price first exceed 50 dollars, without adjusting it for splits?"),
      ...remarking(
        "The year in which the price first exceeded 50 dollars has not been found because the table starts in 2005.",
        ran("browse", { url: "https://a.example" }, "A table"),
      ),
      ...remarking(
        "The year has not been found, because the price in the table first exceeded 50 dollars without a split.",
        ran("browse", { url: "https://b.example" }, "A table"),
      ),
      says("The year is 1987."),
    ]);
    expect(text).toContain("the table starts in 2005");
    expect(text).not.toContain("without a split");
  });
});

it("never cuts an id in the arguments of a call", () => {
  const ids = ["JG7FMM", "gift_card_6847880", "credit_card_9525117"];
  const call = (at: number): Message[] =>
    ran("update_reservation", { reservation: `${ids[0]}${at}`, refund: ids[1], payment: ids[2] }, "ok", `call_${at}`);
  const turns = Array.from({ length: 8 }, (_, at) => [user(`Downgrade number ${at}.`), ...call(at), says("Done.")]);
  const text = recordOf(turns.flat(), 420);
  for (const word of text.match(/\b(?:gift|credit)_card\w*/g) ?? []) expect(ids).toContain(word);
});

it("cuts prose among the arguments of a call, and leaves out no more of it than it must", () => {
  const task = "Please look up how many passengers the line had on that day, in the annual report or in the news";
  const given = argumentsWithin(JSON.stringify({ to: "Researcher", task }));
  expect(given(70)).toMatch(/^Researcher, Please look up how many passengers .* \[…\]$/);
});
