/** Recorded sessions lived again over HTTP: each turn gets the recorded answer, and dies only of a full window. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { textMessage, type Message } from "../../src/core/transcript/message.ts";
import { replayAsAgent, type AgentOptions } from "../../test/support/agent/replay.ts";
import { readRecording, recordedAnswers } from "../src/replay.ts";
import { PROTOCOL_MODELS } from "./models.ts";
import { spread } from "../../test/support/cases.ts";
import { corpusFiles, corpusText, describeCorpus } from "../../test/support/corpus.ts";
import { served, type Json } from "./asking.ts";

const PROTOCOLS = ["openai-chat", "openai-responses", "anthropic-messages"] as const;
const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
/** Of the corpus in a short run. */
const EVERY = 20;

/** That many calls with thoughts, then a word. */
function recording(
  turns: number,
  words = 5,
): { readonly system: readonly Message[]; readonly messages: readonly Message[] } {
  const work = Array.from({ length: turns }, (_, turn): readonly Message[] => [
    {
      role: "assistant",
      parts: [
        { kind: "reasoning", text: `thought ${turn}` },
        { kind: "text", text: `Step ${turn}.` },
        { kind: "tool-call", id: `c/${turn}`, name: "read", arguments: `{"turn":${turn}}` },
      ],
    },
    {
      role: "tool",
      parts: [
        { kind: "tool-result", callId: `c/${turn}`, content: [{ kind: "text", text: `page ${turn} `.repeat(words) }] },
      ],
    },
  ]);
  return {
    system: [textMessage("system", "You read.")],
    messages: [
      textMessage("user", "Read."),
      ...work.flat(),
      textMessage("assistant", "Read."),
      textMessage("user", "Thanks."),
      textMessage("assistant", "Welcome."),
    ],
  };
}

const textsOf = (answer: Json): string => JSON.stringify(answer);

describe.each(PROTOCOLS)("%s", (protocol) => {
  const model = PROTOCOL_MODELS[protocol];
  const live = async (
    whole: ReturnType<typeof recording>,
    more: Partial<AgentOptions> = {},
    windowTokens = 200_000,
  ) => {
    const provider = await served({ replay: whole.messages, every: { windowTokens } });
    const told: Json[] = [];
    const run = await replayAsAgent({
      url: provider.url,
      protocol,
      model,
      recording: whole,
      maxOutputTokens: 200,
      onTurn: ({ answer }) => told.push(answer),
      ...more,
    });
    return { provider, run, told };
  };

  it("gives each turn its recorded answer, thinking and calls included", async () => {
    const { run, told, provider } = await live(recording(6));
    expect(run).toEqual({ turns: 8, answered: 8 });
    for (const [turn, answer] of told.slice(0, 6).entries()) {
      expect(textsOf(answer)).toContain(`Step ${turn}.`);
      expect(textsOf(answer)).toContain(`thought ${turn}`);
    }
    expect(textsOf(told.at(-1)!)).toContain("Welcome.");
    expect(provider.account().total).toMatchObject({ answered: 8, rejected: {} });
  });

  it("dies where the window is full, as it would with the vendor", async () => {
    const { run, provider } = await live(recording(40, 60), {}, 4_000);
    expect(run.refusal).toMatchObject({ status: 400, message: expect.stringMatching(/maximum|limit/) as string });
    expect(run.answered).toBeGreaterThan(5);
    expect(provider.account().total.rejected).toEqual({ window: 1 });
  });

  it("knows where a rewound or shortened session stands by the calls it answers", async () => {
    const whole = recording(5);
    const provider = await served({ replay: whole.messages });
    const short = { ...whole, messages: [whole.messages[0]!, ...whole.messages.slice(5, 9)] };
    const told: Json[] = [];
    const ask = () =>
      replayAsAgent({
        url: provider.url,
        protocol,
        model,
        recording: whole,
        onTurn: ({ answer }) => told.push(answer),
      });
    await ask();
    const answers = recordedAnswers(whole.messages);
    expect(answers.map(({ calls = [] }) => calls[0]?.id).slice(0, 2)).toEqual(["call_0_0", "call_1_0"]);
    expect(short.messages).toHaveLength(5);
    const call = { type: "function_call", call_id: "call_3_0", name: "read", arguments: "{}" };
    const rewound = await provider.ask("responses", {
      model: "gpt-5.6-sol",
      input: [{ role: "user", content: "x" }, call, { type: "function_call_output", call_id: "call_3_0", output: "x" }],
    });
    expect(textsOf(rewound.json)).toContain("Step 4.");
  });
});

it("an agent that marks its last block reads on each turn all that it had sent on the one before", async () => {
  const whole = recording(8, 40);
  const provider = await served({ replay: whole.messages, every: { cacheMinimumTokens: 1 } });
  const model = PROTOCOL_MODELS["anthropic-messages"];
  const body = { cache_control: { type: "ephemeral" } };
  await replayAsAgent({ url: provider.url, protocol: "anthropic-messages", model, recording: whole, body });
  const uses = provider.requests.map(({ use }) => use!);
  expect(uses.map(({ cacheReadTokens }) => cacheReadTokens)).toEqual([
    0,
    ...uses.slice(0, -1).map(({ inputTokens }) => inputTokens),
  ]);
  for (const { inputTokens, cacheReadTokens, cacheWrite5mTokens } of uses)
    expect(cacheReadTokens + cacheWrite5mTokens).toBe(inputTokens);
});

describe.each([
  ["refunds.openai-chat.json", 40_000],
  ["restart.claude-code.jsonl", 4_000],
])("the example %s", (name, smallTokens) => {
  const whole = readRecording(readFileSync(resolve(import.meta.dirname, "../../examples", name), "utf8"), name);

  it.each(PROTOCOLS)("lives on %s while it fits, thinking bound, and dies of a small window", async (protocol) => {
    const live = async (windowTokens: number) => {
      const provider = await served({ replay: whole.messages, every: { windowTokens } });
      return replayAsAgent({ url: provider.url, protocol, model: PROTOCOL_MODELS[protocol], recording: whole });
    };
    const run = await live(1_000_000);
    expect(run).toEqual({ turns: run.turns, answered: run.turns });
    expect(run.turns).toBeGreaterThan(5);
    expect((await live(smallTokens)).refusal?.status).toBe(400);
  });
});

describeCorpus("the corpus", () => {
  const files = spread(
    corpusFiles("openai").filter((_, at) => FULL || at % EVERY === 0),
    2,
  );

  it.each(files)("%s is never refused while it fits", async (file) => {
    const whole = readRecording(corpusText(file), file);
    for (const protocol of PROTOCOLS) {
      const provider = await served({ replay: whole.messages, every: { windowTokens: 2_000_000 } });
      const run = await replayAsAgent({
        url: provider.url,
        protocol,
        model: PROTOCOL_MODELS[protocol],
        recording: whole,
      });
      expect(run).toEqual({ turns: run.turns, answered: run.turns });
    }
  });
});
