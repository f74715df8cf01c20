/** How typed bodies, usages and errors go through a session: compiled as a strict program of somebody else's, never run. */
import type Anthropic from "@anthropic-ai/sdk";
import type { generateText, LanguageModelUsage } from "ai";
import type OpenAI from "openai";
import { expectTypeOf } from "vitest";
import type { Session, Summarize } from "../../../src/index.ts";

export async function chat(session: Session, client: OpenAI): Promise<void> {
  const body: OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming = {
    model: "gpt-5.6",
    messages: [{ role: "user", content: "hi" }],
  };
  const { request } = await session.prepare(body);
  expectTypeOf(request).toEqualTypeOf<OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming>();
  const response = await client.chat.completions.create(request);
  if (response.usage !== undefined) session.observe(response.usage);

  const streaming: OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming = { ...body, stream: true };
  const prepared = await session.prepare(streaming);
  expectTypeOf(prepared.request).toEqualTypeOf<OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming>();
  for await (const { usage } of await client.chat.completions.create(prepared.request))
    if (usage !== null && usage !== undefined) prepared.observe(usage);

  const compacted = await session.compact(body, { budget: 2_000 });
  expectTypeOf(compacted.request).toEqualTypeOf(body);
  const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = body.messages;
  expectTypeOf((await session.prepare(messages)).request).toEqualTypeOf(messages);
}

export async function either(
  session: Session,
  client: OpenAI,
  body: OpenAI.Chat.Completions.ChatCompletionCreateParams,
): Promise<void> {
  const { request } = await session.prepare(body);
  expectTypeOf(request).toEqualTypeOf<OpenAI.Chat.Completions.ChatCompletionCreateParams>();
  await client.chat.completions.create(request);
}

export async function responses(session: Session, client: OpenAI): Promise<void> {
  const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = { model: "gpt-5.6", input: "hi" };
  const { request } = await session.prepare(body);
  expectTypeOf(request).toEqualTypeOf<OpenAI.Responses.ResponseCreateParamsNonStreaming>();
  const { usage } = await client.responses.create(request);
  if (usage !== undefined) session.observe(usage);

  const streaming: OpenAI.Responses.ResponseCreateParamsStreaming = { ...body, stream: true };
  const prepared = await session.prepare(streaming);
  expectTypeOf(prepared.request).toEqualTypeOf<OpenAI.Responses.ResponseCreateParamsStreaming>();
  for await (const event of await client.responses.create(prepared.request))
    if (event.type === "response.completed" && event.response.usage !== undefined)
      session.observe(event.response.usage);
}

export async function anthropicMessages(session: Session, client: Anthropic): Promise<void> {
  const body: Anthropic.MessageCreateParamsNonStreaming = {
    model: "claude-sonnet-5",
    max_tokens: 1_024,
    system: "You tidy modules.",
    messages: [{ role: "user", content: "hi" }],
  };
  const { request } = await session.prepare(body);
  expectTypeOf(request).toEqualTypeOf<Anthropic.MessageCreateParamsNonStreaming>();
  session.observe((await client.messages.create(request)).usage);

  const streaming: Anthropic.MessageCreateParamsStreaming = { ...body, stream: true };
  const prepared = await session.prepare(streaming);
  expectTypeOf(prepared.request).toEqualTypeOf<Anthropic.MessageCreateParamsStreaming>();
  await client.messages.create(prepared.request);
  const stream = client.messages.stream((await session.prepare(body)).request);
  session.observe((await stream.finalMessage()).usage);
  const beta: Anthropic.Beta.MessageCreateParamsNonStreaming = { ...body };
  await client.beta.messages.create((await session.prepare(beta)).request);
}

export async function aiSdk(session: Session, result: Awaited<ReturnType<typeof generateText>>): Promise<void> {
  expectTypeOf(result.usage).toEqualTypeOf<LanguageModelUsage>();
  session.observe(result.usage);
  const init: RequestInit = { body: '{"messages":[]}' };
  if (typeof init.body === "string") expectTypeOf((await session.prepare(init.body)).request).toBeString();
}

export async function failed(session: Session, body: OpenAI.Responses.ResponseCreateParams): Promise<void> {
  try {
    await session.prepare(body);
  } catch (error) {
    const smaller = await session.recover(error, body);
    expectTypeOf(smaller?.request).toEqualTypeOf<OpenAI.Responses.ResponseCreateParams | undefined>();
  }
}

/** A request without an index signature is taken; what is no request, and no usage, is not. */
export async function refused(
  session: Session,
  mine: { messages: { role: string; content: string }[] },
): Promise<void> {
  expectTypeOf((await session.prepare(mine)).request).toEqualTypeOf(mine);
  // @ts-expect-error: a number is no request
  await session.prepare(12);
  // @ts-expect-error: nothing in it is a history
  await session.prepare({ prompt: "hi" });
  // @ts-expect-error: no count of input tokens
  session.observe({ tokens: 12 });
  // @ts-expect-error: a text is no count
  session.observe({ prompt_tokens: "12" });
}

export function summarised(client: Anthropic, openai: OpenAI): readonly Summarize[] {
  return [
    "claude-haiku-4-5",
    { model: "qwen3-coder", baseUrl: "http://127.0.0.1:11434/v1" },
    (request, { signal }) => client.messages.create(request, { signal }),
    (request) => openai.chat.completions.create(request),
    (request: OpenAI.Responses.ResponseCreateParamsNonStreaming) => openai.responses.create(request),
    (request) => fetch("http://127.0.0.1:8080/v1/chat/completions", { method: "POST", body: JSON.stringify(request) }),
  ];
}
