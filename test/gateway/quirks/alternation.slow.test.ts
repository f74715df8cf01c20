/** Servers that want roles to alternate: what was compacted is sent to them with neighbours of one role as one message. */
import { describe, expect, it } from "vitest";
import { refusesNeighbours } from "../../../src/protocols/openai-chat/alternate.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import { ask } from "../support/asking.ts";
import { stand } from "../support/standing.ts";

const WINDOW_TOKENS = 6_000;
const TURNS = 40;

const STRICT = {
  provider: { every: { alternates: true }, script: { text: "Noted." } },
  gateway: { contextLength: WINDOW_TOKENS },
};

type Turn = { readonly role: string; readonly content: string };

async function talk(url: string, name: string, stream = false): Promise<readonly number[]> {
  const messages: Turn[] = [{ role: "system", content: "You take notes." }];
  const statuses: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: "user", content: `${name}, note ${turn}: ${`the ${turn}th thing to know; `.repeat(60)}` });
    const body = JSON.stringify({ model: PROTOCOL_MODELS["openai-chat"], stream, seed: 1, messages });
    const { status } = await ask(url, { protocol: "openai-chat", body });
    statuses.push(status);
    messages.push({ role: "assistant", content: "Noted." });
  }
  return statuses;
}

describe("a server that wants roles to alternate", () => {
  it.each([false, true])("answers every turn, and refuses one request in all (streamed: %s)", async (stream) => {
    const { provider, url } = await stand(STRICT);
    const answered = Array.from({ length: TURNS }, () => 200);
    expect(await talk(url, "Ann", stream)).toEqual(answered);
    const refused = (): number => provider.requests.filter(({ status }) => status !== 200).length;
    expect(refused()).toBe(1);
    expect(await talk(url, "Bob", stream)).toEqual(answered);
    expect(refused()).toBe(1);
  });

  it("is only observed where nothing is rewritten", async () => {
    const { url } = await stand({ ...STRICT, gateway: { ...STRICT.gateway, mode: "observe" } });
    const body = JSON.stringify({
      model: PROTOCOL_MODELS["openai-chat"],
      messages: [
        { role: "user", content: "a" },
        { role: "user", content: "b" },
      ],
    });
    expect((await ask(url, { protocol: "openai-chat", body })).status).toBe(400);
  });

  it("is told from other refusals by its words", () => {
    const words = [
      "Conversation roles must alternate user/assistant/user/assistant/...",
      "After the optional system message(s), user and assistant roles should be alternating.",
      "user or tool message(s) should alternate with assistant message(s)",
    ];
    for (const said of words) expect(refusesNeighbours(400, JSON.stringify({ error: { message: said } }))).toBe(true);
    expect(refusesNeighbours(401, words[0]!)).toBe(false);
    expect(refusesNeighbours(400, "Try an alternate model.")).toBe(false);
    expect(refusesNeighbours(400, "The user message is empty.")).toBe(false);
  });
});
