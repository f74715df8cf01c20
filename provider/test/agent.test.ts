/** The agent reads a stream as it reads a whole answer: the same history comes of it, and the same errors end it. */
import { describe, expect, it } from "vitest";
import { textMessage, type Message } from "../../src/core/transcript/message.ts";
import { assemblerOf } from "../../test/support/agent/assembled.ts";
import { agentForms } from "../../test/support/agent/forms.ts";
import { replayAsAgent, type AgentOptions } from "../../test/support/agent/replay.ts";
import type { Fault } from "../src/faults.ts";
import type { ProviderOptions } from "../src/provider.ts";
import { served, type Json } from "./asking.ts";
import { PROTOCOL_MODELS } from "./models.ts";

const PROTOCOLS = ["openai-chat", "openai-responses", "anthropic-messages"] as const;
const TURNS = 6;

/** Thoughts, words in several scripts, and calls that run side by side, one without arguments. */
const RECORDING = {
  system: [textMessage("system", "You read.")],
  messages: [
    textMessage("user", "Read."),
    ...Array.from({ length: TURNS }, (_, turn): readonly Message[] => {
      const calls = [`a/${turn}`, `b/${turn}`];
      return [
        {
          role: "assistant",
          parts: [
            { kind: "reasoning", text: `thought ${turn}, in pieces as well` },
            { kind: "text", text: `Grüße ${turn}, 你好 👋 and "quotes"\nover lines.` },
            { kind: "tool-call", id: calls[0]!, name: "read", arguments: `{"path":"src/ü.ts","turn":${turn}}` },
            { kind: "tool-call", id: calls[1]!, name: "list", arguments: "{}" },
          ],
        },
        ...calls.map((callId): Message => {
          const content = [{ kind: "text", text: `page of ${callId}` } as const];
          return { role: "tool", parts: [{ kind: "tool-result", callId, content }] };
        }),
      ];
    }).flat(),
    textMessage("assistant", "Read."),
  ],
};

async function live(more: Partial<AgentOptions> = {}, provider: ProviderOptions = {}) {
  const { protocol = "openai-chat", ...rest } = more;
  const server = await served({ replay: RECORDING.messages, ...provider });
  const sent: string[] = [];
  const answers: Json[] = [];
  const run = await replayAsAgent({
    url: server.url,
    protocol,
    model: PROTOCOL_MODELS[protocol],
    recording: RECORDING,
    onTurn: (turn) => {
      sent.push(turn.sent);
      answers.push(turn.answer);
    },
    ...rest,
  });
  return { server, run, sent, answers };
}

/** Ids, seals and times are each run's own. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, one: unknown) =>
      /^(?:id|call_id|tool_call_id|tool_use_id|signature|encrypted_content|created|created_at)$/.test(name) ? "" : one,
    ),
  );
const historyOf = (body: string): unknown => {
  const { messages, input } = JSON.parse(body) as Json;
  return bare(messages ?? input);
};

describe.each(PROTOCOLS)("%s", (protocol) => {
  it("is lived the same streamed, whole, and by turns", async () => {
    const [whole, streamed, mixed] = await Promise.all([
      live({ protocol }),
      live({ protocol, stream: true }),
      live({ protocol, stream: (turn) => turn % 2 === 0 }),
    ]);
    expect(whole.run).toEqual({ turns: TURNS + 1, answered: TURNS + 1 });
    for (const other of [streamed, mixed]) {
      expect(other.run).toEqual(whole.run);
      expect(historyOf(other.sent.at(-1)!)).toEqual(historyOf(whole.sent.at(-1)!));
      expect(other.server.account().total).toMatchObject({ answered: TURNS + 1, rejected: {} });
    }
    expect(streamed.server.requests.every(({ stream }) => stream)).toBe(true);
    expect(mixed.server.requests.map(({ stream }) => stream)).toEqual([true, false, true, false, true, false, true]);
  });

  it("learns usage and how the answer ended from the stream", async () => {
    const [whole, streamed] = await Promise.all([live({ protocol }), live({ protocol, stream: true })]);
    const facts = ({ usage, stop_reason, status, choices }: Json): unknown => [
      usage,
      stop_reason,
      status,
      (choices as readonly Json[] | undefined)?.[0]?.["finish_reason"],
    ];
    expect(streamed.answers.map(facts)).toEqual(whole.answers.map(facts));
  });

  const ends = (faults: Fault, stream: boolean) =>
    live(
      { protocol, stream },
      { replay: undefined as never, script: { text: "some words. ".repeat(50), fault: faults } },
    );

  it.each<readonly [Fault, RegExp]>([
    [{ kind: "overflow" }, /context|prompt|token/],
    [{ kind: "stream-error" }, /Overloaded/],
    [{ kind: "cut" }, /broke off|ended before/],
    [{ kind: "malformed" }, /no JSON/],
    [{ kind: "rate-limit" }, /rate limit/i],
  ])("is ended by %o in a stream", async (fault, message) => {
    const { run } = await ends(fault, true);
    expect(run.refusal?.message).toMatch(message);
    expect(run).toMatchObject({ answered: 0, refusal: { turn: 0, status: fault.kind === "rate-limit" ? 429 : 200 } });
  });

  it.each<Fault>([{ kind: "overflow" }, { kind: "cut" }, { kind: "malformed" }])(
    "is ended by %o in a whole answer",
    async (fault) => {
      const { run } = await ends(fault, false);
      expect(run).toMatchObject({ answered: 0, refusal: { turn: 0 } });
    },
  );
});

it("is ended by an answer that says the window was full", async () => {
  const script = { fault: { kind: "window-stop" } } as const;
  const { run } = await live({ protocol: "anthropic-messages", stream: true }, { replay: undefined as never, script });
  expect(run.refusal).toEqual({ turn: 0, status: 200, message: "model_context_window_exceeded" });
});

describe("a stream that says less than it should", () => {
  it("takes the items of a response that ends without them", () => {
    const { take, answer } = assemblerOf(agentForms["openai-responses"]);
    const item = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] };
    take(JSON.stringify({ type: "response.output_item.done", output_index: 0, item }));
    take(JSON.stringify({ type: "response.completed", response: { id: "r", output: [], error: null } }));
    expect(answer()).toEqual({ id: "r", output: [item], error: null });
  });

  it("keeps an input without deltas, and ignores a delta of no block", () => {
    const { take, answer } = assemblerOf(agentForms["anthropic-messages"]);
    const block = { type: "tool_use", id: "t", name: "list", input: {} };
    take(JSON.stringify({ type: "message_start", message: { role: "assistant", content: [] } }));
    take(JSON.stringify({ type: "content_block_start", index: 0, content_block: block }));
    take(JSON.stringify({ type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "x" } }));
    take(JSON.stringify({ type: "content_block_stop", index: 0 }));
    expect(answer()).toHaveProperty("error");
    take(JSON.stringify({ type: "message_stop" }));
    expect(answer()).toEqual({ role: "assistant", content: [block] });
  });
});
