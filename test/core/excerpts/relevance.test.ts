/** The ranking: probabilities, that rest on where a name is. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEvidence } from "../../../src/core/excerpts/excerpts.ts";
import { FEATURES } from "../../../src/core/excerpts/weights.ts";
import { createNameTable } from "../../../src/core/excerpts/name-table.ts";
import { readMessage } from "../../../src/core/excerpts/reading.ts";
import { RARE_MESSAGES_MAX } from "../../../src/core/excerpts/occurrences.ts";
import { WEIGHTS } from "../../../src/core/excerpts/weights.ts";
import { textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { RUNS } from "../../support/transcripts.ts";
import { talks } from "./namings.ts";

const namesOf = (message: Message): readonly string[] => {
  const table = createNameTable();
  return readMessage(message, table).mentions.names.map((name) => table.names[name]!);
};
const rank = (messages: readonly Message[]): ReadonlyMap<string, number> => createEvidence().probabilities(messages);

describe("the ranking", () => {
  it("gives every name of a conversation a probability, and none to what stands nearly everywhere", () => {
    fc.assert(
      fc.property(talks, (messages) => {
        const frequency = new Map<string, number>();
        for (const message of messages)
          for (const id of namesOf(message)) frequency.set(id, (frequency.get(id) ?? 0) + 1);
        for (const [id, probability] of rank(messages)) {
          expect(probability).toBeLessThan(1);
          if (frequency.get(id)! > RARE_MESSAGES_MAX) expect(probability).toBe(0);
          else expect(probability).toBeGreaterThan(0);
        }
      }),
      { numRuns: RUNS / 5 },
    );
  });

  it("weighs the names of a file anew when the file is edited, as one who reads all for the first time", () => {
    const call = (id: string, name: string, args: object): Message => ({
      role: "assistant",
      parts: [{ kind: "tool-call", id, name, arguments: JSON.stringify(args) }],
    });
    const result = (callId: string, text: string): Message => ({
      role: "tool",
      parts: [{ kind: "tool-result", callId, content: [{ kind: "text", text }] }],
    });
    const read = [
      textMessage("user", "mend it"),
      call("one", "Read", { file_path: "src/api/user.ts" }),
      result("one", "export function loadAccount() { return 1; }"),
    ];
    const path = { file_path: "src/api/user.ts", old_string: "1", new_string: "2" };
    const edited = [...read, call("two", "Edit", path), result("two", "ok")];
    const evidence = createEvidence();
    const before = evidence.probabilities(read).get("loadAccount");
    expect(evidence.probabilities(edited)).toEqual(rank(edited));
    expect(rank(edited).get("loadAccount")).not.toBe(before);
  });

  it("ranks what grows and what is asked for anew as one who reads all for the first time", () => {
    fc.assert(
      fc.property(talks, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (messages, cuts) => {
        const evidence = createEvidence();
        const lengths = [...cuts.map((cut) => cut % (messages.length + 1)), messages.length].toSorted((a, b) => a - b);
        for (const length of lengths) {
          const some = messages.slice(0, length);
          expect(evidence.probabilities(some)).toEqual(rank(some));
        }
      }),
      { numRuns: RUNS / 5 },
    );
  });

  it("looks for the words of a name that comes later in the request that stood before", () => {
    const asked = [textMessage("user", "what is the retry limit?"), textMessage("assistant", "I look at colourTable.")];
    const found = [...asked, textMessage("assistant", "The file holds retryLimit and sizeTable.")];
    const evidence = createEvidence();
    evidence.probabilities(asked);
    expect(evidence.probabilities(found)).toEqual(rank(found));
    expect(rank(found).get("retryLimit")!).toBeGreaterThan(rank(found).get("sizeTable")!);
  });

  it("has one finite weight a feature", () => {
    expect(Object.keys(WEIGHTS).toSorted()).toEqual(["bias", ...FEATURES].toSorted());
    for (const weight of Object.values(WEIGHTS)) expect(Number.isFinite(weight)).toBe(true);
  });

  it("prefers a name that was meant over one in a crowd", () => {
    const crowd = Array.from({ length: 60 }, (_, at) => `const crowdName${"abcdefghij"[at % 10]}${at}x = 1;`).join(
      "\n",
    );
    const ranks = rank([
      textMessage("user", "please look at it"),
      textMessage("assistant", "The culprit is `meantName`."),
      textMessage("user", crowd),
    ]);
    expect(ranks.get("meantName")!).toBeGreaterThan(3 * ranks.get("crowdNamea0x")!);
  });

  it("prefers a name made of the words of the request", () => {
    const listing = "the file holds retryLimit\nthe file holds colourTable";
    const ranks = rank([textMessage("assistant", listing), textMessage("user", "what is the retry limit?")]);
    expect(ranks.get("retryLimit")!).toBeGreaterThan(ranks.get("colourTable")!);
  });
});
