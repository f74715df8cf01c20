/** An explicit budget is a maximum and a promise: a larger one never keeps less, and it is used. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetLayout } from "../../../../src/core/engines/compressor/budget.ts";
import { liveRequestOf } from "../../../../src/core/events/live-request.ts";
import { beginRun } from "../../../../src/core/compaction/plan.ts";
import { SEVEN_SECTIONS } from "../../../../src/core/handoff/templates.ts";
import { contentText, type Transcript } from "../../../../src/core/transcript/message.ts";
import { chain, compacted, filler, measure, ran, says, talk, user } from "../../../support/compacting.ts";
import { createKeptContents } from "../../../support/kept.ts";

const SHARES = [4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40].map((percent) => percent / 100);
const HEAD_MESSAGES = 3;

const turn = fc.record({
  asked: fc.integer({ min: 5, max: 400 }),
  shown: fc.integer({ min: 5, max: 4_000 }),
  said: fc.integer({ min: 5, max: 400 }),
});
const sessions = fc
  .array(turn, { minLength: 2, maxLength: 12 })
  .map((turns) =>
    talk(
      ...turns.map(({ asked, shown, said }, at) => [
        user(`Take care of part ${at}. ${filler(asked, `wish${at}`)}`),
        ...ran("terminal", { command: `make part_${at}` }, filler(shown, `out${at}`)),
        says(`Part ${at} is done: ${filler(said, `done${at}`)}`),
      ]),
    ),
  );

function layoutsOf(session: Transcript, rooms: readonly number[]) {
  const request = { measure, chain, reason: "explicit" } as const;
  const run = beginRun(session, request, { template: SEVEN_SECTIONS, system: [] });
  return rooms.toSorted((a, b) => a - b).map((room) => ({ room, ...budgetLayout(run, room, HEAD_MESSAGES) }));
}

describe("a larger budget", () => {
  it("keeps head, tail and the last exchange at least as a smaller one does", () => {
    fc.assert(
      fc.property(
        sessions,
        fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 2, maxLength: 12 }),
        (one, rooms) => {
          const layouts = layoutsOf(one, rooms);
          for (const [at, { shape }] of layouts.entries()) {
            const smaller = layouts[at - 1];
            if (smaller === undefined) continue;
            expect(shape.headEnd).toBeGreaterThanOrEqual(smaller.shape.headEnd);
            expect(shape.tailStart).toBeLessThanOrEqual(smaller.shape.tailStart);
            expect(shape.rung).toBeLessThanOrEqual(smaller.shape.rung);
          }
        },
      ),
    );
  });

  it("leaves the handoff more than half of what is left beside the live request", () => {
    fc.assert(
      fc.property(sessions, fc.integer({ min: 1_000, max: 60_000 }), (one, room) => {
        const { shape } = layoutsOf(one, [room])[0]!;
        const { messages } = shape;
        const live = liveRequestOf(one.messages);
        const kept = messages.filter((_, at) => at !== live && (at < shape.headEnd || at >= shape.tailStart));
        expect(measure.messages(kept)).toBeLessThan(room * 0.45);
      }),
    );
  });
});

/** A live request that weighs more than most budgets leave for everything else. */
const planned = (): Transcript =>
  talk(
    user("Build a list of chores with four parts: a store, a page, a style sheet and tests."),
    ...[
      ["store", "The store keeps its entries under the key chores-v3."],
      ["page", "The page adds an entry with the button #add-chore."],
      ["style", "The style sheet takes its colours from --paper."],
      ["tests", "All of it is covered by 7 tests, which pass."],
    ].flatMap(([name, summary]) => [
      ...ran("Task", { description: `Write the ${name}`, prompt: filler(500, name) }, summary!),
    ]),
    says("All four parts are written. Start it with npx http-server."),
    user(`Now write a page for contributors. ${filler(450, "guide")}`),
    ...ran(
      "Write",
      { file_path: "/home/dev/chores/CONTRIBUTING.md", content: filler(150, "chapter") },
      "File created.",
    ),
  );
const FACTS = ["chores-v3", "#add-chore", "--paper", "7 tests", "npx http-server"];

describe("a live request that most of a budget goes to", () => {
  const session = planned();
  const whole = measure.transcript(session);

  it("takes no fact away that a smaller budget kept, not even one that nothing fits", async () => {
    let before = 0;
    const exits: boolean[] = [];
    for (const share of SHARES) {
      const { result, compaction } = await compacted(session, { budget: Math.floor(whole * share) });
      const text = JSON.stringify(result.messages);
      const facts = FACTS.filter((fact) => text.includes(fact)).length;
      expect(facts).toBeGreaterThanOrEqual(before);
      before = facts;
      exits.push(compaction.report.irreducible !== undefined);
    }
    expect(exits.slice(0, 2)).toEqual([true, true]);
    expect(exits.at(-1)).toBe(false);
    expect(before).toBe(FACTS.length);
  });

  it("tells every task as soon as there is room for it", async () => {
    for (const share of [0.3, 0.35, 0.4]) {
      const { result } = await compacted(session, { budget: Math.floor(whole * share) });
      const text = JSON.stringify(result.messages);
      expect(FACTS.filter((fact) => !text.includes(fact))).toEqual([]);
    }
  });
});

const VERBS = "open close send pack weigh check print book refund count".split(" ");
const THINGS = "Order Parcel Invoice Label Stock Claim Ticket Voucher Receipt".split(" ");

it("is not filled with the source of files that can be read again", async () => {
  const source = (place: string): string =>
    VERBS.flatMap((verb) =>
      THINGS.map((thing) => `export function ${verb}${thing}${place}(order: Order): void {\n  touch(order);\n}`),
    ).join("\n");
  const read = (place: string) => ran("Read", { file_path: `/app/${place}.ts` }, source(place));
  const session = talk(
    user("Tidy the handlers."),
    ...["Abroad", "AtHome", "InShop", "ByPost", "OnSite"].flatMap(read),
    says("All five are read."),
    user("Which one is the largest?"),
    ...read("AtSea"),
  );
  for (const share of SHARES) {
    const budget = Math.floor(measure.transcript(session) * share);
    const { result } = await compacted(session, { budget });
    const handoff = result.messages
      .map(({ parts }) => contentText(parts))
      .find((text) => text.includes("[precis handoff"));
    expect(measure.transcript(result)).toBeLessThanOrEqual(budget);
    expect(handoff ?? "").not.toContain("touch(order)");
  }
});

/** Where a longer tail takes room from the record, an old turn may give way to newer ones: of all budgets and turns, so often. */
const LOST_MAX = 6;

it("hardly ever loses a request or an episode of a session of ordinary turns", async () => {
  let lost = 0;
  const shown = (at: number): string => filler(120 + ((at * 97) % 900), `out${at}`);
  const session = talk(
    ...Array.from({ length: 16 }, (_, at) => [
      user(`Please look after shelf ${at} in hall ${at * 3} next, and label it number${at}.`),
      ...ran("terminal", { command: `make shelf_${at}` }, shown(at)),
      says(`Shelf ${at} of hall ${at * 3} is labelled number${at} and stands in row ${at * 7}.`),
    ]),
  );
  const contents = createKeptContents(session.messages);
  let before = new Set<string>();
  for (const share of SHARES) {
    const { result } = await compacted(session, { budget: Math.floor(measure.transcript(session) * share) });
    const kept = new Set(contents.keptIn(result.messages));
    lost += [...before].filter((one) => !kept.has(one)).length;
    before = kept;
  }
  expect(before.size).toBeGreaterThan(24);
  expect(lost).toBeLessThanOrEqual(LOST_MAX);
});

describe("a talk", () => {
  const talkOf = (said: readonly string[]): Transcript =>
    talk(...said.flatMap((words) => [user(words), says("Noted. I go on with the plan.")]));
  const codeOf = (at: number): string =>
    `The code of shelf ${at} is ${at * 7}-${"abcdefghij"[at % 10]!.repeat(3)}${at}.`;
  const codesIn = ({ messages }: Transcript): readonly string[] =>
    messages.flatMap(({ parts }) => contentText(parts).match(/The code of shelf \S+ is \S+\./g) ?? []);
  const REPEATED = ["The cache is only a backstop.", "We go through the layout of the service.", "Retries have a cap."];
  const PARTS = ["cache", "queue", "index", "store", "router", "worker"];

  it("keeps what people said once before what they said last, and its last exchange whole", async () => {
    const session = talkOf(Array.from({ length: 60 }, (_, at) => (at % 6 === 3 ? codeOf(at) : REPEATED[at % 3]!)));
    const { result } = await compacted(session, { budget: 400 });
    expect(codesIn(result)).toHaveLength(10);
    expect(result.messages).toHaveLength(3);
    expect(result.messages.slice(-2)).toEqual(session.messages.slice(-2));
  });

  it("in which an agent hardly speaks gives people's words nearly all of its room", async () => {
    const said = [
      ...Array.from({ length: 12 }, (_, at) => codeOf(at)),
      ...Array.from(
        { length: 36 },
        (_, at) => `We go on with the layout of the ${PARTS[at % 6]} and of the ${PARTS[(at * 5 + 1) % 6]}.`,
      ),
    ];
    expect(codesIn((await compacted(talkOf(said), { budget: 400 })).result)).toHaveLength(12);
  });
});
