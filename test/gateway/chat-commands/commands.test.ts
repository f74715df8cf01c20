/** Commands in the conversation, over HTTP and against the strict provider: answered here, and read by no model. */
import { describe, expect, it } from "vitest";
import { textMessage, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { createGateway } from "../../../src/gateway/index.ts";
import { mayHoldCommand, readCommand } from "../../../src/gateway/chat-commands/command.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { fieldsOf, listOf } from "../../../src/protocols/fields.ts";
import { ask as askAsAgent } from "../../support/agent/asking.ts";
import { agentForms } from "../../support/agent/forms.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";
import { ask, bodyOf, MAX_OUTPUT_TOKENS, PROTOCOLS, worked } from "../support/asking.ts";
import { stand, TENANT, type Standing } from "../support/standing.ts";

const PREFIX = "/precis";
const WINDOW_TOKENS = 60_000;

function standing(gateway: NonNullable<Parameters<typeof stand>[0]>["gateway"] = {}): Promise<Standing> {
  return stand({
    provider: { every: { windowTokens: WINDOW_TOKENS } },
    gateway: { contextLength: WINDOW_TOKENS, chatCommands: PREFIX, ...gateway },
  });
}

/** A client that keeps its history as it was sent and answered. */
function clientOf({ url }: Pick<Standing, "url">, protocol: ProtocolName, begun: Transcript, stream = false) {
  const agent = agentForms[protocol];
  const model = PROTOCOL_MODELS[protocol];
  const { messages, system, tools } = protocols[protocol].encode(begun);
  const history: unknown[] = [...messages];
  const say = async (text?: string) => {
    if (text !== undefined)
      history.push(...protocols[protocol].encode({ system: [], messages: [textMessage("user", text)] }).messages);
    const sending = { model, stream, history: [...history], system, tools, maxOutputTokens: MAX_OUTPUT_TOKENS };
    const { status, answer, headers } = await askAsAgent(
      { url, form: agent, key: "key", headers: {}, body: {} },
      sending,
    );
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`);
    const reply = agent.replyIn(answer);
    history.push(...reply.messages);
    return { text: JSON.stringify(reply.messages), treatment: headers.get("x-precis") ?? "" };
  };
  return { say, history };
}

const last = <One>(list: readonly One[]): One => list.at(-1)!;

/** Calls and their results are done with. */
function finished({ messages, ...rest }: Transcript): Transcript {
  return { ...rest, messages: [...messages, textMessage("assistant", "All read."), textMessage("user", "Thanks.")] };
}

describe.each(PROTOCOLS)("with %s", (protocol) => {
  it.each([false, true])("a conversation is compacted, shown and restored by hand, streamed: %s", async (stream) => {
    const stood = await standing();
    const client = clientOf(stood, protocol, finished(worked("alpha", 14)), stream);
    await client.say();
    expect(stood.provider.requests).toHaveLength(1);

    const handoff = await client.say(`${PREFIX} handoff Write the release notes.`);
    expect(handoff.treatment).toBe("command; name=handoff");
    expect(handoff.text).toContain("[precis handoff 1]");
    expect(handoff.text).toContain("Write the release notes.");
    // This conversation stays as it is.
    expect((await client.say(`${PREFIX} context`)).text).toContain("No compaction is active");

    const compacted = await client.say(`${PREFIX} compact line 12`);
    expect(compacted.treatment).toBe("command; name=compact");
    expect(compacted.text).toMatch(/\[precis\] Compacted: [\d,]+ → [\d,]+ tokens/);
    const recallId = /r[0-9a-f]{16}/.exec(compacted.text)?.[0] ?? "none";
    expect((await client.say(`${PREFIX} context`)).text).toMatch(
      /The window: [\d,]+ tokens, as configured\.[^]*replaces the first \d+ messages/,
    );
    expect((await client.say(`${PREFIX} recall ${recallId} 5-8`)).text).toContain("alpha line");
    // The model has been asked nothing of it.
    expect(stood.provider.requests).toHaveLength(1);

    const next = await client.say("Go on.");
    expect(next.treatment).toMatch(/^rewritten/);
    const sent = last(stood.provider.requests).body;
    expect(sent).toContain("[precis handoff 1]");
    expect(sent).not.toContain(PREFIX);
    expect(sent).not.toContain("[precis] ");
    expect(sent).toContain("Go on.");

    expect((await client.say(`${PREFIX} undo`)).text).toMatch(/\[precis\] Undone: the compaction \(explicit\)/);
    const whole = await client.say("And now?");
    // The commands are left out, and nothing else.
    expect(last(stood.provider.requests).body).not.toMatch(/precis/);
    expect(last(stood.provider.requests).body).toContain("alpha line 0 of 0");
    expect(whole.treatment).toBe("unchanged");
    expect(stood.provider.account().total.rejected).toEqual({});
    const [entry] = await stood.store.listSessions(TENANT, { limit: 5 });
    expect((await stood.store.readLinks(TENANT, entry!.head)).length).toBeLessThan(client.history.length + 1);
  });

  it("an unknown command is answered with those there are", async () => {
    const stood = await standing();
    const client = clientOf(stood, protocol, { system: [], messages: [textMessage("user", "Hello.")] });
    await client.say();
    expect((await client.say(`${PREFIX} compress`)).text).toContain('There is no command \\"compress\\"');
    expect((await client.say(PREFIX)).text).toContain("Commands of the gateway");
    expect(stood.provider.requests).toHaveLength(1);
  });
});

describe("a prefix that says what to do", () => {
  it.each([
    ["/compress", "/compress", "compact", ""],
    ["/compress", "/compress database schema", "compact", "database schema"],
    ["/compress", "/compress context of the totals", "compact", "context of the totals"],
    ["compact:", "compact: the totals", "compact", "the totals"],
    ["/compress", "/compress context", "context", ""],
    ["/compress", "/compress recall some words", "recall", "some words"],
    ["/compress", "/compress help", "help", ""],
    ["/precis", "/precis", "help", ""],
    ["/precis", "/precis database schema", "help", ""],
  ])("%s: %s is %s", (prefix, text, name, argument) => {
    expect(readCommand(text, prefix)).toMatchObject({ name, argument });
  });
});

describe("what is no command", () => {
  it.each([
    ["off", undefined, `${PREFIX} compact`],
    ["another word", PREFIX, `${PREFIX}ion matters`],
    ["not the whole text", PREFIX, `Please ${PREFIX} compact`],
  ])("goes to the model: %s", async (_, chatCommands, text) => {
    const stood = await stand({ gateway: chatCommands === undefined ? {} : { chatCommands } });
    const client = clientOf(stood, "openai-chat", { system: [], messages: [textMessage("user", text)] });
    const { treatment } = await client.say();
    expect(treatment).toBe("unchanged");
    expect(last(stood.provider.requests).body).toContain(text);
    // What a model answered stays when commands are on.
    await client.say("Go on.");
    expect(last(stood.provider.requests).body).toContain(text);
  });
});

it("is told by one word", () => {
  for (const chatCommands of ["two words", "x", 'a"b', "", "/"])
    expect(() => createGateway({ chatCommands })).toThrow(expect.objectContaining({ code: "bad_options" }) as Error);
});

it.each([
  [true, '{"content":"/precis compact"}'],
  [true, '{"content":"/precis"}'],
  [true, '{"content":"\\/precis compact"}'],
  [true, '{"content":"</system-reminder>\\n/precis\\ncompact"}'],
  [false, '{"content":"cd /work/precis && ls"}'],
  [false, '{"content":"open /precision/compact"}'],
])("is looked for at a glance: %s in %s", (expected, body) => {
  expect(mayHoldCommand(body, PREFIX)).toBe(expected);
});

describe("who may", () => {
  it("changes nothing of a conversation that no provider has accepted", async () => {
    const stood = await standing();
    const client = clientOf(stood, "openai-chat", finished(worked("alpha", 10)));
    const { text } = await client.say(`${PREFIX} compact`);
    expect(text).toContain("has not seen this conversation yet");
    expect((await stood.store.holdings()).compactions).toBe(0);
    expect(stood.provider.requests).toHaveLength(0);
  });

  it("recalls only what left its own conversation", async () => {
    const stood = await standing();
    const first = clientOf(stood, "openai-chat", finished(worked("alpha", 14)));
    await first.say();
    const id = /r[0-9a-f]{16}/.exec((await first.say(`${PREFIX} compact`)).text)?.[0] ?? "none";
    const other = clientOf(stood, "openai-chat", finished(worked("beta", 3)));
    await other.say();
    expect((await other.say(`${PREFIX} recall ${id}`)).text).toContain("Unknown recall id");
    expect((await first.say(`${PREFIX} recall alpha line 12`)).text).toContain("alpha line 12");
  });

  it("only observes where the gateway does", async () => {
    const stood = await standing({ mode: "observe" });
    const client = clientOf(stood, "openai-chat", finished(worked("alpha", 10)));
    await client.say();
    expect((await client.say(`${PREFIX} compact`)).text).toContain("only observes");
  });
});

it("keeps what the client itself wrote beside a command", async () => {
  const stood = await standing();
  const reminder = { type: "text", text: "<system-reminder>The plan has two items.</system-reminder>" };
  const messages: unknown[] = [{ role: "user", content: "Hello." }];
  const say = async (content: unknown) => {
    messages.push({ role: "user", content });
    const { text } = await ask(stood.url, {
      protocol: "anthropic-messages",
      body: JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 100, messages }),
    });
    messages.push({ role: "assistant", content: fieldsOf(JSON.parse(text))["content"] });
    return text;
  };
  messages.push({ role: "assistant", content: "Hello." });
  await say("What is there to do?");
  expect(await say([reminder, { type: "text", text: `${PREFIX} context` }])).toContain("Context: ");
  await say("Go on.");
  const sent = fieldsOf(JSON.parse(last(stood.provider.requests).body));
  expect(JSON.stringify(sent["messages"])).toContain("The plan has two items.");
  expect(JSON.stringify(sent["messages"])).not.toContain(PREFIX);
  expect(listOf(sent["messages"])).toHaveLength(6);
});

it("reads a command in a compressed body, and sends what is left as plain JSON", async () => {
  const stood = await standing();
  const messages: Message[] = [textMessage("user", "Hello."), textMessage("assistant", "Hello.")];
  const commands = [textMessage("user", `${PREFIX} context`), textMessage("assistant", "[precis] Context: none.")];
  const body = bodyOf("openai-chat", {
    system: [],
    messages: [...messages, ...commands, textMessage("user", "Go on.")],
  });
  const packed = new Uint8Array(
    await new Response(new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
  );
  const told = await ask(stood.url, {
    protocol: "openai-chat",
    body: packed,
    headers: { "content-encoding": "gzip" },
  });
  expect(told.status).toBe(200);
  expect(last(stood.provider.requests).body).not.toContain("precis");
  expect(last(stood.provider.requests).body).toContain("Go on.");
});
