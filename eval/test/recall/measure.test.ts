/** The measure: what counts as asked for, held and bound. Small conversations, made so that each rule decides one case. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { baselineOf, BASELINES } from "../../src/recall/baselines.ts";
import { cutsOf, type Cut } from "../../src/recall/cuts.ts";
import { tokensOf, wordsOf, type ChatMessage } from "../../src/recall/future-use.ts";
import { createExam } from "../../src/recall/exam.ts";
import { createReader } from "../../src/recall/reader.ts";
import { RUNS } from "../../../test/support/transcripts.ts";
import { namings } from "./namings.ts";

const says = (role: string, content: string): ChatMessage => ({ role, content });
const calls = (name: string, args: object): ChatMessage => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", function: { name, arguments: JSON.stringify(args) } }],
});
const returns = (content: string): ChatMessage => ({ role: "tool", tool_call_id: "c", content });
/** No weight, no number of replies and no demand is too small. */
const ANY = { shares: [0.4], floorTokens: 0, repliesMin: 1, demandMin: 0 };

const LINE = "the parser keeps its state in parserState until the file ends";
const talk: readonly ChatMessage[] = [
  says("user", "look at headOnly"),
  calls("Read", { file_path: "/repo/src/deep/parser.ts", limit: 1234 }),
  returns(`${LINE}\nand alsoNamed here`),
  says("assistant", "It is parserState, headOnly and src/deep/parser.ts. Also alsoNamed, unseenName, 1234 too."),
];
const cut = (): Cut => [...cutsOf(talk, createReader(), { ...ANY, shares: [0.45] })][0]!;
const exam = () => createExam(cut(), createReader());

describe("a demand", () => {
  it("is what the assistant writes next that the prefix held and its head did not", () => {
    expect(cut().prefix).toEqual(talk.slice(0, 3));
    expect([...cut().demand.keys()].toSorted()).toEqual(["1234", "alsoNamed", "deep/parser.ts", "parserState"]);
  });

  it("is unaided until a tool or a user shows it again", () => {
    const shown = [...talk.slice(0, 3), says("user", "what about alsoNamed?"), talk[3]!];
    const [{ demand }] = [...cutsOf(shown, createReader(), { ...ANY, shares: [0.4] })] as [Cut];
    expect(demand.get("alsoNamed")).toBe(false);
    expect(demand.get("parserState")).toBe(true);
  });
});

describe("a cut", () => {
  it("lies behind the results of a call", () => {
    for (const share of [0.05, 0.2, 0.3, 0.5])
      for (const { prefix, rest } of cutsOf(talk, createReader(), { ...ANY, shares: [share] })) {
        expect(rest[0]!.role).not.toBe("tool");
        expect([...prefix, ...rest]).toEqual(talk);
      }
  });

  it("never spans a recorded compaction", () => {
    const summary = says("user", "[pi compaction summary] all of it");
    const cuts = [...cutsOf([...talk, summary, ...talk], createReader(), ANY)];
    expect(cuts.length).toBe(2);
    expect(cuts[1]!.prefix[0]).toBe(summary);
  });
});

describe("an identifier is", () => {
  it("held as a whole word only", () => {
    expect(exam().score("my parserState").held).toBe(1);
    expect(exam().score("myparserState").held).toBe(0);
  });

  it("bound by a verbatim window of the original", () => {
    expect(exam().binds("parserState", `x ${LINE}`)).toBe(true);
    expect(exam().binds("parserState", `x ${LINE.slice(12)}`)).toBe(true);
  });

  it("not bound by other words, or by too few", () => {
    expect(exam().binds("parserState", "what the parser knows goes to parserState and stays there for good")).toBe(
      false,
    );
    expect(exam().binds("parserState", "state in parserState until")).toBe(false);
  });

  it("bound, as a path, near the name of the tool that was given it", () => {
    expect(exam().binds("deep/parser.ts", "Read: src/deep/parser.ts")).toBe(true);
    expect(exam().binds("deep/parser.ts", "Bash: src/deep/parser.ts")).toBe(false);
    expect(exam().binds("deep/parser.ts", `Read${" ".repeat(130)}src/deep/parser.ts`)).toBe(false);
    expect(exam().binds("deep/parser.ts", "Reader: src/deep/parser.ts")).toBe(false);
  });

  it("no less bound when more is kept around it", () => {
    fc.assert(
      fc.property(namings, namings, (before, after) => {
        expect(exam().binds("parserState", `${before}\n${LINE}\n${after}`)).toBe(true);
      }),
      { numRuns: RUNS / 5 },
    );
  });
});

describe("a baseline", () => {
  // Where messages fill the room exactly, `tail` takes the whole message before them: so says the definition.
  it.each(BASELINES.filter((kind) => kind !== "tail"))(
    "%s stays within its budget, but for the line breaks",
    (kind) => {
      const messages = fc.array(
        fc.tuple(fc.constantFrom("user", "assistant"), namings).map(([role, text]) => says(role, text)),
        { minLength: 1, maxLength: 12 },
      );
      fc.assert(
        fc.property(messages, fc.constantFrom(0.05, 0.2, 0.5), (prefix, budget) => {
          const reader = createReader();
          const kept = baselineOf(kind, prefix, { budget, reader });
          const breaks = kept.split("\n").length;
          expect(tokensOf(kept)).toBeLessThanOrEqual(budget * reader.size(prefix) + breaks + 1);
        }),
        { numRuns: RUNS / 5 },
      );
    },
  );
});

describe("tokens and words", () => {
  it("are counted as the measure counts them", () => {
    expect(tokensOf("abcdefgh")).toBe(2);
    expect(tokensOf("文件abcd")).toBe(3);
    expect(tokensOf("😀😀😀😀")).toBe(1);
    expect([...wordsOf("see fooBar in src/a/b.ts: it Fails with_this deadbeef1 文件")]).toEqual(["fails", "文件"]);
  });
});
