/** What the replays are watched by says so when something is wrong: otherwise their silence would prove nothing. */
import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import { protocols } from "../../src/protocols/index.ts";
import { createMemoryStore } from "../../src/store/index.ts";
import type { AgentTurn } from "../support/agent/replay.ts";
import type { RequestRecord } from "../../provider/src/record.ts";
import { bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { createWitness, type Witness } from "./support/witness.ts";

const TENANT = "watched";

const turn = (index: number, sent: string, treatment: string): AgentTurn => ({
  index,
  sent,
  status: 200,
  headers: new Headers({ "x-precis": treatment }),
  answer: {},
});

const request = (body: string): RequestRecord => ({ body }) as RequestRecord;

/** Each turn as the agent sent it, as the provider got it, and what the gateway says about it. */
async function watched(
  protocol: (typeof PROTOCOLS)[number],
  turns: readonly (readonly [sent: string, got: readonly string[], treatment: string])[],
  kept: string | undefined = turns.at(-1)?.[0],
): Promise<readonly string[]> {
  const witness: Witness = createWitness(protocol);
  for (const [index, [sent, got, treatment]] of turns.entries()) {
    for (const body of got) witness.got(request(body));
    witness.sent(turn(index, sent, treatment));
  }
  const store = createMemoryStore();
  if (kept !== undefined) {
    const { messages } = protocols[protocol].decode(kept).transcript;
    await store.appendChain(TENANT, { links: createChain((text) => hash("sha256", text)).linksOf(messages), messages });
  }
  return witness.faults(store, TENANT);
}

it.each(PROTOCOLS)("%s", async (protocol) => {
  const [one, two] = [bodyOf(protocol, worked("watched", 2)), bodyOf(protocol, worked("watched", 3))];
  const other = two.replace("Read all of watched.", "Read none of watched.");
  expect(
    await watched(protocol, [
      [one, [one], "unchanged"],
      [two, [two], "unchanged"],
    ]),
  ).toEqual([]);
  expect(
    await watched(protocol, [
      [one, [one], "unchanged"],
      [two, [other], "rewritten; before=2; after=1; fresh"],
    ]),
  ).toEqual([]);
  expect(
    await watched(protocol, [
      [one, [one], "unchanged"],
      [two, [other], "rewritten; before=2; after=1"],
    ]),
  ).toEqual([expect.stringContaining("differs at")]);
  expect(await watched(protocol, [[one, [other], "unchanged"]])).toEqual([
    expect.stringContaining("said to be unchanged"),
  ]);
  expect(await watched(protocol, [[one, [one, one], "unchanged"]])).toEqual([
    expect.stringContaining("got 2 requests"),
  ]);
  expect(await watched(protocol, [[one, [one], "unchanged"]], other)).toEqual(["0 of 5 messages are kept"]);
  const showing = one.replace("Read all of watched.", "What was: recall r0123456789 for it.");
  const dead = showing.replace("r0123456789", "r012345678");
  expect(await watched(protocol, [[one, [dead], "rewritten; before=2; after=1; fresh"]])).toEqual([
    "recall id r012345678 leads nowhere",
  ]);
  expect(await watched(protocol, [[one, [showing], "rewritten; before=2; after=1; fresh"]])).toEqual([]);
});
