/** Which conversation a request goes on with, told by its links alone; and that what is remembered of them stays bounded. */
import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createChain } from "../../src/core/transcript/links.ts";
import { createPending } from "../../src/gateway/conversations/pending.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { createConversations, type ConversationLimits } from "../../src/gateway/conversations/conversations.ts";
import { createRuntime } from "../../src/session/runtime.ts";

const chain = createChain((text) => hash("sha256", text));
const PLENTY: ConversationLimits = { readMessages: 1_000, conversations: 100, conversationBytes: 10_000_000 };

interface Said {
  readonly role: string;
  readonly content: string;
}
const said = (...texts: string[]): Said[] =>
  texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
const bodyOf = (messages: readonly Said[], more: object = {}): string =>
  JSON.stringify({ model: "m", ...more, messages });

function house(limits: ConversationLimits = PLENTY) {
  const conversations = createConversations(chain, limits, true);
  let begun = 0;
  const visit = async (body: string, tenant = "local") => {
    const reading = conversations.read(tenant, { protocol: "openai-chat" }, body);
    const conversation = await conversations.of(tenant, reading, async () => {
      begun++;
      return {
        runtime: createRuntime(),
        sent: 0,
        pricing: { economy: undefined },
        pending: createPending(createMemoryStore()),
      };
    });
    return { conversation, reading };
  };
  return { visit, conversations, begun: () => begun };
}

describe("a conversation", () => {
  it("goes on when a request extends it, repeats it, or rewinds it", async () => {
    const { visit, begun } = house();
    const { conversation } = await visit(bodyOf(said("a", "b", "c")));
    for (const texts of [["a", "b", "c", "d", "e"], ["a", "b", "c"], ["a"], ["a", "b", "c", "d"]])
      expect((await visit(bodyOf(said(...texts)))).conversation).toBe(conversation);
    expect(begun()).toBe(1);
  });

  it("is another one where a request leaves it, and the older one goes on as well", async () => {
    const { visit } = house();
    const { conversation } = await visit(bodyOf(said("a", "b", "c", "d", "e")));
    const branch = await visit(bodyOf(said("a", "b", "other", "f")));
    expect(branch.conversation).not.toBe(conversation);
    expect((await visit(bodyOf(said("a", "b", "c", "d", "e", "g")))).conversation).toBe(conversation);
    expect((await visit(bodyOf(said("a", "b", "other", "f", "h")))).conversation).toBe(branch.conversation);
  });

  it("never crosses tenants, however alike", async () => {
    const { visit, begun } = house();
    const one = await visit(bodyOf(said("a", "b")), "one");
    const other = await visit(bodyOf(said("a", "b")), "other");
    expect(other.conversation).not.toBe(one.conversation);
    expect(begun()).toBe(2);
  });

  it("keeps the same objects for messages whose bytes were there before, whatever stands around them", async () => {
    const { visit } = house();
    const first = await visit(bodyOf(said("a", "b", "c")));
    const second = await visit(bodyOf(said("a", "b", "c", "d"), { temperature: 0.5, stream: true }));
    const messages = second.reading.decoded.transcript.messages;
    first.reading.decoded.transcript.messages.forEach((message, at) => expect(messages[at]).toBe(message));
  });

  it("is found among many that open alike", async () => {
    const { visit } = house();
    const long = "the same opening of every session ".repeat(40);
    const first = await visit(bodyOf(said(long, "one", "two")));
    const second = await visit(bodyOf(said(long, "uno", "due")));
    const next = await visit(bodyOf(said(long, "one", "two", "three")));
    expect(next.conversation).toBe(first.conversation);
    expect(next.reading.decoded.transcript.messages[1]).toBe(first.reading.decoded.transcript.messages[1]);
    expect((await visit(bodyOf(said(long, "uno", "due", "tre")))).conversation).toBe(second.conversation);
  });
});

describe("what is remembered", () => {
  it("is so many conversations, the longest unused given up first", async () => {
    const { visit, conversations, begun } = house({ ...PLENTY, conversations: 3 });
    for (const text of ["a", "b", "c"]) await visit(bodyOf(said(text)));
    await visit(bodyOf(said("a", "again")));
    await visit(bodyOf(said("d")));
    expect(conversations.size()).toBe(3);
    expect(begun()).toBe(4);
    await visit(bodyOf(said("a", "again", "more")));
    expect(begun()).toBe(4);
    await visit(bodyOf(said("b", "more")));
    expect(begun()).toBe(5);
  });

  it("is so many characters, and always the newest", async () => {
    const { visit, conversations } = house({ ...PLENTY, conversationBytes: 7_000 });
    for (let at = 0; at < 10; at++) await visit(bodyOf(said(`${at} ${"x".repeat(2_000)}`)));
    expect(conversations.size()).toBe(2);
    await visit(bodyOf(said(`big ${"x".repeat(50_000)}`)));
    expect(conversations.size()).toBe(1);
  });

  it("is bounded for conversations that open alike, too", async () => {
    const { visit, conversations } = house();
    const long = "the same opening ".repeat(60);
    for (let at = 0; at < 50; at++) await visit(bodyOf(said(long, `${at}`)));
    expect(conversations.size()).toBeLessThanOrEqual(8);
  });
});

it("knows a conversation whose first message is written again in another form", async () => {
  const { visit, begun } = house();
  const first = await visit(bodyOf(said("Repair the build.", "Yes.")));
  const blocks = [{ text: "Repair the build.", type: "text", cache_control: { type: "ephemeral" } }];
  const again = JSON.stringify({
    model: "m",
    messages: [{ content: blocks, role: "user" }, ...said("", "Yes.").slice(1)],
  });
  const { conversation, reading } = await visit(again);
  expect([conversation === first.conversation, begun(), reading.links]).toEqual([true, 1, first.reading.links]);
});
