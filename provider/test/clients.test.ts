/** The vendors' own clients against the provider: what they make of its answers is what counts. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { Answer } from "../src/answers.ts";
import { createProvider } from "../src/index.ts";
import type { ProviderOptions } from "../src/provider.ts";
import { served } from "./asking.ts";

const TEXT = "Grüße, 你好 👋 and a word more, so that there are several pieces.";
const ANSWER: Answer = {
  thinking: "I think, in pieces as well.",
  text: TEXT,
  calls: [
    { name: "read", arguments: { path: "src/ü.ts", lines: [1, 2] } },
    { name: "list", arguments: {} },
  ],
};

async function clients(options: ProviderOptions) {
  const provider = await served(options);
  const anthropic = new Anthropic({ baseURL: provider.url, apiKey: "k", maxRetries: 0 });
  const openai = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k", maxRetries: 0 });
  return { provider, anthropic, openai };
}

describe("@anthropic-ai/sdk", () => {
  const ask = { model: "claude-opus-5-5", max_tokens: 1_000, messages: [{ role: "user" as const, content: "hi" }] };

  it("reads the same message streamed and whole, and sends it back", async () => {
    const { provider, anthropic } = await clients({ script: ANSWER });
    const whole = await anthropic.messages.create(ask);
    const stream = anthropic.messages.stream(ask);
    const types: string[] = [];
    for await (const { type } of stream) if (types.at(-1) !== type) types.push(type);
    const streamed = await stream.finalMessage();
    expect(types.slice(0, 4)).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
    ]);
    expect(types.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
    const plain = (message: typeof whole) => message.content.map((block) => ({ ...block, id: "", signature: "" }));
    expect(plain(streamed)).toEqual(plain(whole));
    expect(whole.content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use", "tool_use"]);
    expect(whole.content[1]).toMatchObject({ text: TEXT });
    expect(whole.content[2]).toMatchObject({ input: { path: "src/ü.ts", lines: [1, 2] } });
    expect([whole.stop_reason, streamed.stop_reason]).toEqual(["tool_use", "tool_use"]);
    expect(streamed.usage).toMatchObject(whole.usage);
    const results = streamed.content.flatMap((block) =>
      block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "ok" }] : [],
    );
    await anthropic.messages.create({
      ...ask,
      messages: [...ask.messages, { role: "assistant", content: streamed.content }, { role: "user", content: results }],
    });
    expect(provider.account().total.rejected).toEqual({});
  });

  it("knows errors, models and counts", async () => {
    const { anthropic } = await clients({ script: ANSWER });
    await expect(anthropic.messages.create({ ...ask, model: "claude-0" })).rejects.toBeInstanceOf(
      Anthropic.NotFoundError,
    );
    await expect(anthropic.messages.create({ ...ask, messages: [] })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    expect((await anthropic.messages.countTokens(ask)).input_tokens).toBeGreaterThan(0);
    expect((await anthropic.models.retrieve("claude-opus-5-5")).id).toBe("claude-opus-5-5");
    expect((await anthropic.models.list()).data.length).toBeGreaterThan(20);
  });

  it("sees faults as what they are", async () => {
    const script: Answer[] = ["rate-limit", "server-error", "overloaded"].map(
      (kind) => ({ fault: { kind } }) as Answer,
    );
    const { anthropic } = await clients({
      script: [...script, { text: TEXT, fault: { kind: "stream-error" } }, { fault: { kind: "window-stop" } }],
    });
    await expect(anthropic.messages.create(ask)).rejects.toMatchObject({ status: 429 });
    await expect(anthropic.messages.create(ask)).rejects.toMatchObject({ status: 500 });
    await expect(anthropic.messages.create(ask)).rejects.toMatchObject({ status: 529 });
    await expect(anthropic.messages.stream(ask).finalMessage()).rejects.toThrow(/overloaded_error/);
    expect(await anthropic.messages.stream(ask).finalMessage()).toMatchObject({
      content: [],
      stop_reason: "model_context_window_exceeded",
    });
  });
});

describe("openai, Chat Completions", () => {
  const ask = { model: "gpt-4o", messages: [{ role: "user" as const, content: "hi" }] };

  it("reads the same message streamed and whole, with usage where it is asked for", async () => {
    const { provider, openai } = await clients({ script: ANSWER });
    const whole = await openai.chat.completions.create(ask);
    const streamed = await openai.chat.completions
      .stream({ ...ask, stream_options: { include_usage: true } })
      .finalChatCompletion();
    const [one, other] = [whole, streamed].map(({ choices: [choice] }) => ({
      text: choice!.message.content,
      calls: choice!.message.tool_calls!.map((call) => (call.type === "function" ? call.function : {})),
      finish: choice!.finish_reason,
    }));
    expect(one).toEqual({
      text: TEXT,
      calls: [
        { name: "read", arguments: '{"path":"src/ü.ts","lines":[1,2]}' },
        { name: "list", arguments: "{}" },
      ],
      finish: "tool_calls",
    });
    expect(other).toMatchObject({ text: TEXT, finish: "tool_calls" });
    expect(streamed.usage).toEqual(whole.usage);
    const without = await provider.ask("chat", { ...ask, stream: true });
    expect(without.text).not.toContain('"usage"');
    expect(without.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("goes through a tool loop, and knows errors", async () => {
    const { openai } = await clients({ script: ANSWER });
    const { message } = (await openai.chat.completions.create(ask)).choices[0]!;
    const results = message.tool_calls!.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "ok" }));
    await openai.chat.completions.create({ ...ask, messages: [...ask.messages, message, ...results] });
    await expect(openai.chat.completions.create({ ...ask, messages: [...ask.messages, message] })).rejects.toThrow(
      /tool_call_ids did not have/,
    );
    await expect(openai.chat.completions.create({ ...ask, model: "gpt-0" })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    expect((await openai.models.list()).data.length).toBeGreaterThan(20);
  });
});

describe("openai, Responses", () => {
  const ask = { model: "gpt-5.6-sol", input: "hi" };

  it("reads the same answer streamed and whole, in the vendor's order of events", async () => {
    const { openai } = await clients({ script: ANSWER });
    const whole = await openai.responses.create(ask);
    const stream = openai.responses.stream(ask);
    const types: string[] = [];
    let expected = 0;
    for await (const event of stream) {
      expect(event.sequence_number).toBe(expected++);
      if (types.at(-1) !== event.type) types.push(event.type);
    }
    const streamed = await stream.finalResponse();
    expect([whole.output_text, streamed.output_text]).toEqual([TEXT, TEXT]);
    expect(streamed.usage).toEqual(whole.usage);
    expect(streamed.output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call", "function_call"]);
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      ...["part.added", "text.delta", "text.done", "part.done"].map((one) => `response.reasoning_summary_${one}`),
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      ...[1, 2].flatMap(() => [
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
      ]),
      "response.completed",
    ]);
  });

  it("goes on by sending items back, by reference, and from a compaction; reasoning stays with its item", async () => {
    const { openai } = await clients({ script: ANSWER });
    const first = await openai.responses.create({ ...ask, include: ["reasoning.encrypted_content"] });
    const outputs = first.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "ok" }]
        : [],
    );
    const input = [
      { role: "user" as const, content: "hi" },
      ...first.output,
      ...outputs,
    ] as OpenAI.Responses.ResponseInput;
    await openai.responses.create({ ...ask, input });
    await openai.responses.create({ ...ask, input: outputs, previous_response_id: first.id });
    await expect(openai.responses.create({ ...ask, previous_response_id: first.id })).rejects.toThrow(
      /No tool output found/,
    );
    const withoutReasoning = input.filter((item) => item.type !== "reasoning");
    await expect(openai.responses.create({ ...ask, input: withoutReasoning })).rejects.toThrow(
      /without its required 'reasoning' item/,
    );
    const trigger = { type: "compaction_trigger" } as unknown as OpenAI.Responses.ResponseInputItem;
    const compacted = await openai.responses.create({ ...ask, input: [...input, trigger] });
    expect(compacted.output.map(({ type }) => type as string)).toEqual(["compaction"]);
    const after = [...compacted.output, { role: "user", content: "go on" }] as OpenAI.Responses.ResponseInput;
    expect((await openai.responses.create({ ...ask, input: after })).output_text).toBe(TEXT);
  });

  it("sees a response that fails inside of its stream", async () => {
    const { openai } = await clients({ script: { text: TEXT, fault: { kind: "overflow" } } });
    const events = await openai.responses.create({ ...ask, stream: true });
    const types: string[] = [];
    for await (const event of events) types.push(event.type);
    expect(types).toEqual(["response.created", "response.in_progress", "response.failed"]);
  });
});

it("is the fetch of a client, without a port, and refuses in the vendor's words", async () => {
  const provider = createProvider({ script: { text: "Done." } });
  const fetch = (url: string | URL | Request, init?: RequestInit) => provider.fetch(new Request(url, init));
  const client = new OpenAI({ apiKey: "any", baseURL: "http://provider/v1", fetch, maxRetries: 0 });
  const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
    client.chat.completions.create({ model: "gpt-5", messages });
  const answer = await ask([{ role: "user", content: "hi" }]);
  expect(answer.choices[0]!.message.content).toBe("Done.");
  await expect(ask([{ role: "tool", tool_call_id: "c1", content: "stray" }])).rejects.toThrow(
    /role 'tool' must be a response to a preceeding message with 'tool_calls'/,
  );
});
