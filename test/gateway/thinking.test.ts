/**
 * Sessions with thinking on, through tool loops and across compactions: on models that bind thinking to the conversation
 * before it, on those that only sign it, and however thinking was asked for, no request is refused.
 */
import { describe, expect, it } from "vitest";
import { textMessage, type Message, type Transcript } from "../../src/core/transcript/message.ts";
import { replayAsAgent } from "../support/agent/replay.ts";
import { spread } from "../support/cases.ts";
import { stand, TENANT } from "./support/standing.ts";
import { createWitness } from "./support/witness.ts";

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
const WINDOW_TOKENS = 12_000;
const PROTOCOL = "anthropic-messages";
const BOUND = "claude-opus-5-5";
const SIGNED = "claude-sonnet-4-5";

/** A person asks that many times, and each time the model thinks, calls and reads in a loop before it answers. */
function loops(requests: number, calls: number, resultWords = 120): Transcript {
  const round = (request: number): readonly Message[] => [
    textMessage("user", `Request ${request}: look into module_${request} and say what is wrong with it.`),
    ...Array.from({ length: calls }, (_, call): readonly Message[] => {
      const id = `call_${request}_${call}`;
      const path = `src/module_${request}/part_${call}.ts`;
      const text = Array.from({ length: resultWords }, (_word, at) => `word${at + call} of ${path}`).join("\n");
      return [
        {
          role: "assistant",
          parts: [
            {
              kind: "reasoning",
              text: `I should look at ${path} next, because ${request} is not explained by ${call}.`,
            },
            { kind: "text", text: `Now ${path}.` },
            { kind: "tool-call", id, name: "read", arguments: JSON.stringify({ path }) },
          ],
        },
        { role: "tool", parts: [{ kind: "tool-result", callId: id, content: [{ kind: "text", text }] }] },
      ];
    }).flat(),
    {
      role: "assistant",
      parts: [
        { kind: "reasoning", text: `So module_${request} is fine.` },
        { kind: "text", text: `module_${request} is fine.` },
      ],
    },
  ];
  const messages = Array.from({ length: requests }, (_, request) => round(request)).flat();
  return { system: [textMessage("system", "You think before you read.")], messages };
}

const DROP = { prefix_mismatch_behavior: "drop_block" };
const CONTROLS = { "anthropic-beta": "interleaved-thinking-2025-05-14,thinking-binding-controls-2026-08-01" };

type Fields = Readonly<Record<string, unknown>>;

const WAYS: readonly (readonly [string, Fields, Readonly<Record<string, string>>])[] = [
  ["adaptive", { thinking: { type: "adaptive" } }, {}],
  ["enabled", { thinking: { type: "enabled", budget_tokens: 1_024 } }, {}],
  ["not asked for", {}, {}],
  ["adaptive, dropping what does not fit", { thinking: { type: "adaptive", block_binding: DROP } }, CONTROLS],
];

const SHAPES: readonly (readonly [string, Transcript])[] = [
  ["many requests of a few calls", loops(FULL ? 14 : 6, 4)],
  ["a few requests of many calls", loops(3, FULL ? 26 : 10)],
  ["one request of many more", loops(1, FULL ? 200 : 36)],
];

/** The model that binds in every way; the other one, in a short run, in the first. */
const CASES = [BOUND, SIGNED].flatMap((model) =>
  WAYS.filter((_, at) => FULL || model === BOUND || at === 0).map(([name, body, headers]) => ({
    model,
    name,
    body,
    headers,
  })),
);

describe.each(spread(CASES, WAYS.length))("$model, thinking $name", ({ model, body, headers }) => {
  it.each(spread(SHAPES, 2))("is never refused through %s", async (_shape, recording) => {
    const witness = createWitness(PROTOCOL, { cache: false });
    const { provider, url, store } = await stand({
      provider: { replay: recording.messages, every: { windowTokens: WINDOW_TOKENS }, onRequest: witness.got },
      gateway: { contextLength: WINDOW_TOKENS },
    });
    const run = await replayAsAgent({
      url,
      protocol: PROTOCOL,
      model,
      recording,
      maxOutputTokens: 2_000,
      body,
      headers,
      stream: (turn) => turn % 2 === 0,
      onTurn: witness.sent,
    });
    expect({ run, rejected: provider.account().total.rejected }).toEqual({
      run: { turns: run.turns, answered: run.turns },
      rejected: {},
    });
    expect(witness.tally().fresh).toBeGreaterThan(1);
    expect(await witness.faults(store, TENANT)).toEqual([]);
  });
});
