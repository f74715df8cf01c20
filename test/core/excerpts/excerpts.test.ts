/** Excerpts are verbatim, within their budget, in the range asked for, and of names that nothing else binds. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEvidence, type Evidence, type Excerpt } from "../../../src/core/excerpts/excerpts.ts";
import { createNameTable } from "../../../src/core/excerpts/name-table.ts";
import { readMessage } from "../../../src/core/excerpts/reading.ts";
import { WEIGHTS } from "../../../src/core/excerpts/weights.ts";
import { calibrated, createMeasure } from "../../../src/core/transcript/measure.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { RUNS } from "../../support/transcripts.ts";
import { talks } from "./namings.ts";
import { expectLinear } from "../../support/linear.ts";

const measure = createMeasure();
const NOTHING = { standing: [], text: "" };
const ask = (budget: number) => ({ budget, measure, present: NOTHING, focus: [] });
const textOf = (message: Message): string => readMessage(message, createNameTable()).text;
const budgets = fc.integer({ min: 0, max: 600 });

const weigh = (excerpts: readonly Excerpt[]): number =>
  excerpts.reduce((sum, { tokens }) => sum + tokens, 0) +
  [...new Set(excerpts.map(({ source }) => source))].reduce((sum, source) => sum + measure.text(`@ ${source}\n`), 0);

describe("excerpts", () => {
  it("quote what was said, from the message they name", () => {
    fc.assert(
      fc.property(talks, budgets, (messages, budget) => {
        for (const { message, at, text, tokens } of createEvidence().excerpts(messages, ask(budget))) {
          expect(tokens).toBe(measure.text(`${text}\n`));
          expect(textOf(messages[message]!).slice(at, at! + text.length)).toBe(text);
        }
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it("leave out what the assistant took back later, and nothing that others said", () => {
    const messages = (["user", "assistant", "user"] as const).map((role, at) =>
      textMessage(role, `The revenue at risk of churn_q${at} is €9,184,221.55 in dwh.orders_${at}.`),
    );
    const quoted = (isRetracted?: (message: number, text: string) => boolean): readonly number[] =>
      createEvidence()
        .excerpts(messages, { ...ask(400), isRetracted })
        .map(({ message }) => message);
    expect(quoted()).toContain(1);
    const left = quoted((_, text) => text.includes("9,184"));
    expect(left).not.toContain(1);
    expect(left).toContain(2);
  });

  it("stay within the budget, the lines that name their sources included", () => {
    fc.assert(
      fc.property(talks, budgets, (messages, budget) => {
        expect(weigh(createEvidence().excerpts(messages, ask(budget)))).toBeLessThanOrEqual(budget);
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it("come from the range asked for", () => {
    fc.assert(
      fc.property(talks, fc.nat(20), fc.nat(20), (messages, a, b) => {
        const [from, until] = [Math.min(a, b), Math.max(a, b)];
        for (const { message } of createEvidence().excerpts(messages, { ...ask(400), from, until })) {
          expect(message).toBeGreaterThanOrEqual(from);
          expect(message).toBeLessThan(until);
        }
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it("are the same from a fold that grew message by message as from one made at once", () => {
    fc.assert(
      fc.property(talks, budgets, (messages, budget) => {
        const grown = createEvidence();
        for (let length = 1; length < messages.length; length++) grown.excerpts(messages.slice(0, length), ask(budget));
        expect(grown.excerpts(messages, ask(budget))).toEqual(createEvidence().excerpts(messages, ask(budget)));
        expect(grown.probabilities(messages)).toEqual(createEvidence().probabilities(messages));
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it("owe nothing to what was asked before: another measure, focus, budget or result", () => {
    const asked = fc.record({
      budget: budgets,
      measure: fc.constantFrom(measure, calibrated(measure, 1.3)),
      present: fc.record({ standing: fc.constant([]), text: fc.constantFrom("", "see src/a.ts\nand b_c_d there") }),
      focus: fc.constantFrom([], ["gate"], ["abc", "xyz"]),
      redact: fc.constantFrom(undefined, (text: string) => text.replaceAll("a", "*")),
    });
    fc.assert(
      fc.property(talks, fc.array(asked, { minLength: 2, maxLength: 4 }), (messages, questions) => {
        const evidence = createEvidence();
        for (const { redact, ...rest } of questions) {
          const request = redact === undefined ? rest : { ...rest, redact };
          expect(evidence.excerpts(messages, request)).toEqual(createEvidence().excerpts(messages, request));
        }
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it("are the same where memory holds nothing of the messages, and they are read again", () => {
    fc.assert(
      fc.property(talks, budgets, fc.nat(), (messages, budget, place) => {
        const [forgetful, mindful] = [createEvidence(WEIGHTS, 0), createEvidence()];
        const present = { standing: messages.slice(-(place % 3)), text: messages.slice(0, 1).map(textOf).join("\n") };
        for (const until of [place % (messages.length + 1), messages.length]) {
          const known = messages.slice(0, until);
          const request = { ...ask(budget), present };
          expect(forgetful.excerpts(known, request)).toEqual(mindful.excerpts(known, request));
          const missing = (evidence: Evidence) =>
            evidence.missing(known, present).map(({ isSafe, ...one }) => ({ ...one, safe: isSafe((text) => text) }));
          expect(missing(forgetful)).toEqual(missing(mindful));
          expect(forgetful.probabilities(known)).toEqual(mindful.probabilities(known));
        }
      }),
      { numRuns: RUNS / 10 },
    );
  });

  it("have nothing to add to a result in which every message stands", () => {
    const messages = [textMessage("user", "please look at the parseHeader function of src/http/header.ts again")];
    const request = ask(500);
    expect(createEvidence().excerpts(messages, request).length).toBeGreaterThan(0);
    expect(createEvidence().excerpts(messages, { ...request, present: { standing: messages, text: "" } })).toEqual([]);
  });

  it("quote a line that the result only names something of, and none that it holds", () => {
    const messages = [textMessage("user", "the retry limit lives in maxRetryCount and should stay below ten")];
    const bare = { standing: [], text: "maxRetryCount" };
    const tied = { standing: [], text: "- the retry limit lives in maxRetryCount and should stay below ten" };
    const quotes = (present: typeof bare): number =>
      createEvidence().excerpts(messages, { ...ask(500), present }).length;
    expect(quotes(bare)).toBe(1);
    expect(quotes(tied)).toBe(0);
  });

  it("are no errors that the result says already", () => {
    const error = "error: connection refused to billing.internal:7013";
    const messages = toolTalk("Bash", "./run-all.sh", `started\n${error}\n`);
    const quotes = (text: string): string =>
      createEvidence()
        .excerpts(messages, { ...ask(500), present: { standing: [], text } })
        .map((excerpt) => excerpt.text)
        .join("\n");
    expect(quotes("")).toContain(error);
    expect(quotes(`- ${error} (not run again)`)).not.toContain(error);
  });

  it("never run from what was said into a call, and are no bare names of tools", () => {
    const call = (at: number, name: string, said: string): Message => ({
      role: "assistant",
      parts: [
        { kind: "text", text: said },
        {
          kind: "tool-call",
          id: `c${at}`,
          name,
          arguments: JSON.stringify({ path: "gke.tf", text: `size_${at} = 2` }),
        },
      ],
    });
    const messages = [
      call(1, "write_file", "I'll rewrite the file."),
      call(2, "write_file", "Now the rules in `infra/prod/firewall_rules.tf` follow."),
      call(3, "patch_rules", "Now the `target_tags`."),
    ];
    const texts = createEvidence()
      .excerpts(messages, ask(400))
      .map(({ text }) => text);
    expect(texts.join("\n")).toContain("firewall_rules.tf");
    for (const text of texts) expect(text).not.toMatch(/write_file|patch_rules/);
  });

  it("are no warnings of the program that the assistant runs in", () => {
    const warning =
      "/usr/lib/agents/coder.py:55: UserWarning: Resolved model mismatch: alpha-2024-08 is not beta-2024-05.";
    const told = (role: "assistant" | "user"): string =>
      createEvidence()
        .excerpts([textMessage(role, `The index idx_carts_7719 is stale.\n${warning}`)], ask(400))
        .map(({ text }) => text)
        .join("\n");
    expect(told("user")).toContain("UserWarning");
    expect(told("assistant")).toContain("idx_carts_7719");
    expect(told("assistant")).not.toContain("UserWarning");
  });

  it("never quote an earlier handoff", () => {
    const handoff = textMessage(
      "user",
      "[precis handoff 1]\nthe function parseHeader returns a wrong status code",
      "summary",
    );
    expect(createEvidence().excerpts([handoff], ask(500))).toEqual([]);
  });

  it("never name the numbers that a tool puts before lines", () => {
    const listing = Array.from({ length: 40 }, (_, at) => `  ${1200 + at}→\treturn the value as it stands`).join("\n");
    const messages = toolTalk("Read", "/src/a.ts", listing);
    for (const id of createEvidence().probabilities(messages).keys()) expect(id).not.toMatch(/^\d+$/);
  });

  it("of one endless line are none, and cost no more than of ordinary text", () => {
    expectLinear(17_000, (times) => {
      const line = "const someValue = computeValue(otherValue) returns nothing ".repeat(times);
      const messages = toolTalk("Bash", "cat a.min.js", line);
      return () => expect(createEvidence().excerpts(messages, ask(2_000))).toEqual([]);
    });
  });

  it("name every error that stands between numbered filler", () => {
    const hosts = Array.from({ length: 22 }, (_, at) => `db-${at + 1}.internal:54${30 + at}`);
    const log = hosts
      .flatMap((host, at) => [
        ...Array.from({ length: 14 }, (__, line) => `step ${at * 14 + line}: filler line ${at * 14 + line} of the run`),
        `error: connection refused to ${host}`,
      ])
      .join("\n");
    const text = createEvidence()
      .excerpts(toolTalk("Bash", "./run-all.sh", log), ask(900))
      .map((excerpt) => excerpt.text)
      .join("\n");
    for (const host of hosts) expect(text).toContain(`error: connection refused to ${host}`);
    expect(text.match(/filler line/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });
});

describe("a passage", () => {
  const quoted = (text: string): readonly string[] =>
    createEvidence()
      .excerpts(toolTalk("Read", "notes", text), ask(100))
      .filter(({ message }) => message === 1)
      .map((excerpt) => excerpt.text);

  it("is the whole line where the line is short", () => {
    expect(quoted("one\nfunction loadSettings(path) reads the file\nthree")).toEqual([
      "function loadSettings(path) reads the file",
    ]);
  });

  it("brings the line's number where the line alone says too little", () => {
    expect(quoted("   27→\n   28→func NewFriendlyAgent() agent.Agent {\n   29→")).toEqual([
      "28→func NewFriendlyAgent() agent.Agent {",
    ]);
  });

  it("takes a neighbouring line where the line itself says little in words", () => {
    expect(quoted("// reads every setting\nloadSettings(path)\n")).toEqual([
      "// reads every setting\nloadSettings(path)",
    ]);
  });

  it("leaves a neighbouring line out that has no words either", () => {
    expect(quoted("}\nloadSettings(path) now\n}\n")).toEqual(["loadSettings(path) now"]);
  });

  it("is a definition with the comment above it, and nothing of its body", () => {
    const body = "\tloadSettings(path) {\n\t\treturn done;\n";
    expect(quoted(`// Reads what was set.\n${body}`)).toEqual(["// Reads what was set.\n\tloadSettings(path) {"]);
    expect(quoted(`}\n${body}`)).toEqual(["loadSettings(path) {"]);
  });

  it("is no address without a word about it, and has none for a neighbour", () => {
    expect(quoted("https://shop.example/loadSettings/ ...\n")).toEqual([]);
    expect(quoted("www.shop.example/...\nloadSettings of this\n")).toEqual(["loadSettings of this"]);
  });

  it("is the sentence of a long line", () => {
    const long = `${"Some words are here. ".repeat(20)}Then loadSettings is called before the rest. ${"More comes then. ".repeat(20)}`;
    expect(quoted(long)).toEqual(["Then loadSettings is called before the rest."]);
  });

  it("is the enclosing object of a long line of JSON", () => {
    const items = Array.from({ length: 30 }, (_, at) => `{"order": "order number ${at}", "item": "item_code_${at}"}`);
    const [passage] = quoted(`[${items.join(", ")}]`);
    expect(items).toContain(passage);
  });

  it("is nothing of a line that was made by a machine", () => {
    expect(quoted(`!function(e,t){${"var loadSettings=e.n(t);t.x=1;".repeat(40)}}(a,b)`)).toEqual([]);
    expect(quoted("  12.50  1234.75  9999.10  maxValue_1")).toEqual([]);
  });
});

function toolTalk(name: string, target: string, result: string): readonly Message[] {
  return [
    {
      role: "assistant",
      parts: [{ kind: "tool-call", id: "c", name, arguments: JSON.stringify({ command: target }) }],
    },
    { role: "tool", parts: [{ kind: "tool-result", callId: "c", content: [{ kind: "text", text: result }] }] },
  ];
}

describe("what is missing", () => {
  const messages = [
    textMessage("user", "rename fetchUser"),
    textMessage("assistant", "I will rename `fetchUser` and `loadAccount` in src/api/user.ts"),
  ];

  it("is what is likely to be asked for and stands nowhere in the result", () => {
    const lost = createEvidence().missing(messages, { standing: [], text: "src/api/user.ts" });
    expect(lost).toContainEqual(expect.objectContaining({ id: "loadAccount", isPath: false, messages: [1] }));
    expect(lost.map(({ id }) => id)).not.toContain("api/user.ts");
  });

  it("is nothing where every message stands", () => {
    const lost = createEvidence().missing(messages, { standing: messages, text: "" });
    expect(lost).toEqual([]);
  });

  it("is nothing that the result holds", () => {
    fc.assert(
      fc.property(talks, (talk) => {
        const text = talk.map(textOf).join("\n");
        for (const { id } of createEvidence().missing(talk, { standing: [], text })) expect(text).not.toContain(id);
      }),
      { numRuns: RUNS / 10 },
    );
  });
});
