/** What a new session begins with: short enough to be handed over, and without the secrets of the old one. */
import { describe, expect, it } from "vitest";
import { textMessage, type Message } from "../../src/core/transcript/message.ts";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { writeNewSession } from "../../src/session/handoff-text.ts";

const KEY = "dtv_live_9f8e7d6c5b4a39281706f5e4d3c2b1a0";
const PASSWORD = "Sommerregen42";
const GOAL = "Write the guide for operators.";
/** What one argument of a command holds on Linux. */
const ARGUMENT_BYTES_MAX = 128 * 1024;

const talk = (turns: number, words: string): Message[] =>
  Array.from({ length: turns }, (_, turn) => [
    textMessage("user", `Look at part ${turn} of the ${words}.`),
    textMessage("assistant", `Part ${turn}: ${`the ${words} of ${turn} have lines of their own; `.repeat(20)}`),
  ]).flat();

const handoffOf = (messages: readonly Message[], contextLength: number) =>
  writeNewSession({ store: createMemoryStore(), settings: { contextLength } }, { goal: GOAL, messages });

describe("the text of a new session", () => {
  it.each([1, 200])(
    "has no secret that the old session names, however much of it is kept (%i turns)",
    async (turns) => {
      const messages = [
        ...talk(turns, "invoices"),
        textMessage("user", `Now the export. DATEV_API_KEY=${KEY} and password: ${PASSWORD}`),
        textMessage("assistant", `curl -H 'Authorization: Bearer ${KEY}' https://datev.example/v1`),
      ];
      const text = await handoffOf(messages, 200_000);
      expect(text).toContain("the export");
      expect(text).not.toContain(KEY);
      expect(text).not.toContain(PASSWORD);
      expect(text).toContain(GOAL);
    },
  );

  it.each([
    ["English", "orders", 1_000_000, 12_000],
    ["Japanese", "注文の明細と請求書", 1_000_000, 12_000],
    ["a small window", "orders", 32_000, 8_000],
  ])("is short without a budget (%s)", async (_, words, contextLength, tokensMax) => {
    const text = await handoffOf(talk(400, words), contextLength);
    expect(createMeasure().text(text)).toBeLessThanOrEqual(tokensMax);
    expect(Buffer.byteLength(text)).toBeLessThan(ARGUMENT_BYTES_MAX);
  });
});
