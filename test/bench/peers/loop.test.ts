/** The account of a session under an ideal cache, and what the oracle says of results: by cases that can be calculated by hand. */
import { describe, expect, it } from "vitest";
import { runOf, type Stretch } from "../../../bench/peers/compaction/loop.ts";
import { PRICES } from "../../../bench/peers/compaction/prices.ts";
import { NOTHING, type Strategy } from "../../../bench/peers/compaction/strategies.ts";
import { intervalOf, medianOf, shareOf } from "../../../bench/peers/compaction/pooled.ts";
import { validityOf } from "../../../bench/peers/compaction/validity.ts";
import { textOf, tokensOf, type ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createReader } from "../../../eval/src/recall/reader.ts";

const TURNS = 12;
const messages: readonly ChatMessage[] = Array.from({ length: TURNS }, (_, at) => [
  { role: "user", content: `Step ${at}: look at src/order/service-${at}.ts, and say what stands there.` },
  { role: "assistant", content: `There stands orderService${at}, which reads 40${at}1 rows.` },
]).flat();

const weight = (many: readonly ChatMessage[]): number => many.reduce((sum, one) => sum + tokensOf(textOf(one)) + 1, 0);

const stretch: Stretch = {
  file: "made.json",
  messages,
  sittings: [
    {
      file: "made.json",
      cut: {
        share: 0.5,
        prefix: messages.slice(0, 12),
        rest: messages.slice(12),
        demand: new Map([["src/order", true]]),
      },
      reader: createReader(),
    },
  ],
};

const keeping = (from: (at: number) => number): Strategy => ({
  ...NOTHING,
  start: () => ({
    ...NOTHING.start(stretch.sittings[0]!),
    send: async (history) => history.slice(from(history.length)),
  }),
});

describe("a session's cost", () => {
  it("is one write of every token and a read of it at each later request, where nothing is changed", async () => {
    const run = await runOf(NOTHING, stretch);
    const requests = messages.flatMap(({ role }, at) => (role === "assistant" ? [messages.slice(0, at)] : []));
    const written = weight(requests.at(-1)!);
    const sent = requests.reduce((sum, request) => sum + weight(request), 0);
    expect(run).toMatchObject({ requests: TURNS, sent, busts: 0, invalid: 0, summaries: 0 });
    expect(run.cost).toBeCloseTo(written * PRICES.write + (sent - written) * PRICES.read);
  });

  it("is that of fresh tokens at every request, where the front is cut at every request", async () => {
    const run = await runOf(
      keeping((length) => Math.max(0, length - 3)),
      stretch,
    );
    expect(run.busts).toBe(TURNS - 2);
    expect(run.cost / run.sent).toBeGreaterThan(1);
    expect(run.sent).toBeLessThan((await runOf(NOTHING, stretch)).sent);
  });

  it("marks the context that was sent at the cut, and what it leaves out", async () => {
    const [whole] = (await runOf(NOTHING, stretch)).scores;
    const [cut] = (
      await runOf(
        keeping((length) => length - 1),
        stretch,
      )
    ).scores;
    expect(whole!.kept).toBeGreaterThan(cut!.kept);
  });
});

describe("validity", () => {
  const call = { id: "a", function: { name: "read", arguments: "{}" } };
  const before: readonly ChatMessage[] = [
    { role: "user", content: "Look at it." },
    { role: "assistant", content: "", tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: "It is empty." },
  ];

  it("finds nothing in what was not changed", () =>
    expect(validityOf(before, before)).toEqual({ valid: true, codes: [], liveRequest: true }));

  it("finds a result without its call, and a request that is gone", () =>
    expect(validityOf(before.slice(2), before)).toMatchObject({
      valid: false,
      codes: expect.arrayContaining(["result_without_call"]),
      liveRequest: false,
    }));

  it("does not take an empty context for a valid one", () =>
    expect(validityOf([], before).codes).toEqual(["nothing_left"]));

  it("does not blame a contestant for what was wrong before", () => {
    const broken = before.slice(1);
    expect(validityOf(broken, broken).valid).toBe(true);
  });
});

describe("pooled figures", () => {
  const counts = [1, 2, 3, 4].map((part) => ({ file: `${part % 2}`, part, whole: 10 }));

  it("weigh a cut by what was asked there", () =>
    expect(
      shareOf([
        { file: "a", part: 9, whole: 10 },
        { file: "b", part: 0, whole: 90 },
      ]),
    ).toBe(0.09));

  it("lie within their interval, which is a point where all transcripts are alike", () => {
    const [low, high] = intervalOf(counts, shareOf);
    expect(low).toBeLessThanOrEqual(shareOf(counts));
    expect(high).toBeGreaterThanOrEqual(shareOf(counts));
    expect(
      intervalOf(
        counts.map((one) => ({ ...one, part: 5 })),
        shareOf,
      ),
    ).toEqual([0.5, 0.5]);
  });

  it("have the middle as their median", () => {
    expect(medianOf([3, 1, 2])).toBe(2);
    expect(medianOf([4, 1, 2, 3])).toBe(2.5);
  });
});
