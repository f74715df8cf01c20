/** Anthropic's compaction on request, with its SDK: one signed block, which comes back first and unchanged. */
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProvider } from "../src/index.ts";

const MODEL = "claude-opus-5-5";
const BETAS = ["compact-2026-09-04"];
const HISTORY: Anthropic.Beta.BetaMessageParam[] = [
  { role: "user", content: "Name the entities." },
  { role: "assistant", content: "Recipe, Step." },
];
const NEXT: Anthropic.Beta.BetaMessageParam = { role: "user", content: "And fields?" };

async function standing() {
  const provider = createProvider();
  const { url, close } = await provider.listen();
  onTestFinished(() => void close());
  const client = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 });
  const asked = { model: MODEL, max_tokens: 500, betas: BETAS };
  const compacted = () =>
    client.beta.messages.create({ ...asked, messages: HISTORY, compaction: { type: "summarize" } });
  return { provider, client, asked, compacted };
}

describe("a compaction that is asked for", () => {
  it("is one signed block, told alike in a stream, and billed", async () => {
    const { provider, client, asked, compacted } = await standing();
    const { content, stop_reason: stop, usage } = await compacted();
    expect([stop, content.length, content[0]]).toMatchObject([
      "compaction",
      1,
      { type: "compaction", tool_changes: [] },
    ]);
    expect([usage.input_tokens, usage.iterations]).toMatchObject([0, [{ type: "compaction" }]]);
    const streamed = await client.beta.messages
      .stream({ ...asked, messages: HISTORY, compaction: { type: "summarize" } })
      .finalMessage();
    expect(streamed.content).toEqual(content);
    expect(provider.account().total).toMatchObject({ answered: 2, rejected: {} });
    expect(provider.account().total.tokens.input).toBeGreaterThan(0);
  });

  it("comes back in place of what it summarises", async () => {
    const { client, asked, compacted } = await standing();
    const { content } = await compacted();
    const answer = await client.beta.messages.create({
      ...asked,
      messages: [{ role: "assistant", content }, NEXT],
    });
    expect(answer.stop_reason).toBe("end_turn");
  });

  it.each<[string, string, (block: Anthropic.Beta.BetaCompactionBlock) => Anthropic.Beta.BetaMessageParam[]]>([
    [
      "edited",
      "compaction_content_mismatch",
      (block) => [{ role: "assistant", content: [{ ...block, content: "x" }] }, NEXT],
    ],
    [
      "behind a message",
      "compaction_block_misplaced",
      (block) => [NEXT, { role: "assistant", content: [block] }, NEXT],
    ],
    ["twice", "compaction_block_ambiguous", (block) => [{ role: "assistant", content: [block, block] }, NEXT]],
  ])("is refused %s", async (_how, errorCode, messages) => {
    const { client, asked, compacted } = await standing();
    const { content } = await compacted();
    const block = content[0] as Anthropic.Beta.BetaCompactionBlock;
    const lost = client.beta.messages.create({ ...asked, messages: messages(block) });
    await expect(lost).rejects.toMatchObject({ status: 400, errorCode });
  });

  it.each([
    ["its beta", { betas: [] }],
    ["nothing else", { context_management: { edits: [] } }],
  ])("needs %s", async (_what, more) => {
    const { client, asked } = await standing();
    const lost = client.beta.messages.create({
      ...asked,
      messages: HISTORY,
      compaction: { type: "summarize" },
      ...more,
    });
    await expect(lost).rejects.toMatchObject({ status: 400 });
  });
});
