/** Quoted lines of results: within their room, from what was replaced, and without a secret wherever a cut falls. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventsOf } from "../../../src/core/events/events.ts";
import { createQuoter } from "../../../src/core/handoff/quotes.ts";
import { parseHandoff, writeHandoff } from "../../../src/core/handoff/write.ts";
import { eachTerm } from "../../../src/core/handoff/terms.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { edits, reads, run, says, user } from "../events/session-talk.ts";
import { ran } from "../../support/compacting.ts";
import { RUNS } from "../../support/cases.ts";
import { expectLinear } from "../../support/linear.ts";
import { measure, requestFor } from "./requests.ts";

const SECRET = "sk-live-0123456789abcdef0123456789abcdef";
const redact = (text: string): string => text.replaceAll(SECRET, "[secret]");

function namesIn(text: string): readonly string[] {
  const names = new Set<string>();
  eachTerm(text, (term, isName) => isName && names.add(term));
  return [...names];
}

function quoted(messages: readonly Message[], tokens = 2_000, from = 0): string {
  const quoter = createQuoter({
    events: eventsOf(messages),
    from,
    until: messages.length,
    measure,
    redact,
    shortened: (text) => text,
  });
  return quoter(tokens, "")
    .map(({ text }) => text)
    .join("\n");
}

describe("quotes", () => {
  const letters = (at: number): string => "abcdefghij"[Math.floor(at / 10)]! + "klmnopqrst"[at % 10]!;
  const listing = Array.from(
    { length: 60 },
    (_, at) => `the part_${at} of the ${letters(at)}_store is at port ${7_000 + at}`,
  ).join("\n");
  const talk = [user("Look."), ...run("cat parts.txt", listing), says("Listed.")];

  it.each([60, 120, 300, 600, 1_200])("stay within %i tokens, in lines as they were", (tokens) => {
    const text = quoted(talk, tokens);
    expect(measure.text(text)).toBeLessThanOrEqual(tokens * 1.1);
    expect(text).toContain("[2] Bash cat parts.txt");
    for (const line of text.split("\n").slice(1)) expect(listing).toContain(line);
  });

  it("take time in proportion to what a call was given, whatever that is", () => {
    expectLinear(60_000, (chars) => () => quoted([...run(`echo ${"a".repeat(chars)}`, listing), says("Done.")]));
  });

  it("are looked for in the beginning of a text, an agent's as well", () => {
    const end = "the part_77 of the store is at port 7077, as it was";
    expect(quoted([user("Look."), says(`${"on and on ".repeat(7_000)}\n${end}`)])).not.toContain(end);
    expect(quoted([user("Look."), says(`${end}\n${"on and on ".repeat(7_000)}`)])).toContain(end);
  });

  it("are of what the agent said, before what a call happened to return", () => {
    const found = "The reader keeps each row of the table in its own buffer, and that is why it grows.";
    const lead = "This is what the plan of the next steps looks like:";
    const text = quoted([...talk.slice(0, 3), says(`${lead}\n${found}`)], 60);
    expect(text).toContain(found);
    expect(text).not.toContain(lead);
  });

  it.each([100, 300, 2_000])("in %i tokens find the lines of a log that are not like the others", (tokens) => {
    const rows = Array.from(
      { length: 200 },
      (_, at) => `2026-11-${10 + (at % 19)} INFO req=${at}f path=/api/v${at} status=200`,
    );
    const [error, other] = [
      "2026-11-12 ERROR stock-sync: lock_wait timeout",
      "2026-11-12 INFO moved the stock_table to shard_b",
    ];
    const text = quoted(
      [user("Look."), ...run("cat sync.log", [...rows.slice(0, 90), error, other, ...rows.slice(90)].join("\n"))],
      tokens,
    );
    expect(text).toContain(error);
    expect(text).toContain(other);
    expect(text).not.toContain("status=200");
  });

  it("are of what is replaced alone", () => {
    expect(quoted(talk, 600, 3)).not.toContain("part_");
  });

  it("leave out a line that opens what stands below it, and a field of data in a page", () => {
    const opens = "const shelf_20318 = await newStore.openShelf_7(";
    const field = '"og:image_url": "on front.jpg, back_7.jpg, side_8.jpg, lid_9.jpg",';
    const page = `The shelf_5110 holds 41 jars_of_plums, lot_20318.\n${opens}\n${field}\nIt was last counted on part_77 in May.`;
    const text = quoted([user("Look."), ...run("curl shop.example", page), says("Seen.")]);
    expect(text).toContain("The shelf_5110 holds 41 jars_of_plums, lot_20318.");
    expect(text).not.toContain("openShelf");
    expect(text).not.toContain("front.jpg");
    const data = `{\n${field}\n"kind": "jars"\n}`;
    expect(quoted([user("Look."), ...run("curl shop.example/data", data), says("Seen.")])).toContain(field);
  });

  it("leave out lines that an edit took away later, unless one put them back", () => {
    const edit = (before: string, after: string): readonly Message[] =>
      ran("edit_file", { path: "plan.md", old_string: before, new_string: after }, "ok", `edit_${before}`);
    const [old, now] = ["Step 7: rename tui_renderer to shell_mode", "Step 7: leave tui_renderer where port_9 is"];
    const looked = [user("Look."), ...run("cat plan.md", `${old}\nStep 8: build page_8 and page_9 anew`)];
    expect(quoted(looked)).toContain(old);
    expect(quoted([...looked, ...edit(old, now)])).not.toContain(old);
    expect(quoted([...looked, ...edit(old, now)])).toContain("page_8");
    expect(quoted([...looked, ...edit(old, now), ...edit(now, old)])).toContain(old);
  });

  it("leave out what a file said that was changed later", () => {
    const shown = "the part_7 of the store is at port 7077, as it was";
    const looked = [user("Look."), ...reads("src/store.ts", shown)];
    expect(quoted(looked)).toContain(shown);
    expect(quoted([...looked, ...edits("src/other.ts")])).toContain(shown);
    expect(quoted([...looked, ...edits("src/store.ts")])).not.toContain(shown);
  });

  it("leave out what an edit answered in a line, and what a refusal says", () => {
    const path = "src/shelf_7.ts";
    const answer = (text: string): readonly Message[] => ran("write_file", { path, content: "one" }, text, "write_7");
    expect(quoted([user("Go."), ...answer(`wrote 253 bytes to shelf_7, lot_9`)])).toBe("");
    expect(quoted([user("Go."), ...answer(`wrote 253 bytes to shelf_7\nlot_9 is not in use in shelf_7`)])).toContain(
      "lot_9",
    );
    const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected, lot_9 stays.";
    expect(quoted([user("Go."), ...run("git push lot_9", refused)])).toBe("");
  });

  it("say nothing that the record tells", () => {
    const page = (at: number): string =>
      Array.from(
        { length: 6 },
        (_, row) => `The ${"abcdefgh"[row]!}_shelf holds jars_of_plums_${at}, and lot_${at}${row} is empty.`,
      ).join("\n");
    const all = Array.from({ length: 12 }, (_, at) => [
      user(`Look at page ${at}.`),
      ...run(`curl shop.example/${at}`, page(at)),
    ]).flat();
    for (let budget = 500; budget < 3_000; budget += 100) {
      const { sections } = parseHandoff(writeHandoff(requestFor(all, { budget, fillsBudget: true })).text)!;
      const record = sections.get("actions")!.join("\n");
      for (const quote of sections.get("context") ?? [])
        for (const line of quote.split("\n").slice(1)) expect(record).not.toContain(line);
    }
  });

  it("hold no part of a secret", () => {
    for (let pad = 0; pad < 160; pad += 3) {
      const word = "w".repeat(pad);
      const line = `the part_${pad} is at port ${7_000 + pad}`;
      const command = `deploy ${word} ${SECRET} now`;
      const end = "x".repeat(59_900 - line.length + pad);
      const text = quoted([
        ...run(command, line),
        ...run(`fetch ${word}/${SECRET}`, `${line} again with ${word} ${SECRET}`),
        ...run("cat a.txt", `${end}\nthe part_1 has ${"port_8 ".repeat(8)} ${SECRET} and more`),
      ]);
      expect(text).not.toContain(SECRET.slice(0, 16));
    }
  });
});

describe("the names in a text", () => {
  /** The same without the shortcut for plain words. */
  const NAME =
    /[\p{L}_][\p{L}\p{N}_]*(?:[._/:-][\p{L}\p{N}_]+)+|[\p{L}_]*(?:\p{Ll}\p{Lu}|_|\p{L}\p{N}|\p{N}\p{L})[\p{L}\p{N}_]*|\d[\d.,:]*\d/gu;

  it("are names of code, paths, words with figures, and figures", () => {
    const text =
      "Read src/a.ts, then parseQuery, MAX_RETRY and v2 at 10:45, for 1,200 and 7; the REST is plain, naïveÜber too";
    expect(namesIn(text)).toEqual(["src/a.ts", "parseQuery", "MAX_RETRY", "10:45", "1,200", "naïveÜber"]);
  });

  it("are what the plain definition says, of any text", () => {
    const text = fc.array(fc.constantFrom(..."aBz_9.:/-, é字ΩñÑǅʰ😀𝒜1"), { maxLength: 24 }).map((all) => all.join(""));
    fc.assert(
      fc.property(text, (one) => {
        expect(namesIn(one)).toEqual([...new Set(one.match(NAME) ?? [])].filter(({ length }) => length >= 3));
      }),
      { numRuns: RUNS * 25 },
    );
  });
});
