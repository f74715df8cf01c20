/**
 * Call ids repeat, within one reply and across turns. Whoever says which call a result answers must say the same, on
 * conversations in which the order of the results alone tells them apart.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Compaction } from "../../../src/core/compaction/compaction.ts";
import { described } from "../../../src/core/digest/call.ts";
import { skeletonOf } from "../../../src/core/compaction/skeleton.ts";
import { eventsOf } from "../../../src/core/events/events.ts";
import { clearResults } from "../../../src/core/passes/clear-results.ts";
import { digestResults } from "../../../src/core/passes/digest-results.ts";
import { repairPairs } from "../../../src/core/passes/repair.ts";
import { stagesOf } from "../../../src/core/handoff/model/source.ts";
import { exchangesOf } from "../../../src/core/transcript/exchanges.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { callsOf, resultOf, textMessage, type Message } from "../../../src/core/transcript/message.ts";
import { violationsOf } from "../../../src/core/transcript/oracle.ts";
import { pairsOf } from "../../../src/protocols/splice.ts";
import { removedResults } from "../../../src/session/receipt.ts";
import { RUNS } from "../../support/transcripts.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const measure = createMeasure();
const context = { measure, hash, protect: () => false, focus: [] };
const RESULT_LINES = 60;
const ROOM_TOKENS = 1_000_000;

interface Drawn {
  readonly messages: readonly Message[];
  /** For each message: the file that the call was about whose result it holds. */
  readonly about: readonly (string | undefined)[];
}

/** Each reply reads that many files under so few ids; results of one id come in the order of their calls. */
const drawn: fc.Arbitrary<Drawn> = fc
  .array(
    fc.tuple(
      fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((turns) => {
    const messages: Message[] = [textMessage("user", "Look at the files.")];
    const about: (string | undefined)[] = [undefined];
    turns.forEach(([ids, order], turn) => {
      const calls = ids.map((id, at) => ({ id, path: `src/part${turn}${at}/file${turn}${at}.ts` }));
      messages.push({
        role: "assistant",
        parts: calls.map(({ id, path }) => {
          const given = JSON.stringify({ path });
          return { kind: "tool-call", id, name: `read_file`, arguments: given };
        }),
      });
      about.push(undefined);
      const left = [...calls];
      for (const pick of order.slice(0, calls.length)) {
        const id = left[pick % left.length]!.id;
        const [{ path }] = left.splice(
          left.findIndex((one) => one.id === id),
          1,
        ) as [(typeof calls)[number]];
        const text = Array.from({ length: RESULT_LINES }, (_, line) => `line ${line} of ${path}`).join("\n");
        messages.push({
          role: "tool",
          parts: [{ kind: "tool-result", callId: id, content: [{ kind: "text", text }] }],
        });
        about.push(path);
      }
    });
    return { messages, about };
  });

const runs = { numRuns: Math.ceil(RUNS / 5) };
const results = ({ about }: Drawn): readonly number[] => about.flatMap((path, at) => (path === undefined ? [] : at));

function labelled(
  name: string,
  evictedOf: (messages: readonly Message[]) => readonly { message: number; label: string }[],
) {
  it(`${name} names the call of each result`, () => {
    fc.assert(
      fc.property(drawn, (one) => {
        const evicted = evictedOf(one.messages).filter(({ message }) => one.about[message] !== undefined);
        expect(evicted.map(({ message }) => message)).toEqual(results(one));
        for (const { message, label } of evicted) expect(label).toContain(one.about[message]);
      }),
      runs,
    );
  });
}

labelled("the skeleton of an exchange", (messages) =>
  exchangesOf(messages).flatMap(
    ({ start, end }) =>
      skeletonOf(messages.slice(start, end), { first: start, live: 0, hash, earlier: messages.slice(0, start) })
        .evicted,
  ),
);
labelled("clearing", (messages) => clearResults(messages, context).evicted);
labelled("digesting", (messages) => digestResults(messages, context).evicted);
labelled("the list of results that are gone", (messages) => {
  const map = messages.map(() => ({ kind: "summarised" }) as const);
  const compaction = { covered: messages.length, map } as unknown as Compaction;
  return removedResults(messages, compaction).map(({ message, target }) => ({ message, label: target }));
});
labelled("the list of events", (messages) =>
  eventsOf(messages)
    .calls.flatMap(({ result, summary }) => (result === undefined ? [] : { message: result, label: summary.target }))
    .toSorted((a, b) => a.message - b.message),
);

it("what a model reads of a span names the call of each result", () => {
  fc.assert(
    fc.property(drawn, (one) => {
      const messages = one.messages.map((message) => ({
        ...message,
        parts: message.parts.map((part) =>
          part.kind === "tool-call" ? { ...part, name: `read_${described(part).target.replaceAll(/\W/g, "_")}` } : part,
        ),
      }));
      const span = { messages, from: 0, until: messages.length, focus: [], recall: "r000000000" };
      const text = stagesOf({ ...span, measure, redact: (shown) => shown }, ROOM_TOKENS, 1).join("\n");
      for (const path of one.about)
        if (path !== undefined)
          expect(text).toMatch(new RegExp(`result of read_${path.replaceAll(/\W/g, "_")}\\][^[]*${path}`));
    }),
    runs,
  );
});

it("the events, the oracle, the repair of pairs and the ids of a protocol agree on valid pairs", () => {
  fc.assert(
    fc.property(drawn, (one) => {
      const { messages } = one;
      expect(violationsOf({ system: [], messages })).toEqual([]);
      expect(repairPairs(messages, context).messages).toBe(messages);
      const read = eventsOf(messages).files.map(({ path }) => path);
      for (const at of results(one)) expect(read.some((path) => one.about[at]!.endsWith(path))).toBe(true);
      const { idOf } = pairsOf(messages, () => false, { pattern: /^\w+$/, maxChars: 40, unique: true });
      const byPath = new Map(messages.flatMap(callsOf).map((call) => [described(call).target, idOf(call)] as const));
      for (const at of results(one)) expect(idOf(resultOf(messages[at]!)!)).toBe(byPath.get(one.about[at]!));
    }),
    runs,
  );
});
