/** The bench: its page says first where precis loses, a suite's turns become a conversation, and recall is counted by its evidence. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { asMessage } from "../../src/recall/conversation.ts";
import { charsOf, conversationOf, textOfAll } from "../../src/bench/compactors.ts";
import { measureLocomo } from "../../src/bench/locomo.ts";
import type { Measure } from "../../src/bench/measures.ts";
import { benchPage } from "../../src/bench/page.ts";

const measure = (title: string, ours: number, others: number, overBudget = 0): Measure => ({
  title,
  says: "It is there.",
  suite: "a suite 1.0",
  rows: [
    { name: "other", held: others, of: 10, overBudget },
    { name: "precis", held: ours, of: 10, overBudget: 0 },
  ],
});
const page = (...measures: readonly Measure[]): string =>
  benchPage({ on: "2026-11-28", machine: "a machine", seconds: 60, compactors: [], absent: [], measures });

describe("the page", () => {
  it("says first where precis is behind, by others that keep to the budget", () => {
    const text = page(measure("won", 9, 3), measure("lost", 2, 8), measure("tied", 5, 5), measure("unfair", 2, 9, 1));
    const [, behind, other] = text.split(/^## /m);
    expect(behind).toContain("| lost | 2 of 10 | 8 of 10, other |");
    for (const title of ["won", "tied", "unfair"]) {
      expect(behind).not.toContain(`| ${title} |`);
      expect(other).toContain(`| ${title} |`);
    }
    expect(other).toContain("none within the budget");
    expect(text).toContain("| other | 9 of 10* (60 to 98 %) |");
  });
});

describe("a suite's turns", () => {
  it("are a conversation that providers take, and the same text", () => {
    const turns = [
      ["user", "Look."],
      ["assistant", "I look."],
      ["tool", "It is green."],
      ["user", "Good."],
    ] as const;
    const messages = conversationOf(turns);
    expect(violationsOf({ system: [], messages: messages.map(asMessage) })).toEqual([]);
    expect(textOfAll(messages)).toContain("[tool] It is green.\n[user] Good.");
    expect(charsOf(messages)).toBe(textOfAll(messages).length);
  });
});

describe("recall on LoCoMo", () => {
  const turn = (id: string, speaker: string, text: string) => ({ dia_id: id, speaker, text });
  const sample = {
    conversation: {
      session_1: [
        turn("D1:1", "Ada", "Which colour is the new door of your kitchen?"),
        turn("D1:2", "Ben", "Green, and it opens to the garden now."),
        turn("D1:3", "Ada", "Lovely."),
      ],
    },
    qa: [
      { question: "What colour is Ben's kitchen door?", evidence: ["D1:02"], category: 4 },
      { question: "What did nobody say about zebras?", evidence: ["D1:3"], category: 1 },
      { question: "Not asked", evidence: ["D1:1"], category: 5 },
    ],
  };

  it("counts a question where every turn of its evidence is in the answer", async () => {
    const rows = await measureLocomo(JSON.stringify([sample]));
    for (const { found } of rows) {
      expect(found["single-hop"]).toEqual({ held: 1, of: 1 });
      expect(found["multi-hop"]!.of).toBe(1);
    }
  });

  it("refuses another file", async () => {
    await expect(measureLocomo("{}")).rejects.toMatchObject({ code: "bad_locomo" });
    await expect(measureLocomo("no")).rejects.toMatchObject({ code: "bad_locomo" });
  });
});

describe("the suites", () => {
  it("are named with their versions, and nothing of them is in the repository", () => {
    const requirements = readFileSync(new URL("../../src/bench/requirements.txt", import.meta.url), "utf8");
    for (const line of requirements.trim().split("\n")) expect(line).toMatch(/^[a-z-]+==\d+\.\d+\.\d+$/);
  });
});
