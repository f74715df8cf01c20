/** What of the AI SDK's messages comes back as it went in, and what a compaction changes in them. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createRuntime } from "../../../src/session/checked-runtime.ts";
import { createConversation } from "../../../src/integrations/framework/conversation.ts";
import { aiMessages, type AiMessage } from "../../../src/integrations/ai-sdk/messages.ts";

const LONG = "a line of a build log that nobody will ask for again\n".repeat(200);

/** Two parallel calls with their results, thinking, a picture, an approval, and a call that the provider answered itself. */
const SHAPES: readonly AiMessage[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      {
        type: "text",
        text: "What is on this picture?",
        providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
      },
      { type: "file", mediaType: "image/png", data: new Uint8Array([137, 80, 78, 71]) },
      { type: "file", mediaType: "application/pdf", data: { type: "url", url: new URL("https://example.com/a.pdf") } },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "I look twice.", providerOptions: { anthropic: { signature: "sig" } } },
      { type: "text", text: "Let me see." },
      { type: "tool-call", toolCallId: "call_1", toolName: "read", input: { path: "a.txt" } },
      { type: "tool-call", toolCallId: "call_2", toolName: "read", input: { path: "b.txt" } },
      { type: "tool-call", toolCallId: "srv_1", toolName: "web_search", input: { q: "a" }, providerExecuted: true },
      {
        type: "tool-result",
        toolCallId: "srv_1",
        toolName: "web_search",
        output: { type: "json", value: [{ url: "x" }] },
      },
    ],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "call_1", toolName: "read", output: { type: "text", value: LONG } },
      {
        type: "tool-result",
        toolCallId: "call_2",
        toolName: "read",
        output: { type: "error-text", value: "no such file" },
      },
      { type: "tool-approval-response", approvalId: "ok_1", approved: true },
    ],
  },
  { role: "assistant", content: "It is a cat." },
];

const conversation = (contextLength = 8_000) =>
  createConversation<AiMessage>(createRuntime({ settings: { contextLength } }), aiMessages);

it("gives the same objects back where nothing is compacted", async () => {
  const { messages } = await conversation(200_000).prepare(SHAPES);
  expect(messages).toBe(SHAPES);
});

it("gives what stays back as the same objects, and keeps every call with its result", async () => {
  const turns = Array.from({ length: 8 }, (_, turn): readonly AiMessage[] => [
    { role: "user", content: `Turn ${turn}: read both files.` },
    ...SHAPES.slice(2).map((message) => renamed(message, turn)),
  ]).flat();
  const given = [...SHAPES.slice(0, 2), ...turns, { role: "user", content: "And now?" } as const];
  const { messages, compacted } = await conversation().prepare(given);
  expect(compacted).toBe(true);
  expect(messages.length).toBeLessThan(given.length);
  expect(messages.at(-1)).toBe(given.at(-1));
  expect(messages.filter((message) => given.includes(message)).length).toBeGreaterThan(3);
  expect(callIds(messages, "tool")).toEqual(callIds(messages, "assistant"));
});

it("has nothing but messages that came, or that say what became of them, whatever comes", async () => {
  const text = fc.string({ maxLength: 2_000 });
  const exchange = fc.record({ asks: text, path: text, result: text, says: text });
  await fc.assert(
    fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 12 }), async (exchanges) => {
      const given = exchanges.flatMap(({ asks, path, result, says }, at): AiMessage[] => [
        { role: "user", content: asks },
        {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: `c${at}`, toolName: "read", input: { path } }],
        },
        {
          role: "tool",
          content: [
            { type: "tool-result", toolCallId: `c${at}`, toolName: "read", output: { type: "text", value: result } },
          ],
        },
        { role: "assistant", content: says },
      ]);
      const { messages } = await conversation().prepare(given);
      expect(callIds(messages, "tool")).toEqual(callIds(messages, "assistant"));
    }),
    { numRuns: 50 },
  );
});

function renamed(message: AiMessage, turn: number): AiMessage {
  if (typeof message.content === "string") return { ...message };
  const content = message.content
    .filter(({ type }) => type !== "tool-approval-response")
    .map((part) => ("toolCallId" in part ? { ...part, toolCallId: `${String(part["toolCallId"])}_${turn}` } : part));
  return { ...message, content };
}

/** The calls of the agent, and those that a tool answered. */
function callIds(messages: readonly AiMessage[], role: AiMessage["role"]): readonly unknown[] {
  const type = role === "tool" ? "tool-result" : "tool-call";
  return messages
    .filter((message) => message.role === role)
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter((part) => part.type === type && part["providerExecuted"] !== true)
    .map((part) => part["toolCallId"]);
}
