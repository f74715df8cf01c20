/** Thinking that comes back: bound to everything before it where the model binds it, dropped where that is asked for. */
import { expect, it, describe } from "vitest";
import { messageOf, result, served, type Json, type Served } from "./asking.ts";

const MODEL = "claude-opus-5-5";
const FREE_MODEL = "claude-sonnet-4-5";
const BOUND =
  /^messages\.\d+\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation\./;
const CONTROLS = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };
const DROP = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };

interface Turn extends Json {
  readonly role: string;
  readonly content: readonly Json[];
}

/** A session of that many tool calls, each with a thought of its own. */
async function session(
  provider: Served,
  turns: number,
  more: Json = {},
): Promise<Json & { readonly messages: readonly Turn[] }> {
  const base = {
    model: MODEL,
    max_tokens: 2_000,
    system: "Be brief.",
    tools: [{ name: "read", input_schema: { type: "object" } }],
    ...more,
  };
  const messages: Turn[] = [{ role: "user", content: [{ type: "text", text: "Read it all." }] }];
  for (let turn = 0; turn < turns; turn++) {
    const told = await provider.ask("messages", { ...base, messages });
    expect(told.status, told.text).toBe(200);
    const content = told.json["content"] as Json[];
    messages.push({ role: "assistant", content });
    messages.push({ role: "user", content: [result(String(content.at(-1)!["id"]), `page ${turn}`)] });
  }
  return { ...base, messages };
}

const thinker = () =>
  served({
    script: ({ index }) => ({ thinking: `thought ${index}`, calls: [{ name: "read", arguments: { page: index } }] }),
  });

const edited = (
  messages: readonly Turn[],
  at: number,
  change: (content: readonly Json[]) => readonly Json[],
): readonly Turn[] =>
  messages.map((message, index) => (index === at ? { ...message, content: change(message.content) } : message));
const withoutThinking = (messages: readonly Turn[], at: number): readonly Turn[] =>
  edited(messages, at, (content) => content.filter(({ type }) => type !== "thinking"));

describe("on a model that binds it", () => {
  it("comes back unchanged through a tool loop", async () => {
    const provider = await thinker();
    await session(provider, 5);
    expect(provider.account().total).toMatchObject({ answered: 5, rejected: {} });
  });

  it.each<readonly [string, (body: Json & { readonly messages: readonly Turn[] }) => Json]>([
    ["the system prompt", (body) => ({ ...body, system: "Be long." })],
    ["a tool", (body) => ({ ...body, tools: [{ name: "write", input_schema: { type: "object" } }] })],
    [
      "the first message",
      (body) => ({ ...body, messages: edited(body.messages, 0, () => [{ type: "text", text: "Read." }]) }),
    ],
    [
      "a result",
      (body) => ({ ...body, messages: edited(body.messages, 2, ([one]) => [{ ...one, content: "[cleared]" }]) }),
    ],
    [
      "the middle, by a summary",
      (body) => ({ ...body, messages: [{ role: "user", content: "A summary." }, ...body.messages.slice(3)] }),
    ],
    ["a thinking block between others", (body) => ({ ...body, messages: withoutThinking(body.messages, 3) })],
  ])("is refused where %s changed before it", async (_, spoil) => {
    const provider = await thinker();
    const told = await provider.ask("messages", spoil(await session(provider, 3)));
    expect([told.status, messageOf(told)]).toEqual([400, expect.stringMatching(BOUND)]);
  });

  it("names the first block that fails", async () => {
    const provider = await thinker();
    const body = await session(provider, 3);
    const told = await provider.ask("messages", {
      ...body,
      messages: edited(body.messages, 2, ([one]) => [{ ...one, content: "x" }]),
    });
    expect(messageOf(told)).toContain("messages.3.content.0:");
  });

  it.each<readonly [string, (body: Json & { readonly messages: readonly Turn[] }) => Json]>([
    ["the first thinking is left out", (body) => ({ ...body, messages: withoutThinking(body.messages, 1) })],
    ["all thinking is left out", (body) => ({ ...body, messages: [1, 3, 5].reduce(withoutThinking, body.messages) })],
    ["the end is left out", (body) => ({ ...body, messages: body.messages.slice(0, 5) })],
    [
      "a marker moves",
      (body) => ({
        ...body,
        messages: edited(body.messages, 2, ([one]) => [{ ...one, cache_control: { type: "ephemeral" } }]),
      }),
    ],
    [
      "a string stands for its block",
      (body) => ({ ...body, messages: [{ role: "user", content: "Read it all." }, ...body.messages.slice(1)] }),
    ],
    ["limits change", (body) => ({ ...body, max_tokens: 50 })],
    [
      "a tool is declared that stands nowhere yet",
      (body) => ({
        ...body,
        tools: [{ name: "fetch", input_schema: { type: "object" }, defer_loading: true }, ...(body["tools"] as Json[])],
      }),
    ],
    [
      "thinking is stripped behind an edit",
      (body) => ({
        ...body,
        messages: withoutThinking(
          withoutThinking(
            edited(body.messages, 2, ([one]) => [{ ...one, content: "x" }]),
            3,
          ),
          5,
        ),
      }),
    ],
  ])("is taken where %s", async (_, change) => {
    const provider = await thinker();
    const told = await provider.ask("messages", change(await session(provider, 3)));
    expect([told.status, told.status === 200 ? "" : told.text]).toEqual([200, ""]);
  });

  it("stays in the turn of an open tool loop, however thinking was asked for", async () => {
    const provider = await thinker();
    const body = await session(provider, 2, { thinking: { type: "adaptive" } });
    const told = await provider.ask("messages", { ...body, messages: [1, 3].reduce(withoutThinking, body.messages) });
    expect(messageOf(told)).toMatch(/^messages\.1\.content\.0\.type: Expected `thinking`/);
    const spoken = [...body.messages, { role: "user", content: [{ type: "text", text: "Stop." }] }];
    const stripped = [1, 3].reduce(withoutThinking, spoken);
    expect((await provider.ask("messages", { ...body, messages: stripped })).status).toBe(200);
    const unthought = await served({ script: { calls: [{ name: "read" }] } });
    await session(unthought, 2, { thinking: { type: "adaptive" } });
    expect(unthought.account().total.rejected).toEqual({});
  });

  it("is refused where its own text or signature was touched, and with a mark of the next request kept valid", async () => {
    const provider = await thinker();
    const body = await session(provider, 1);
    const touched = edited(body.messages, 1, ([thought, ...rest]) => [{ ...thought, thinking: "another" }, ...rest]);
    expect(messageOf(await provider.ask("messages", { ...body, messages: touched }))).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
  });
});

describe("drop_block", () => {
  it("drops what fails, says it, and goes on with new thinking that holds", async () => {
    const provider = await thinker();
    const body = await session(provider, 3);
    const changed = {
      ...body,
      thinking: DROP,
      messages: edited(body.messages, 2, ([one]) => [{ ...one, content: "x" }]),
    };
    const told = await provider.ask("messages", changed, CONTROLS);
    expect(told.json["input_transformations"]).toEqual(
      [3, 5].map((at) => ({
        type: "thinking_dropped",
        path: `messages.${at}.content.0`,
        reason: "prefix_binding_mismatch",
      })),
    );
    const content = told.json["content"] as Json[];
    const next = [
      ...changed.messages,
      { role: "assistant", content },
      { role: "user", content: [result(String(content.at(-1)!["id"]))] },
    ];
    const after = await provider.ask("messages", { ...changed, messages: next }, CONTROLS);
    expect((after.json["input_transformations"] as Json[]).map(({ path }) => path)).toEqual([
      "messages.3.content.0",
      "messages.5.content.0",
    ]);
  });

  it("counts what it dropped no longer, and needs its beta header", async () => {
    const provider = await served({
      script: ({ index }) => ({ thinking: "long ".repeat(500), calls: [{ name: "read", arguments: { page: index } }] }),
    });
    const body = await session(provider, 1);
    const changed = { ...body, system: "Be long.", thinking: DROP };
    const kept = await provider.ask("count", body);
    const dropped = await provider.ask("count", changed, CONTROLS);
    expect(Number(kept.json["input_tokens"]) - Number(dropped.json["input_tokens"])).toBeGreaterThan(400);
    const bare = await provider.ask("messages", changed);
    expect([bare.status, messageOf(bare)]).toEqual([
      400,
      "thinking.adaptive.block_binding: Extra inputs are not permitted",
    ]);
  });
});

describe("on a model that does not bind it", () => {
  it("survives edits, but not of itself; and the turn in a tool loop keeps its own", async () => {
    const provider = await thinker();
    const body = await session(provider, 3, {
      model: FREE_MODEL,
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
    });
    const ask = (messages: readonly Turn[], more: Json = {}) =>
      provider.ask("messages", { ...body, ...more, messages });
    expect((await ask(edited(body.messages, 2, ([one]) => [{ ...one, content: "x" }]))).status).toBe(200);
    expect((await ask(withoutThinking(body.messages, 3))).status).toBe(200);
    expect(messageOf(await ask(withoutThinking(body.messages, 1)))).toMatch(
      /^messages\.1\.content\.0\.type: Expected `thinking`/,
    );
    expect(
      (await ask([1, 3, 5].reduce(withoutThinking, body.messages), { thinking: { type: "disabled" } })).status,
    ).toBe(200);
  });

  it("is dropped without a word where another model thought it", async () => {
    const provider = await thinker();
    const body = await session(provider, 2);
    const own = await provider.ask("count", body);
    const other = await provider.ask("count", { ...body, model: FREE_MODEL });
    expect(Number(other.json["input_tokens"])).toBeLessThan(Number(own.json["input_tokens"]));
  });
});

it("holds a signature for the provider that gave it, across restarts of the same seed", async () => {
  const script = [{ thinking: "hm", calls: [{ name: "read" }] }];
  const [one, same, other] = await Promise.all([served({ script }), served({ script }), served({ script, seed: 2 })]);
  const body = await session(one, 1);
  expect((await same.ask("messages", body)).status).toBe(200);
  expect((await other.ask("messages", body)).status).toBe(400);
});
