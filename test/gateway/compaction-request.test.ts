/**
 * A client that has Anthropic summarise its conversation (`compaction`): the request goes through without a compaction of ours
 * being made for it, what it took is counted, and the block that comes back is left alone.
 */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { stand } from "./support/standing.ts";

const MODEL = "claude-opus-5-5";
const WINDOW_TOKENS = 16_000;
const BETAS = ["compact-2026-09-04"];
const sized = (words: number, at: number): string =>
  Array.from({ length: words }, (_, word) => `line ${word} of part ${at}`).join("\n");

type Messages = Anthropic.Beta.BetaMessageParam[];

async function standing() {
  const stood = await stand({
    provider: { every: { windowTokens: WINDOW_TOKENS }, script: ({ index }) => ({ text: `Answer ${index}.` }) },
    gateway: { contextLength: WINDOW_TOKENS, caching: { enabled: false } },
  });
  const client = new Anthropic({ baseURL: stood.url, apiKey: "key", maxRetries: 0 });
  const tools = [{ name: "read", description: "Reads.", input_schema: { type: "object" as const } }];
  const asked = { model: MODEL, max_tokens: 500, betas: BETAS, tools };
  const messages: Messages = [];
  const say = async (content: string): Promise<void> => {
    messages.push({ role: "user", content });
    const reply = await client.beta.messages.create({ ...asked, messages });
    messages.push({ role: "assistant", content: reply.content });
  };
  const treatments = (): readonly unknown[] =>
    stood.events.flatMap((event) => (event.kind === "request" ? [event.treatment] : []));
  return { ...stood, client, asked, messages, say, treatments };
}

describe.each(["whole", "streamed"])("a compaction that the client asks for, %s", (how) => {
  const summary = async ({ client, asked, messages }: Awaited<ReturnType<typeof standing>>) => {
    const body = { ...asked, messages, compaction: { type: "summarize" as const } };
    return how === "whole"
      ? await client.beta.messages.create(body)
      : await client.beta.messages.stream(body).finalMessage();
  };

  it("is given the whole conversation although a compaction is due, and is counted", async () => {
    const stood = await standing();
    const { messages, events, provider } = stood;
    for (let part = 0; part < 3; part++)
      messages.push({ role: "user", content: sized(500, part) }, { role: "assistant", content: `Part ${part}.` });
    const { content, stop_reason: stop } = await summary(stood);
    expect([stop, content.map(({ type }) => type)]).toEqual(["compaction", ["compaction"]]);
    expect(stood.treatments()).toEqual([{ kind: "untouched", because: "client_compaction" }]);
    expect(events.filter(({ kind }) => kind === "compaction")).toEqual([]);
    expect(JSON.parse(provider.requests[0]!.body)).toMatchObject({ messages });
    const [told] = events.filter((event) => event.kind === "request");
    const { inputTokens } = provider.requests[0]!.use!;
    expect(told!.usage).toMatchObject({ input: inputTokens });
    expect(told!.usage!.output).toBeGreaterThan(0);
  });

  it("is made of the compaction that stands, fits the window, and is respected from then on", async () => {
    const stood = await standing();
    const { client, asked, provider, say } = stood;
    for (let part = 0; part < 12; part++) await say(sized(250, part));
    expect(stood.treatments().at(-1)).toMatchObject({ kind: "rewritten" });
    const made = stood.events.filter(({ kind }) => kind === "compaction").length;
    const { content } = await summary(stood);
    expect(stood.treatments().at(-1)).toMatchObject({ kind: "rewritten", fresh: false });
    const messages: Messages = [{ role: "assistant", content }];
    for (let part = 0; part < 4; part++) {
      messages.push({ role: "user", content: sized(250, part) });
      const { content: reply } = await client.beta.messages.create({ ...asked, messages });
      messages.push({ role: "assistant", content: reply });
      expect(stood.treatments().at(-1)).toEqual({ kind: "untouched", because: "held_by_provider" });
      expect(JSON.parse(provider.requests.at(-1)!.body)).toMatchObject({ messages: messages.slice(0, -1) });
    }
    expect(provider.account().total.rejected).toEqual({});
    expect(stood.events.filter(({ kind }) => kind === "compaction")).toHaveLength(made);
  });
});
