/** Answers to commands as the vendors' own clients take them, whole and streamed. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { stand } from "../support/standing.ts";

const COMMAND = "/precis context";
const WANTED = /^\[precis\] Context: [\d,]+ of 60,000 tokens/;
const OPENING = [
  { role: "user" as const, content: "Hello." },
  { role: "assistant" as const, content: "Hello." },
  { role: "user" as const, content: COMMAND },
];

async function standing() {
  const stood = await stand({ gateway: { chatCommands: "/precis", contextLength: 60_000 } });
  const openai = new OpenAI({ baseURL: `${stood.url}/v1`, apiKey: "key", maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: stood.url, apiKey: "key", maxRetries: 0 });
  return { ...stood, openai, anthropic };
}

describe("a command's answer", () => {
  it("is a chat completion", async () => {
    const { openai, provider } = await standing();
    const asked = { model: "gpt-5.4", messages: OPENING };
    const whole = await openai.chat.completions.create(asked);
    expect(whole.choices[0]!.message.content).toMatch(WANTED);
    expect(whole.usage?.total_tokens).toBe(0);
    const options = { include_usage: true };
    const streamed = await openai.chat.completions.stream({ ...asked, stream_options: options }).finalChatCompletion();
    expect(streamed.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: expect.stringMatching(WANTED) as string },
    });
    expect(streamed.usage?.total_tokens).toBe(0);
    expect(provider.requests).toHaveLength(0);
  });

  it("is a response", async () => {
    const { openai, provider } = await standing();
    const asked = { model: "gpt-5.4", input: OPENING };
    expect((await openai.responses.create(asked)).output_text).toMatch(WANTED);
    const streamed = await openai.responses.stream(asked).finalResponse();
    expect(streamed.output_text).toMatch(WANTED);
    expect(streamed.status).toBe("completed");
    expect(provider.requests).toHaveLength(0);
  });

  it("is a message", async () => {
    const { anthropic, provider } = await standing();
    const asked = { model: "claude-sonnet-4-5", max_tokens: 100, messages: OPENING };
    const whole = await anthropic.messages.create(asked);
    expect(whole.content).toMatchObject([{ type: "text", text: expect.stringMatching(WANTED) as string }]);
    const streamed = await anthropic.messages.stream(asked).finalMessage();
    expect(streamed).toMatchObject({ stop_reason: "end_turn", usage: { input_tokens: 0, output_tokens: 0 } });
    expect(streamed.content).toMatchObject([{ type: "text", text: expect.stringMatching(WANTED) as string }]);
    expect(provider.requests).toHaveLength(0);
  });
});

describe("where the provider holds the conversation", () => {
  it("says so, and the client goes on from the provider's last response", async () => {
    const { openai, provider } = await standing();
    const first = await openai.responses.create({ model: "gpt-5.4", input: "Hello.", store: true });
    const answer = await openai.responses.create({
      model: "gpt-5.4",
      input: "/precis compact",
      previous_response_id: first.id,
    });
    expect(answer.output_text).toContain("Commands do not work in this conversation: the provider holds the history");
    expect(answer.id).toBe(first.id);
    expect(provider.requests).toHaveLength(1);
  });

  it("the same for a message thread", async () => {
    const { anthropic, provider } = await standing();
    const thread = anthropic.beta.messages.thread({ model: "claude-sonnet-4-5", max_tokens: 100 });
    await thread.send({ role: "user", content: "Hello." });
    const answer = await thread.send({ role: "user", content: "/precis compact" });
    expect(JSON.stringify(answer.content)).toContain("Commands do not work in this conversation");
    const next = await thread.send({ role: "user", content: "Go on." });
    expect(JSON.stringify(next.content)).not.toContain("[precis]");
    expect(provider.requests).toHaveLength(2);
    expect(provider.account().total.rejected).toEqual({});
  });
});

describe("a Gemini stream", () => {
  it.each([
    ["?alt=sse", "text/event-stream; charset=utf-8"],
    ["", "application/json"],
  ])("comes as it was asked for: %s", async (query, type) => {
    const { url, provider } = await standing();
    const response = await fetch(`${url}/v1beta/models/gemini-3-pro:streamGenerateContent${query}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-goog-api-key": "key" },
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "/precis help" }] }] }),
    });
    expect(response.headers.get("content-type")).toBe(type);
    const text = await response.text();
    const [answer] = query === "" ? (JSON.parse(text) as unknown[]) : [JSON.parse(text.slice("data: ".length))];
    expect(answer).toMatchObject({
      candidates: [{ finishReason: "STOP", content: { role: "model", parts: [{}] } }],
    });
    expect(text).toContain("Commands of the gateway");
    expect(provider.requests).toHaveLength(0);
  });
});
