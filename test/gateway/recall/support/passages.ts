/** Answers in each protocol's own events, of any blocks in any order, and what the vendors' clients make of a stream. */
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import OpenAI from "openai";
import { streamMessage, messageReply } from "../../../../provider/src/anthropic/reply.ts";
import { streamChat, chatReply } from "../../../../provider/src/chat/reply.ts";
import type { ReplyBlock, StreamEvent, ReplyToSend } from "../../../../provider/src/contract.ts";
import type { Fields } from "../../../../src/protocols/fields.ts";
import { streamResponse, responseReply } from "../../../../provider/src/responses/reply.ts";
import { sseText } from "../../../../provider/src/stream.ts";
import type { SdkProtocol } from "./sdk-protocols.ts";
import { RECALL_TOOL } from "../../../../src/session/recall/answer.ts";

const TELL = {
  "anthropic-messages": { stream: streamMessage, whole: messageReply },
  "openai-chat": { stream: streamChat, whole: chatReply },
  "openai-responses": { stream: streamResponse, whole: responseReply },
} as const satisfies Record<
  SdkProtocol,
  { stream: (telling: ReplyToSend) => Iterable<StreamEvent>; whole: (telling: ReplyToSend) => Fields }
>;

export const OUTPUT_TOKENS = 7;

function tellingOf(blocks: readonly ReplyBlock[], at: number): ReplyToSend {
  const calls = blocks.some(({ kind }) => kind === "call");
  const incoming = {
    protocol: "openai-chat" as const,
    path: "",
    headers: new Headers(),
    text: "",
    body: {
      stream_options: { include_usage: true },
      include: ["reasoning.encrypted_content"],
      tools: [
        { type: "function", name: "read", parameters: {} },
        { type: "function", name: RECALL_TOOL, parameters: {} },
      ],
    },
  };
  return {
    reply: { blocks, stop: calls ? "tools" : "stop" },
    use: {
      inputTokens: 100 + at,
      cacheReadTokens: 10,
      cacheWrite5mTokens: 3,
      cacheWrite1hTokens: 0,
      cacheWriteTokens: 0,
    },
    outputTokens: OUTPUT_TOKENS,
    reasoningTokens: 2,
    model: "model-1",
    id: `answer${at}x`,
    created: 1_700_000_000 + at,
    incoming,
    transformations: undefined,
    seal: (text) => `sealed ${text.length}`,
    tellsWrites: true,
  };
}

/** The bytes of a stream; `at` says which passage of its turn it is. */
export function streamText(protocol: SdkProtocol, blocks: readonly ReplyBlock[], at: number): string {
  return Array.from(TELL[protocol].stream(tellingOf(blocks, at)), sseText).join("");
}

export function wholeText(protocol: SdkProtocol, blocks: readonly ReplyBlock[], at: number): string {
  return JSON.stringify(TELL[protocol].whole(tellingOf(blocks, at)));
}

const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((text) => text.trim() !== "");
const said = fc.oneof(
  word.map((text): ReplyBlock => ({ kind: "thinking", text })),
  word.map((text): ReplyBlock => ({ kind: "text", text })),
);
const call = (name: string): fc.Arbitrary<ReplyBlock> =>
  fc.record({ path: word, lines: fc.integer() }).map((given) => ({
    kind: "call",
    id: "",
    name,
    arguments: JSON.stringify(given),
    custom: false,
  }));

/** Passages of one turn: all but the last call only the recall tool, and do. */
export const turns: fc.Arbitrary<readonly (readonly ReplyBlock[])[]> = fc
  .tuple(
    fc.array(
      fc
        .tuple(
          fc.array(fc.oneof(said, call(RECALL_TOOL)), { maxLength: 5 }),
          call(RECALL_TOOL),
          fc.array(said, { maxLength: 2 }),
        )
        .map(([before, asks, after]) => [...before, asks, ...after]),
      { maxLength: 3 },
    ),
    fc
      .tuple(fc.array(fc.oneof(said, call("read"), call(RECALL_TOOL)), { maxLength: 8 }), fc.boolean())
      .map(([blocks, own]) => {
        const asked = blocks.some((block) => block.kind === "call" && block.name === "read");
        // Recall calls alone would go on.
        return asked || own ? blocks : blocks.filter(({ kind }) => kind !== "call");
      }),
  )
  .map(([passages, last]) => {
    const alone =
      last.some(({ kind }) => kind === "call") && !last.some((block) => block.kind === "call" && block.name === "read");
    return [...passages, alone ? last.filter(({ kind }) => kind !== "call") : last].map((blocks, passage) =>
      blocks.map((block, at) => (block.kind === "call" ? { ...block, id: `call_${passage}_${at}` } : block)),
    );
  });

function fetching(text: string): typeof fetch {
  return async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** What the vendor's own client puts together from a stream. */
export async function accumulated(protocol: SdkProtocol, text: string): Promise<Fields> {
  const client = { apiKey: "k", maxRetries: 0, fetch: fetching(text) };
  const messages = [{ role: "user" as const, content: "hi" }];
  switch (protocol) {
    case "anthropic-messages": {
      const stream = new Anthropic(client).messages.stream({ model: "m", max_tokens: 9, messages });
      return (await stream.finalMessage()) as unknown as Fields;
    }
    case "openai-chat": {
      const stream = new OpenAI(client).chat.completions.stream({ model: "m", messages });
      return (await stream.finalChatCompletion()) as unknown as Fields;
    }
    case "openai-responses": {
      const stream = new OpenAI(client).responses.stream({ model: "m", input: "hi" });
      return (await stream.finalResponse()) as unknown as Fields;
    }
  }
}
