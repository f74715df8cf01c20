/** A client that writes its messages again at every turn: what goes out, and what the provider's cache makes of it. */
import { describe, expect, it } from "vitest";
import type { Message, Transcript } from "../../src/core/transcript/message.ts";
import { protocols } from "../../src/protocols/index.ts";
import { type ProtocolName } from "../../src/core/protocols.ts";
import { ask, bodyOf, PROTOCOLS, worked } from "./support/asking.ts";
import { retypedBody } from "./support/retyping.ts";
import { stand, type StandingOptions } from "./support/standing.ts";
import { unmarked } from "./support/unmarked.ts";
import { spread } from "../support/cases.ts";

const TURNS = 12;

/** Calls with two arguments, so that there is an order to change. */
function conversation(steps: number): Transcript {
  const { messages, ...rest } = worked("forms", steps);
  const twoArguments = (message: Message): Message => ({
    ...message,
    parts: message.parts.map((part) =>
      part.kind === "tool-call" ? { ...part, arguments: '{"path":"a.ts","mode":"whole"}' } : part,
    ),
  });
  return { ...rest, messages: messages.map(twoArguments) };
}

/** Every second request is written in another form. */
function form(protocol: ProtocolName, body: string, turn: number): string {
  return turn % 2 === 0 ? body : retypedBody(body, protocol);
}

async function live(protocol: ProtocolName, given: StandingOptions["gateway"], formed = form) {
  const { provider, url, events } = await stand({ gateway: { contextLength: 400_000, ...given } });
  for (let turn = 0; turn < TURNS; turn++) {
    const body = formed(protocol, bodyOf(protocol, conversation(turn + 1)), turn);
    expect((await ask(url, { protocol, body })).status).toBe(200);
  }
  const restored = events.flatMap((event) => (event.kind === "request" ? [event.restored] : []));
  return { provider, restored, tokens: provider.account().total.tokens };
}

describe.each(spread(PROTOCOLS, 2))("%s", (protocol) => {
  it("goes out in its former bytes, so that every request begins with the one before it", async () => {
    const { provider, restored } = await live(protocol, {});
    const bodies = provider.requests.map(({ body }) => unmarked(body));
    const { messages: key } = protocols[protocol].keys;
    const lists = bodies.map((body) => JSON.stringify((JSON.parse(body) as Record<string, unknown>)[key]).slice(1, -1));
    for (const [at, list] of lists.entries()) if (at > 0) expect(list.startsWith(lists[at - 1]!)).toBe(true);
    expect(restored.filter((messages) => messages > 0).length).toBeGreaterThan(TURNS / 2 - 1);
  });

  it("reads from the cache what it would have read without", async () => {
    const [kept, untouched] = [await live(protocol, {}), await live(protocol, {}, (_, body) => body)];
    expect(kept.tokens.cacheRead).toBe(untouched.tokens.cacheRead);
  });

  it("goes out as it came where that is switched off, and where it is only observed", async () => {
    for (const given of [{ caching: { restoreBytes: false } }, { mode: "observe" }] as const) {
      const { restored } = await live(protocol, given);
      expect(restored).toEqual(Array.from({ length: TURNS }, () => 0));
    }
  });

  it("is another message where it means something else", async () => {
    const { provider, restored } = await live(protocol, {}, (_, body, turn) =>
      turn % 2 === 0 ? body : body.replace("Read all of forms.", "Read all of it."),
    );
    expect(restored).toEqual(Array.from({ length: TURNS }, () => 0));
    expect(provider.requests[1]!.body).toContain("Read all of it.");
  });
});

it.each(["anthropic-messages", "openai-chat", "google-gemini"] as const)(
  "saves what the cache would have lost, %s",
  async (protocol) => {
    const [on, off] = [await live(protocol, {}), await live(protocol, { caching: { restoreBytes: false } })];
    expect(on.tokens.cacheRead).toBeGreaterThan(1.1 * off.tokens.cacheRead);
  },
);

it.each(spread(PROTOCOLS, 2))(
  "keeps the white space that a client leaves out at the end of what was said, %s",
  async (protocol) => {
    const { provider, restored } = await live(protocol, {}, (_, body, turn) =>
      turn % 2 === 0 ? body.replaceAll(' of forms."', ' of forms.\\n"') : body,
    );
    expect(restored.filter((messages) => messages > 0).length).toBeGreaterThan(TURNS / 2 - 1);
    expect(provider.requests[1]!.body).toContain('Read all of forms.\\n"');
  },
);

it("leaves a client's markers where they are now", async () => {
  const { provider, url } = await stand({ gateway: { contextLength: 400_000, caching: { enabled: false } } });
  const marked = { type: "text", text: "Hello.", cache_control: { type: "ephemeral" } };
  const turn = (...messages: object[]) => ({ model: "claude-sonnet-4-5", max_tokens: 100, messages });
  const answer = { role: "assistant", content: "Hello." };
  const bodies = [
    turn({ role: "user", content: [marked] }),
    turn({ role: "user", content: "Hello." }, answer, { role: "user", content: [{ ...marked, text: "Go on." }] }),
  ];
  for (const body of bodies) await ask(url, { protocol: "anthropic-messages", body: JSON.stringify(body) });
  const { messages } = JSON.parse(provider.requests[1]!.body) as { messages: object[] };
  expect(messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Hello." }] },
    answer,
    { role: "user", content: [{ ...marked, text: "Go on." }] },
  ]);
});
