/** The recall tools of `lossless`: what left comes back word for word, within every bound, whatever is asked. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sources, ToolAnswer } from "../../../../src/core/engines/contract.ts";
import { joinReadable } from "../../../../src/plugins/suite/fault.ts";
import { messagesText, numbered } from "../../../../src/core/recall/messages.ts";
import { estimateText } from "../../../../src/core/transcript/estimate.ts";
import type { Transcript } from "../../../../src/core/transcript/message.ts";
import { filler, ran } from "../../../support/compacting.ts";
import { RUNS } from "../../../support/transcripts.ts";
import { compactedBy, losslessWith, session, type Compacted } from "./growing.ts";

const LOCKERS = filler(400, "locker");
const CODE = "the code of locker 12 is QUARTZ-8841";
const whole: Transcript = {
  system: [],
  messages: session(450).messages.toSpliced(
    200,
    0,
    ...ran("shell", { command: "cat lockers" }, `${LOCKERS}\n${CODE}\n${filler(400, "shelf")}`),
  ),
};

const compacted = compactedBy(whole);
const engine = losslessWith();

interface Toolbox {
  readonly made: Compacted;
  readonly originals: ReadonlyMap<string, string>;
  readonly call: (name: string, given: unknown, sources?: Partial<Sources>) => Promise<ToolAnswer>;
}

async function toolbox(): Promise<Toolbox> {
  const made = await compacted;
  const originals = new Map(
    made.compaction.evicted.map(({ id, message, end }) => [id, joinReadable(whole.messages.slice(message, end))]),
  );
  return {
    made,
    originals,
    call: (name, given, sources = {}) => {
      const text = typeof given === "string" ? given : JSON.stringify(given);
      const original = (id: string): Promise<string | undefined> => Promise.resolve(originals.get(id));
      return engine.callTool!(made.state, { name, arguments: text }, { original, ...sources });
    },
  };
}

describe("lcm_grep", () => {
  it("finds a value that was compacted away in one call, and says where it stands", async () => {
    const { call, made } = await toolbox();
    const sent = joinReadable(made.messages);
    const gone = LOCKERS.split("\n").find((line) => !sent.includes(line))!;
    const { text, quotes } = await call("lcm_grep", { words: gone.split(" ")[3] });
    expect(text).toContain(gone);
    const leaf = [...made.state.dag.roots, ...made.state.dag.buried].find(
      ({ depth, from, until }) => depth === 0 && from <= 201 && until > 201,
    );
    expect(quotes.find((quote) => quote.text === gone)?.id).toBe(leaf!.id);
  });

  it("looks only where it is told to", async () => {
    const { call, made } = await toolbox();
    const last = made.roots.at(-1)!;
    expect(await call("lcm_grep", { words: "QUARTZ-8841", id: last.id })).toMatchObject({ isError: true });
    const holder = made.roots.find(({ until }) => until > 201)!;
    expect((await call("lcm_grep", { words: "QUARTZ-8841", id: holder.id })).text).toContain(CODE);
  });

  it("reads no further once it is late, and says so", async () => {
    const { call } = await toolbox();
    let reads = 0;
    const isLate = (): boolean => ++reads > 2;
    const { text } = await call("lcm_grep", { words: "QUARTZ-8841" }, { isLate });
    expect(text).toContain("not searched");
  });
});

/** Originals as sessions give them: each message under a line with its number. */
async function numberedToolbox() {
  const { made, call } = await toolbox();
  const original = (id: string): Promise<string | undefined> => {
    const span = made.compaction.evicted.find((one) => one.id === id);
    if (span === undefined) return Promise.resolve(undefined);
    const { message, end } = span;
    return Promise.resolve(messagesText(numbered(whole.messages.slice(message, end), message + 1)));
  };
  return { made, call: (name: string, given: unknown) => call(name, given, { original }) };
}

describe("a model's way from words to messages", () => {
  it("names the message of a match, and gives it by that number, with or without the record", async () => {
    const { call } = await numberedToolbox();
    const { text } = await call("lcm_grep", { words: "QUARTZ-8841" });
    const [, id, number] = /^── (r[0-9a-f]{16}), message (\d+) tool \(shell\)\n/.exec(text)!;
    for (const given of [{ messages: number }, { id, messages: number }, { messages: Number(number) }]) {
      const answer = await call("lcm_expand", { ...given, tokens: 16_000 });
      expect(answer.text).toMatch(new RegExp(`^── ${number} tool \\(shell\\)\n`));
      expect(answer.text).toContain(CODE);
      expect(answer.isError).toBeUndefined();
    }
    const around = await call("lcm_expand", { messages: "3-4,6" });
    expect(around.text.match(/^── \d+/gm)).toEqual(["── 3", "── 4", "── 6"]);
  });

  it("reads long messages page by page", async () => {
    const { call } = await numberedToolbox();
    const first = await call("lcm_expand", { messages: "202", tokens: 400 });
    const [, offset] = /\(more: messages 202, offset (\d+)\)$/.exec(first.text)!;
    const second = await call("lcm_expand", { messages: "202", offset: Number(offset), tokens: 400 });
    expect(second.text).not.toContain(first.text.split("\n")[1]);
    expect(second.text).toContain("locker");
  });

  it("says which messages there are where others are asked for", async () => {
    const { call, made } = await numberedToolbox();
    expect((await call("lcm_expand", { messages: "99999" })).text).toMatch(
      /messages 1 to \d+ can be read, and not 99999/,
    );
    const { id, from, until } = made.roots.at(-1)!;
    const other = await call("lcm_expand", { id, messages: "1" });
    expect(other).toMatchObject({
      isError: true,
      text: expect.stringContaining(`has messages ${from + 1} to ${until}`),
    });
  });

  it("finds words that no line holds together, and other forms of them, and says what is missing", async () => {
    const { call } = await numberedToolbox();
    const apart = await call("lcm_grep", { words: '"codes of lockers" zeppelin QUARTZ-8841' });
    expect(apart.text).toContain(CODE);
    expect(apart.text).toMatch(/^── r[0-9a-f]{16}, message \d+ tool \(shell\), without zeppelin\n/);
  });

  it.each([
    ["lcm_grep", { query: "QUARTZ-8841" }],
    ["lcm_grep", { pattern: "QUARTZ-8841", hits: "3" }],
    ["lcm_expand_query", { query: "What is the code of locker 12?" }],
  ])("takes what other tools call it: %s with %j", async (name, given) => {
    const { call } = await numberedToolbox();
    expect((await call(name, given)).text).toContain(CODE);
  });

  it("takes an id with the words around it", async () => {
    const { call, made } = await numberedToolbox();
    const { id } = made.roots[0]!;
    expect((await call("lcm_describe", { id: `recall ${id}:` })).text).toContain(`${id}: messages 1 to`);
  });

  it("says how a call must be made, and where ids are", async () => {
    const { call } = await numberedToolbox();
    expect((await call("lcm_grep", { words: "x", limit: 3 })).text).toContain("lcm_grep takes words (required), mode");
    expect((await call("lcm_grep", {})).text).toContain("`words` is missing");
    const id = "r000000000";
    for (const [name, given] of [
      ["lcm_grep", { words: "x", id }],
      ["lcm_describe", { id }],
      ["lcm_expand", { id }],
    ] as const)
      expect((await call(name, given)).text).toContain(`no record or original has the id ${id}; lcm_describe`);
  });
});

describe("lcm_expand_query", () => {
  const question = "What is the code of locker 12?";

  it("answers with the best passages, word for word, where there is no model", async () => {
    const { call, originals } = await toolbox();
    const { text, quotes } = await call("lcm_expand_query", { question });
    expect(text).toContain(CODE);
    const quote = quotes.find((one) => one.text === CODE)!;
    expect(originals.get(quote.id)).toContain(CODE);
    const none = await call("lcm_expand_query", { question }, { ask: () => Promise.resolve(undefined) });
    expect(none.text).toBe(text);
  });

  it("gives a model the passages with what stands around them, and its answer to the caller", async () => {
    const { call } = await toolbox();
    const asked: { readonly system: string; readonly user: string }[] = [];
    const ask: NonNullable<Sources["ask"]> = (prompt) => {
      asked.push(prompt);
      return Promise.resolve("It is QUARTZ-8841.");
    };
    const { text, quotes } = await call("lcm_expand_query", { question, tokens: 300 }, { ask });
    expect(text).toMatch(/^It is QUARTZ-8841\.\n\(written by a model that read r[0-9a-f]{16}/);
    expect(quotes).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(asked[0]!.user).toContain(`${CODE}\n`);
    expect(estimateText(asked[0]!.user)).toBeLessThan(17_000);
  });
});

describe("lcm_expand", () => {
  it("gives, page by page, all that a record stands for", async () => {
    const { call, originals, made } = await toolbox();
    const { id } = made.roots.at(-1)!;
    const pages: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined && pages.length < 60;) {
      const { text, quotes } = await call("lcm_expand", { id, offset, tokens: 1_500 });
      pages.push(quotes[0]!.text);
      const next = /\(more: id (\S+), offset (\d+)/.exec(text);
      offset = next === null ? undefined : Number(next[2]);
    }
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.join("")).toBe(originals.get(id));
  });

  it("goes down from a condensed record to its oldest leaf, and no deeper than was asked", async () => {
    const { call, made } = await toolbox();
    const top = made.roots.find(({ depth }) => depth > 0)!;
    const { quotes, text } = await call("lcm_expand", { id: top.id });
    expect(whole.messages[0]!.parts[0]).toMatchObject({ text: expect.stringContaining("Port the modules") });
    expect(quotes[0]!.text).toContain("Port the modules");
    expect(text).toContain("then r");
    const closed = await call("lcm_expand", { id: top.id, depth: 0 });
    expect(closed).toMatchObject({ quotes: [], text: expect.stringContaining("deeper than was asked for") });
  });
});

describe("lcm_describe", () => {
  it("lists the records, and what each was made of", async () => {
    const { call, made } = await toolbox();
    const all = await call("lcm_describe", {});
    for (const { id } of made.roots) expect(all.text).toContain(id);
    const top = made.roots.find(({ depth }) => depth > 0)!;
    const one = await call("lcm_describe", { id: top.id });
    for (const source of top.sources) expect(one.text).toContain(source);
  });

  it("says of a session that was never compacted that nothing left it", async () => {
    const given = { original: () => Promise.resolve(undefined) };
    const { text } = await engine.callTool!(engine.init(), { name: "lcm_describe", arguments: "" }, given);
    expect(text).toContain("Nothing has left");
  });
});

describe("any call", () => {
  const words = fc.oneof(fc.constantFrom("part3", "code locker", "(a+)+$", "🦘"), fc.string({ maxLength: 40 }));
  const given = fc.oneof(
    fc.record({ words, mode: fc.constantFrom("words", "regex") }, { requiredKeys: [] }),
    fc.record({ question: words }),
    fc.record({ words, hits: fc.integer(), tokens: fc.integer({ min: 0, max: 20_000 }) }),
    fc.record({ id: fc.oneof(fc.nat({ max: 30 }), words), depth: fc.nat(), offset: fc.nat(), tokens: fc.nat() }),
    fc.anything(),
  );

  it("is answered within its bound, with originals, or refused; it never throws", async () => {
    const { call, originals, made } = await toolbox();
    const ids = [...made.state.dag.roots, ...made.state.dag.buried].map(({ id }) => id);
    const named = (value: unknown): unknown =>
      typeof value === "object" && value !== null && "id" in value && typeof value.id === "number"
        ? { ...value, id: ids[value.id % ids.length] }
        : value;
    const names = fc.constantFrom("lcm_grep", "lcm_describe", "lcm_expand", "lcm_expand_query", "lcm_other");
    await fc.assert(
      fc.asyncProperty(names, given, fc.integer({ min: 1, max: 3_000 }), async (name, value, tokensMax) => {
        const answer = await call(name, JSON.stringify(named(value)) ?? "", { tokensMax });
        expect(estimateText(answer.text)).toBeLessThanOrEqual(tokensMax);
        for (const quote of answer.quotes) {
          expect(answer.text).toContain(quote.text);
          expect(originals.get(quote.id)).toContain(quote.text);
        }
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  });

  it.each([
    ["lcm_grep", "{"],
    ["lcm_grep", "{}"],
    ["lcm_grep", { words: "" }],
    ["lcm_grep", { words: "x", hits: 0 }],
    ["lcm_grep", { words: "x", mode: "glob" }],
    ["lcm_grep", { words: "x.*y", mode: "regex" }],
    ["lcm_expand_query", {}],
    ["lcm_expand_query", { question: "Where is the zeppelin?" }],
    ["lcm_grep", { words: "x", id: "r000000000" }],
    ["lcm_expand", {}],
    ["lcm_expand", { id: "elsewhere" }],
    ["lcm_expand", { id: "r000000000" }],
    ["lcm_expand", { id: "r000000000", depth: 1.5 }],
    ["lcm_describe", { id: "r000000000" }],
    ["lcm_describe", { session: "another" }],
    ["lcm_forget", {}],
  ])("of %s with %j is refused in words", async (name, value) => {
    const { call } = await toolbox();
    const answer = await call(name, value);
    expect(answer).toMatchObject({ isError: true, quotes: [] });
    expect(answer.text.length).toBeGreaterThan(20);
  });

  it("says so where the store fails", async () => {
    const { call, made } = await toolbox();
    const original = () => Promise.reject(new Error("secret place"));
    const answer = await call("lcm_expand", { id: made.roots[0]!.id }, { original });
    expect(answer.isError).toBe(true);
    expect(answer.text).not.toContain("secret place");
  });

  it("has the same tools from the first request on", () => {
    expect(engine.tools!(engine.init()).map(({ name }) => name)).toEqual([
      "lcm_grep",
      "lcm_describe",
      "lcm_expand",
      "lcm_expand_query",
    ]);
  });
});
