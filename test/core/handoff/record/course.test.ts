/** A record that goes on with the one of the last handoff says what it would say by itself, and reads only what is new. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLedgerKeeper } from "../../../../src/core/ledger/ledger.ts";
import { writeHandoff } from "../../../../src/core/handoff/write.ts";
import type { Message } from "../../../../src/core/transcript/message.ts";
import { ran, says, user } from "../../../support/compacting.ts";
import { RUNS, transcripts } from "../../../support/transcripts.ts";
import { requestFor, type Shape } from "../requests.ts";

type Redact = (text: string) => string;

/** Writes one handoff after another with what it remembers of those before, and each once more with nothing remembered. */
function createWriter(redact: Redact = (text) => text) {
  const keeper = createLedgerKeeper();
  return (messages: readonly Message[], shape: Shape = {}): readonly [kept: string, anew: string] => [
    writeHandoff(requestFor(messages, { ...shape, redact, ledger: keeper.ledgerOf(messages) })).text,
    writeHandoff(requestFor(messages, { ...shape, redact: (text) => redact(text) })).text,
  ];
}

const ROOM = JSON.stringify({ room_id: "R7", state: "open", guests: 2, floor: 4 });
const FULL_ROOM = JSON.stringify({ room_id: "R7", state: "closed", guests: 9, floor: 4 });

/** Exchanges of every kind that depends on what was told before: the same words again, one thing twice, an error and its end. */
function exchange(at: number): readonly Message[] {
  const file = `/shop/src/part-${at}.ts`;
  return [
    user(`Now make part ${at} of the shop work. ${at % 3 === 0 ? `Never touch part ${at} of the cart.` : ""}`),
    says(`I found that part ${at % 4} of the shop keeps its prices in integer cents because of rounding.`),
    ...ran("get_room", { room_id: "R7" }, at % 2 === 0 ? ROOM : FULL_ROOM),
    ...ran("update_room", { room_id: "R7", guests: at }, at % 2 === 0 ? FULL_ROOM : ROOM),
    ...ran("Edit", { file_path: file, old_string: "a", new_string: `export const part${at} = ${at};` }, "ok"),
    ...ran(
      "bash",
      { command: "npm test" },
      at % 5 === 4 ? `FAIL part-${at}.test.ts\nError: expected ${at}` : "9 passed",
    ),
    says(`Part ${at} is done. Never touch part ${at - (at % 3)} of the cart.`),
  ];
}

/** What somebody else found is told by what the newest request asks for. */
function delegated(at: number): readonly Message[] {
  const report = `The cart of part ${at} rounds half to even. ${"It is tested in the shop as well. ".repeat(at % 7)}`;
  return [...ran("Task", { prompt: `Look at part ${at}.` }, report), says(`Part ${at} was looked at.`)];
}

const session = (length: number): readonly Message[] => Array.from({ length }, (_, at) => exchange(at)).flat();

describe("a record that goes on with the last one", () => {
  it("says what it would say by itself, however the session grows and whatever is asked", () => {
    const write = createWriter();
    const all = Array.from({ length: 20 }, (_, at) => [...exchange(at), ...delegated(at)]).flat();
    for (let length = 20; length <= all.length; length += 11)
      for (const shape of [{ tail: 2 }, { tail: 9, budget: 4_000 }, { tail: 5, budget: 700, focus: "prices" }]) {
        const [kept, anew] = write(all.slice(0, length), shape);
        expect(kept, `${length} messages`).toBe(anew);
      }
  });

  it("tells an error no longer once it is made good, in an episode long told", () => {
    const write = createWriter();
    const failing = [
      user("Run the build of the shop."),
      ...ran("bash", { command: "make all" }, "cart.c:3: error: expected 7, got 9\nmake: *** [all] Error 2"),
      says("The build fails."),
    ];
    const messages = [...failing, ...session(3)];
    const later = [...messages, ...ran("bash", { command: "make all" }, "built in 3 s, 9 passed"), ...session(2)];
    for (const all of [messages, later, messages]) {
      const [kept, anew] = write(all, { tail: 2 });
      expect(kept).toBe(anew);
    }
  });

  it("tells what the handoff said beside it before and no longer says, and the other way round", () => {
    const write = createWriter();
    const messages = [...session(6), ...session(6)];
    for (const budget of [400, 6_000, 900, 3_000, 1_500])
      for (const from of [0, 1, 8]) {
        const [kept, anew] = write(messages, { tail: 2, budget, from });
        expect(kept, `${budget} tokens`).toBe(anew);
      }
  });

  it("tells of a report what the newest request asks for", () => {
    const write = createWriter();
    const report = ["prices", "carts", "taxes", "stores"].map(
      (word) => `About ${word}: ${`${word} are kept as they were. `.repeat(9)}`,
    );
    const start = [
      user("Look around."),
      ...ran("Task", { prompt: "Look." }, report.join("\n")),
      says("I looked."),
      ...session(4),
    ];
    for (const word of ["prices", "taxes", "stores", "prices"]) {
      const [kept, anew] = write([...start, user(`Tell me of the ${word}.`)], { tail: 1, budget: 600 });
      expect(kept, word).toBe(anew);
    }
  });

  it("says the same of any conversation, shorter or longer than the last", () => {
    const lengths = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(transcripts(), transcripts(), lengths, (one, other, cuts) => {
        const write = createWriter();
        for (const [at, cut] of cuts.entries()) {
          const { messages } = at % 3 === 2 ? other : one;
          const [kept, anew] = write(messages.slice(0, Math.ceil(cut * messages.length)), { tail: at % 2 });
          expect(kept).toBe(anew);
        }
      }),
      // Up to twelve handoffs each.
      { numRuns: Math.ceil(RUNS / 5) },
    );
  });

  it("reads of the calls only those that are new", () => {
    let commands = 0;
    const redact: Redact = (text) => {
      if (text === "npm test") commands++;
      return text;
    };
    const keeper = createLedgerKeeper();
    const commandsReadFor = (messages: readonly Message[]): number => {
      commands = 0;
      writeHandoff(requestFor(messages, { tail: 2, redact, ledger: keeper.ledgerOf(messages) }));
      return commands;
    };
    const messages = session(30);
    expect(commandsReadFor(messages)).toBeGreaterThanOrEqual(29);
    expect(commandsReadFor([...messages, ...exchange(30)])).toBeLessThan(10);
  });

  it("reads of one long episode only what is new, and says the same", () => {
    const messages = Array.from({ length: 30 }, (_, at) => exchange(at).slice(at === 0 ? 0 : 1)).flat();
    const before = messages.slice(0, -exchange(0).length);
    let commands = 0;
    const redact: Redact = (text) => {
      if (text === "npm test") commands++;
      return text;
    };
    const keeper = createLedgerKeeper();
    const keptOf = (some: readonly Message[]): string =>
      writeHandoff(requestFor(some, { tail: 2, redact, ledger: keeper.ledgerOf(some) })).text;
    keptOf(before);
    commands = 0;
    const kept = keptOf(messages);
    expect(commands).toBeLessThan(10);
    expect(kept).toBe(createWriter()(messages, { tail: 2 })[1]);
  });
});
