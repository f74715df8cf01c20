/** A turn is the whole history in and what is to be sent out: who compacts in it, who only puts in place, and in which shape. */
import { describe, expect, it } from "vitest";
import { type Contestant, NOBODY_ASKED } from "../../../bench/peers/compaction/contestant.ts";
import { TRIGGER_TOKENS } from "../../../bench/peers/compaction/prices.ts";
import { ourTurns, peerTurns, type Sent, type Taking } from "../../../bench/peers/compaction/turn-takers.ts";
import { createConversation } from "../../../bench/peers/extract.ts";
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";

/** Heavy enough that a handful goes over the trigger. */
const MESSAGE_TOKENS = 2_000;
const WORD = "step ";
const messages: readonly ChatMessage[] = Array.from({ length: 40 }, (_, at) => ({
  role: at % 2 === 0 ? "user" : "assistant",
  content: `${at} ${WORD.repeat(MESSAGE_TOKENS)}`,
}));
const REQUESTS = messages.map((_, at) => at).filter((at) => at % 2 === 1);
const FIRST_DUE = REQUESTS.findIndex((at) => at * MESSAGE_TOKENS > TRIGGER_TOKENS);

const keepsTheLast = (stands: boolean, counts = true): Contestant => ({
  name: "the last two",
  from: "a test",
  how: "",
  knob: "messages",
  asItComes: { keep: 2, summaryTokens: 0 },
  stands,
  read: (many) => many,
  ...(counts ? { weigh: (many) => many.length * MESSAGE_TOKENS } : {}),
  on: () => ({
    compact: (many, { keep }) => Promise.resolve(many.slice(-keep)),
    write: (many) => many as readonly ChatMessage[],
    told: () => NOBODY_ASKED,
  }),
});

async function allTurns(take: Taking): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  for (const at of REQUESTS) sent.push(await take(messages.slice(0, at))());
  return sent;
}

const made = (all: readonly Sent[]): readonly number[] => all.flatMap((one, turn) => (one.made ? [turn] : []));
const lengths = (all: readonly Sent[]): readonly number[] => all.map(({ sent }) => sent.length);

describe("a peer's turn", () => {
  it("leaves the history as it is until its own count is over the trigger, and then works on the whole at each turn", async () => {
    const all = await allTurns(peerTurns(keepsTheLast(false), createConversation()).native());
    expect(made(all)).toEqual(REQUESTS.map((_, turn) => turn).slice(FIRST_DUE));
    expect(lengths(all)).toEqual(REQUESTS.map((at, turn) => (turn < FIRST_DUE ? at : 2)));
  });

  it("goes on from what it made where that stands", async () => {
    const all = await allTurns(peerTurns(keepsTheLast(true), createConversation()).native());
    expect(made(all)[0]).toBe(FIRST_DUE);
    expect(made(all).length).toBeLessThan(REQUESTS.length - FIRST_DUE);
    expect(lengths(all)[FIRST_DUE + 1]).toBe(4);
  });

  it("is taken at every request where nothing is counted", async () => {
    const all = await allTurns(peerTurns(keepsTheLast(false, false), createConversation()).native());
    expect(made(all)).toHaveLength(REQUESTS.length);
  });

  it("says what went into reaching a peer in another process, for that turn alone", async () => {
    const peer = keepsTheLast(false);
    let crossedMs = 100;
    const elsewhere: Contestant = {
      ...peer,
      on: (conversation) => ({
        ...peer.on(conversation),
        compact: (many, size) => {
          crossedMs += 7;
          return peer.on(conversation).compact(many, size);
        },
        crossedMs: () => crossedMs,
      }),
    };
    const taker = peerTurns(elsewhere, createConversation());
    for (const take of [taker.native(), taker.body()]) {
      const all = await allTurns(take);
      expect(all.map((one) => one.crossedMs)).toEqual(all.map(({ made: due }) => (due ? 7 : 0)));
    }
  });

  it.each([true, false])("sends the same from body to body (stands: %s)", async (stands) => {
    const taker = peerTurns(keepsTheLast(stands), createConversation());
    const [native, body] = [await allTurns(taker.native()), await allTurns(taker.body())];
    expect(made(body)).toEqual(made(native));
    expect(body.map(({ sent }) => JSON.parse(sent as string).messages)).toEqual(native.map(({ sent }) => sent));
  });
});

describe("our turn", () => {
  it("compacts now and then, puts it in place in between, and does the same from body to body", async () => {
    const { native, body } = ourTurns();
    const [messagesOut, bodies] = [await allTurns(native()), await allTurns(body())];
    expect(made(bodies)).toEqual(made(messagesOut));
    expect(made(bodies)[0]).toBeGreaterThan(0);
    expect(made(bodies).length).toBeLessThan(REQUESTS.length / 2);
    bodies.forEach(({ sent }, turn) => {
      const request = JSON.stringify({ model: "stub", messages: messages.slice(0, REQUESTS[turn]) });
      if (turn < made(bodies)[0]!) expect(sent).toBe(request);
      else expect(sent.length).toBeLessThan(request.length);
    });
  });
});
