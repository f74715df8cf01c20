/** The vendors' own compactions beside those on request: OpenAI's endpoint and threshold, and Anthropic's threshold. */
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProvider } from "../src/index.ts";

const long = (name: string): string => `${name} `.repeat(1_500);

async function standing() {
  const provider = createProvider({ every: { windowTokens: 200_000 }, script: { text: "Done." } });
  const { url, close } = await provider.listen();
  onTestFinished(() => void close());
  return {
    provider,
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: "key", maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }),
  };
}

const MODEL = "gpt-5.6-sol";
const INPUT: OpenAI.Responses.ResponseInput = [
  { type: "message", role: "user", content: "Look into it." },
  { type: "message", role: "assistant", content: long("found") },
  { type: "message", role: "user", content: "Go on." },
];

describe("OpenAI's endpoint", () => {
  it("answers with the user's messages and one item, which stands for the rest", async () => {
    const { openai, provider } = await standing();
    const { object, output, usage } = await openai.responses.compact({ model: MODEL, input: INPUT });
    expect([object, output.map(({ type }) => type)]).toEqual([
      "response.compaction",
      ["message", "message", "compaction"],
    ]);
    expect(usage.input_tokens).toBeGreaterThan(1_000);
    const next = await openai.responses.create({
      model: MODEL,
      input: [...(output as OpenAI.Responses.ResponseInput), { type: "message", role: "user", content: "And now?" }],
    });
    expect(next.usage!.input_tokens).toBeLessThan(usage.input_tokens / 2);
    expect(provider.account().total.rejected).toEqual({});
  });

  it("refuses an item that was edited", async () => {
    const { openai } = await standing();
    const item = { type: "compaction" as const, encrypted_content: "AAAA" };
    const lost = openai.responses.create({ model: MODEL, input: [item, ...INPUT] });
    await expect(lost).rejects.toMatchObject({ status: 400, code: "invalid_encrypted_content" });
  });
});

describe("context management", () => {
  it("of OpenAI puts an item before the answer once the threshold is passed", async () => {
    const { openai } = await standing();
    const ask = (compact_threshold: number, input = INPUT) =>
      openai.responses.create({
        model: MODEL,
        input,
        context_management: [{ type: "compaction", compact_threshold }],
      });
    expect((await ask(100_000)).output.map(({ type }) => type)).toEqual(["message"]);
    const { output } = await ask(1_000);
    expect(output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    const next = await ask(1_000, [...INPUT, ...(output as typeof INPUT), { role: "user", content: "And now?" }]);
    expect(next.output.map(({ type }) => type)).toEqual(["message"]);
    await expect(ask(10)).rejects.toMatchObject({ status: 400 });
  });

  it.each([false, true])(
    "of Anthropic puts a block before the answer, or pauses (%s)",
    async (pause_after_compaction) => {
      const { anthropic, provider } = await standing();
      const ask = (value: number, messages: Anthropic.Beta.BetaMessageParam[], betas = ["compact-2026-01-12"]) =>
        anthropic.beta.messages.create({
          model: "claude-opus-5-5",
          max_tokens: 500,
          betas,
          messages,
          context_management: {
            edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value }, pause_after_compaction }],
          },
        });
      const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: "user", content: long("word").repeat(40) }];
      const { content, stop_reason: stop, usage } = await ask(50_000, messages);
      expect([stop, content.map(({ type }) => type)]).toEqual(
        pause_after_compaction ? ["compaction", ["compaction"]] : ["end_turn", ["compaction", "text"]],
      );
      const [compaction] = usage.iterations!;
      expect(compaction!.input_tokens).toBeGreaterThan(50_000);
      expect(usage.input_tokens).toBeLessThan(1_000);
      const next = await ask(50_000, [
        ...messages,
        { role: "assistant", content },
        { role: "user", content: "Go on." },
      ]);
      expect(next.content.map(({ type }) => type)).toEqual(["text"]);
      expect(next.usage.input_tokens).toBeLessThan(1_000);
      expect(provider.account().total.rejected).toEqual({});
      await expect(ask(49_999, messages)).rejects.toMatchObject({ status: 400 });
      await expect(ask(50_000, messages, [])).rejects.toMatchObject({ status: 400 });
    },
  );
});
