/** What each vendor takes and refuses, one rule a line, asked over HTTP: status, the words, and what the account says. */
import { describe, expect, it } from "vitest";
import { BODIES, chatCall, messageOf, result, served, spoiled, use, type Json, type Route } from "./asking.ts";

type Rule = readonly [what: string, body: unknown, reason: string, words: RegExp];

const text = (value: string, more: Json = {}): Json => ({ type: "text", text: value, ...more });
const marker = (ttl?: string): Json => ({
  cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) },
});
const { chat, responses, messages } = BODIES;
const tool = { name: "read", input_schema: { type: "object" } };

const CHAT: readonly Rule[] = [
  ["no messages", spoiled(chat, "messages", undefined), "shape", /Missing required parameter: 'messages'/],
  ["an empty list", spoiled(chat, "messages", []), "empty", /Invalid 'messages': empty array/],
  ["a role of nobody", spoiled(chat, "messages.1.role", "human"), "roles", /Invalid value: 'human'.*and 'developer'/],
  ["a user without content", spoiled(chat, "messages.1.content", null), "shape", /'messages\[1\]\.content'/],
  [
    "an image of the assistant",
    spoiled(chat, "messages.2", { role: "assistant", content: [{ type: "image_url" }] }),
    "shape",
    /'image_url'/,
  ],
  ["a missing answer", spoiled(chat, "messages.4", undefined), "pairing", /did not have response messages: call_1/],
  [
    "a user between call and answer",
    spoiled(chat, "messages.3", { role: "user", content: "x" }),
    "pairing",
    /must be followed by tool messages/,
  ],
  [
    "an answer to nothing",
    spoiled(chat, "messages.2", { role: "assistant", content: "x" }),
    "pairing",
    /must be a response to a preceeding message/,
  ],
  ["an answer to another call", spoiled(chat, "messages.4.tool_call_id", "call_9"), "pairing", /'call_9' not found/],
  ["the same answer twice", spoiled(chat, "messages.4.tool_call_id", "call_2"), "pairing", /'call_2' not found/],
  ["a long id", spoiled(chat, "messages.2.tool_calls.0.id", "c".repeat(41)), "ids", /maximum length 40.*length 41/],
  [
    "broken arguments",
    spoiled(chat, "messages.2.tool_calls.0", chatCall("call_1", '{"a":')),
    "arguments",
    /tool_calls\[0\]\.function\.arguments/,
  ],
  ["no calls in the list", spoiled(chat, "messages.2.tool_calls", []), "shape", /tool_calls': empty array/],
  [
    "a tool with a space in its name",
    { ...chat, tools: [{ type: "function", function: { name: "a b" } }] },
    "shape",
    /tools\[0\]\.function\.name/,
  ],
];

const RESPONSES: readonly Rule[] = [
  ["no input", spoiled(responses, "input", undefined), "shape", /Missing required parameter: 'input'/],
  ["a role of nobody", spoiled(responses, "input.0.role", "tool"), "roles", /Invalid value: 'tool'/],
  [
    "output text of a user",
    spoiled(responses, "input.0.content", [{ type: "output_text", text: "x" }]),
    "roles",
    /'output_text'/,
  ],
  [
    "a call without output",
    spoiled(responses, "input.2", undefined),
    "pairing",
    /No tool output found for function call call_1\./,
  ],
  [
    "an output without call",
    spoiled(responses, "input.1", undefined),
    "pairing",
    /No tool call found for function call output with call_id call_1\./,
  ],
  ["a long id", spoiled(responses, "input.1.call_id", "c".repeat(65)), "ids", /maximum length 64.*length 65/],
  ["broken arguments", spoiled(responses, "input.1.arguments", "{"), "arguments", /input\[1\]\.arguments/],
  [
    "the same item twice",
    { ...responses, input: [...responses.input, ...[1, 2].map(() => ({ id: "msg_1", role: "user", content: "x" }))] },
    "ids",
    /Duplicate item found with id msg_1/,
  ],
  [
    "reasoning at the end",
    { ...responses, input: [...responses.input, { type: "reasoning", id: "rs_1", summary: [] }] },
    "reasoning",
    /without its required following item/,
  ],
  [
    "reasoning before a user",
    { ...responses, input: [{ type: "reasoning", id: "rs_1", summary: [] }, ...responses.input] },
    "reasoning",
    /'rs_1' of type 'reasoning'/,
  ],
  [
    "a trigger that is not last",
    { ...responses, input: [{ type: "compaction_trigger" }, ...responses.input] },
    "pairing",
    /must be the last item/,
  ],
  [
    "foreign encrypted content",
    {
      ...responses,
      input: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "Zm9v" },
        { role: "assistant", content: "x" },
      ],
    },
    "reasoning",
    /could not be verified/,
  ],
  [
    "an unknown answer to go on from",
    { ...responses, previous_response_id: "resp_x" },
    "state",
    /Previous response with id 'resp_x' not found/,
  ],
  ["too little output", { ...responses, max_output_tokens: 1 }, "shape", />= 16/],
];

const MESSAGES: readonly Rule[] = [
  ["no limit", spoiled(messages, "max_tokens", undefined), "shape", /max_tokens: Field required/],
  ["an empty list", spoiled(messages, "messages", []), "shape", /at least one message/],
  ["a system message", spoiled(messages, "messages.0.role", "system"), "roles", /top-level `system` parameter/],
  [
    "an assistant first",
    spoiled(messages, "messages.0.role", "assistant"),
    "roles",
    /first message must use the "user" role/,
  ],
  ["a role of nobody", spoiled(messages, "messages.0.role", "tool"), "roles", /should be 'user' or 'assistant'/],
  ["nothing said", spoiled(messages, "messages.0.content", []), "empty", /non-empty content/],
  ["empty text", spoiled(messages, "messages.1.content.0.text", ""), "empty", /must be non-empty/],
  ["blank text", spoiled(messages, "messages.1.content.0.text", " \n"), "empty", /non-whitespace/],
  [
    "blank text in a result",
    spoiled(messages, "messages.2.content.0", result("toolu_1", [text(" ")])),
    "empty",
    /non-whitespace/,
  ],
  [
    "a missing result",
    spoiled(messages, "messages.2.content.1", undefined),
    "pairing",
    /immediately after: toolu_2\. Each `tool_use`/,
  ],
  [
    "a result after a text",
    spoiled(messages, "messages.2.content", [result("toolu_1"), text("x"), result("toolu_2")]),
    "pairing",
    /immediately after: toolu_2/,
  ],
  [
    "a result one message late",
    {
      ...messages,
      messages: [
        ...messages.messages.slice(0, 2),
        { role: "user", content: [result("toolu_1")] },
        { role: "user", content: [result("toolu_2")] },
      ],
    },
    "pairing",
    /immediately after: toolu_2/,
  ],
  [
    "a result of nothing",
    spoiled(messages, "messages.0.content", [result("toolu_9")]),
    "pairing",
    /messages\.0\.content\.0: unexpected `tool_use_id`.*toolu_9/,
  ],
  [
    "two results of one call",
    spoiled(messages, "messages.2.content.2", result("toolu_1")),
    "pairing",
    /multiple `tool_result` blocks with id: toolu_1/,
  ],
  ["one id for two calls", spoiled(messages, "messages.1.content.2", use("toolu_1")), "pairing", /ids must be unique/],
  ["an odd id", spoiled(messages, "messages.1.content.1.id", "a.b"), "ids", /\[a-zA-Z0-9_-\]/],
  [
    "arguments that are no object",
    spoiled(messages, "messages.1.content.1", use("toolu_1", "x")),
    "arguments",
    /valid dictionary/,
  ],
  ["a call of the user", spoiled(messages, "messages.0.content", [use("toolu_0")]), "roles", /only be in `assistant`/],
  [
    "a block of another protocol",
    spoiled(messages, "messages.0.content", [{ type: "input_text", text: "x" }]),
    "shape",
    /Input tag 'input_text'/,
  ],
  ["two tools of one name", { ...messages, tools: [tool, tool] }, "shape", /names must be unique/],
  [
    "five markers",
    { ...messages, system: [1, 2, 3, 4, 5].map((n) => text(`${n}`, marker())) },
    "markers",
    /maximum of 4 blocks with cache_control may be provided\. Found 5/,
  ],
  [
    "four markers and one for all",
    { ...messages, ...marker(), system: [1, 2, 3, 4].map((n) => text(`${n}`, marker())) },
    "markers",
    /Found 5/,
  ],
  [
    "an hour after five minutes",
    { ...messages, tools: [{ ...tool, ...marker() }], system: [text("x", marker("1h"))] },
    "markers",
    /system\.0\.cache_control\.ttl: a ttl='1h'/,
  ],
  [
    "a marker on nothing",
    { ...messages, system: [text("", marker())] },
    "markers",
    /cannot be set for empty text blocks/,
  ],
  ["another lifetime", { ...messages, system: [text("x", marker("2h"))] }, "markers", /'5m' or '1h'/],
  [
    "a small thinking budget",
    { ...messages, thinking: { type: "enabled", budget_tokens: 100 } },
    "shape",
    /greater than or equal to 1024/,
  ],
  [
    "a tool loop without its thinking",
    { ...messages, max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } },
    "thinking",
    /messages\.1\.content\.0\.type: Expected `thinking`/,
  ],
  [
    "a signature of somebody else",
    spoiled(messages, "messages.1.content.0", { type: "thinking", thinking: "hm", signature: "Zm9v" }),
    "thinking",
    /Invalid `signature`/,
  ],
];

/** A model that takes system messages behind the first, each at its place. */
const talked = (...between: readonly Json[]): Json => ({
  model: "claude-opus-5-5",
  max_tokens: 1_000,
  messages: [{ role: "user", content: "Read a." }, ...between],
});
const says = (role: string, content: unknown = "hm"): Json => ({ role, content });

const SYSTEM_TURNS: readonly Rule[] = [
  [
    "a system message first",
    { ...talked(), messages: [says("system"), says("user")] },
    "roles",
    /messages\.0: use the top-level/,
  ],
  [
    "one behind the assistant",
    talked(says("assistant"), says("system"), says("user")),
    "roles",
    /messages\.2.*must follow a 'user'/,
  ],
  ["one before the user", talked(says("system"), says("user")), "roles", /messages\.1.*must precede an 'assistant'/],
  ["two of them before the user", talked(says("system"), says("system"), says("user")), "roles", /must precede/],
  ["a picture in one", talked(says("system", [{ type: "image" }])), "roles", /text, tool_addition, and tool_removal/],
  ["an empty one", talked(says("system", [])), "empty", /non-empty content/],
];

const RULES: Readonly<Record<Exclude<Route, "count">, readonly Rule[]>> = {
  chat: CHAT,
  responses: RESPONSES,
  messages: [...MESSAGES, ...SYSTEM_TURNS],
};

describe.each(["chat", "responses", "messages"] as const)("%s", (route) => {
  it("takes a request in the middle of a tool loop", async () => {
    const provider = await served();
    expect((await provider.ask(route, BODIES[route])).status).toBe(200);
  });

  it.each(RULES[route])("refuses %s", async (_, body, reason, words) => {
    const provider = await served();
    const told = await provider.ask(route, body);
    expect(messageOf(told)).toMatch(words);
    expect(told.status).toBe(400);
    expect(provider.account().total.rejected).toEqual({ [reason]: 1 });
    const error = told.json["error"] as Json;
    if (route === "messages")
      expect(told.json).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    else expect(Object.keys(error)).toEqual(["message", "type", "param", "code"]);
  });

  it("refuses a request without a key, for a model that is not, of no JSON, and of another encoding", async () => {
    const provider = await served();
    const none = await fetch(`${provider.url}/v1/${route === "chat" ? "chat/completions" : route}`, {
      method: "POST",
      body: "{}",
    });
    expect(none.status).toBe(401);
    expect((await provider.ask(route, { ...BODIES[route], model: "gpt-0" })).status).toBe(404);
    expect((await provider.ask(route, "{")).status).toBe(400);
    expect((await provider.ask(route, "[]")).status).toBe(400);
    expect((await provider.ask(route, BODIES[route], { "content-encoding": "rot13" })).status).toBe(415);
    expect(provider.account().total.rejected).toEqual({ authentication: 1, model: 1, json: 2, encoding: 1 });
  });
});

describe("what is near a rule and still taken", () => {
  it.each<readonly [string, Route, unknown]>([
    [
      "four markers, the hour first",
      "messages",
      {
        ...messages,
        tools: [{ ...tool, ...marker("1h") }],
        system: [text("a", marker("1h")), text("b", marker())],
        ...marker(),
      },
    ],
    [
      "neighbours of one role",
      "messages",
      {
        ...messages,
        messages: [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
      },
    ],
    [
      "a beginning of the answer",
      "messages",
      {
        ...messages,
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: "b" },
        ],
      },
    ],
    [
      "an empty result",
      "messages",
      spoiled(messages, "messages.2.content.0", { type: "tool_result", tool_use_id: "toolu_1" }),
    ],
    ["an empty text of a user", "chat", spoiled(chat, "messages.1.content", "")],
    ["a call without arguments", "chat", spoiled(chat, "messages.2.tool_calls.0", chatCall("call_1", ""))],
    [
      "an output later than the next item",
      "responses",
      { ...responses, input: [responses.input[1], responses.input[0], responses.input[2]] },
    ],
    [
      "a trigger at the end",
      "responses",
      { ...responses, input: [...responses.input, { type: "compaction_trigger" }] },
    ],
    ["a string for input", "responses", { ...responses, input: "hello" }],
    ["a system message behind the user", "messages", talked(says("system"), says("assistant"), says("user"))],
    ["two at the end", "messages", talked(says("system"), says("system"))],
    [
      "one behind a server's result",
      "messages",
      talked(says("assistant", [{ type: "web_search_tool_result" }]), says("system")),
    ],
    [
      "one of settings alone",
      "messages",
      talked({ ...says("system", []), output_config: { effort: "low" } }, says("user")),
    ],
  ])("%s (%s)", async (_, route, body) => {
    const provider = await served();
    const told = await provider.ask(route, body);
    expect([told.status, told.status === 200 ? "" : told.text]).toEqual([200, ""]);
  });
});

describe("the window", () => {
  const long = "word ".repeat(3_000);
  const window = { every: { windowTokens: 2_000 } };

  it("is said to be exceeded as each vendor says it", async () => {
    const provider = await served(window);
    const [chatTold, messagesTold, roomTold] = await Promise.all([
      provider.ask("chat", spoiled(chat, "messages.1.content", long)),
      provider.ask("messages", spoiled(messages, "messages.0.content", long)),
      provider.ask("messages", { ...messages, max_tokens: 1_990 }),
    ]);
    expect(chatTold.json["error"]).toMatchObject({ code: "context_length_exceeded", type: "invalid_request_error" });
    expect(messageOf(chatTold)).toMatch(
      /^This model's maximum context length is 2000 tokens\. However, your messages resulted in \d+ tokens/,
    );
    expect(messageOf(messagesTold)).toMatch(/^prompt is too long: \d+ tokens > 2000 maximum$/);
    expect(messageOf(roomTold)).toMatch(/^input length and `max_tokens` exceed context limit: \d+ \+ 1990 > 2000/);
    expect(provider.account().total.rejected).toEqual({ window: 3 });
  });

  it("fails a streamed response after HTTP 200, and one that is not streamed with a 400", async () => {
    const provider = await served(window);
    const body = spoiled(responses, "input.0.content", long);
    const whole = await provider.ask("responses", body);
    expect([whole.status, (whole.json["error"] as Json)["code"]]).toEqual([400, "context_length_exceeded"]);
    const streamed = await provider.ask("responses", { ...body, stream: true });
    expect(streamed.status).toBe(200);
    expect([...streamed.text.matchAll(/^event: (.*)$/gm)].map((match) => match[1])).toEqual([
      "response.created",
      "response.in_progress",
      "response.failed",
    ]);
    expect(streamed.text).toContain('"code":"context_length_exceeded"');
  });

  it("is measured in the model's own tokens", async () => {
    const provider = await served({ models: { plain: {}, dense: { tokenFactor: 2 } } });
    const count = async (model: string) => (await provider.ask("count", { ...messages, model })).json["input_tokens"];
    const plain = Number(await count("plain"));
    const dense = Number(await count("dense"));
    expect(dense / plain).toBeGreaterThan(1.8);
    expect(dense / plain).toBeLessThanOrEqual(2);
  });
});
