/** Responses: reasoning stays with what follows it through every compaction, sealed or stored, and is never edited. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createProvider } from "../../../provider/src/index.ts";
import { createDecoder, protocols } from "../../../src/protocols/index.ts";
import { createRuntime } from "../../../src/session/runtime.ts";
import { filler } from "../../support/compacting.ts";

type Json = Readonly<Record<string, unknown>>;

interface Turn {
  readonly rounds: readonly { readonly calls: number; readonly thinks: boolean; readonly says: boolean }[];
  readonly resultTokens: number;
  readonly argumentTokens: number;
}

interface Living {
  readonly turns: readonly Turn[];
  readonly contextLength: number;
  /** Reasoning comes encrypted and nothing is stored; else the provider keeps the items. */
  readonly sealed: boolean;
  /** Done to the items that go out. */
  readonly spoil?: (items: readonly Json[]) => readonly Json[];
}

async function live({ turns, contextLength, sealed, spoil = (items) => items }: Living) {
  const plan = turns.flatMap(({ rounds, ...turn }) => [
    ...rounds.map((round) => ({ ...turn, ...round })),
    { ...turn, calls: 0, thinks: true, says: true },
  ]);
  let step = 0;
  const provider = createProvider({
    script: () => {
      const { thinks, says, calls, argumentTokens } = plan[step]!;
      return {
        ...(thinks ? { thinking: filler(40, `thought${step}`) } : {}),
        ...(says || calls === 0 ? { text: `Step ${step} is done.` } : {}),
        calls: Array.from({ length: calls }, (_, at) => ({
          name: "edit",
          arguments: { path: `src/${step}_${at}.ts`, content: filler(argumentTokens, `arg${step}x${at}`) },
        })),
      };
    },
  });
  const protocol = protocols["openai-responses"];
  const runtime = createRuntime({ settings: { contextLength, threshold: 0.5, note: "handoff" } });
  const decoder = createDecoder(protocol);
  const lived = { compactions: 0, refusals: [] as string[], reasoning: 0 };
  runtime.on("compacted", () => void lived.compactions++);
  const input: Json[] = [];
  for (const [index, turn] of turns.entries()) {
    input.push({ type: "message", role: "user", content: [{ type: "input_text", text: `Request ${index}, go on.` }] });
    for (let calls: Json[] = [{}]; calls.length > 0; step++) {
      const decoded = decoder.decode(
        JSON.stringify({
          model: "gpt-5.6-sol",
          instructions: "Be brief.",
          store: !sealed,
          ...(sealed ? { include: ["reasoning.encrypted_content"] } : {}),
          input,
        }),
      );
      expect(decoded.locked).toBeUndefined();
      const { transcript } = await runtime.prepare(decoded.transcript);
      const body = JSON.parse(protocol.splice(decoded, transcript)) as Json;
      const items = body["input"] as readonly Json[];
      lived.reasoning += items.filter(({ type }) => type === "reasoning").length;
      const kept = new Set(input.filter(({ type }) => type === "reasoning").map((item) => JSON.stringify(item)));
      for (const item of items) if (item["type"] === "reasoning") expect(kept.has(JSON.stringify(item))).toBe(true);
      const response = await provider.fetch(
        new Request("http://provider/v1/responses", {
          method: "POST",
          headers: { "content-type": "application/json", authorization: "Bearer k" },
          body: JSON.stringify({ ...body, input: spoil(items) }),
        }),
      );
      const answer = (await response.json()) as Json;
      if (response.status !== 200) {
        lived.refusals.push(String((answer["error"] as Json)["message"]));
        return lived;
      }
      const output = answer["output"] as readonly Json[];
      input.push(...output);
      calls = output.filter(({ type }) => type === "function_call");
      for (const { call_id } of calls)
        input.push({
          type: "function_call_output",
          call_id,
          output: filler(turn.resultTokens, `result${step}${String(call_id)}`),
        });
    }
  }
  return lived;
}

/** A run is a whole session. */
const RUNS = Math.ceil(Number(process.env["PRECIS_TEST_RUNS"] ?? 500) / 40);
const anyLiving: fc.Arbitrary<Living> = fc.record({
  turns: fc.array(
    fc.record({
      rounds: fc.array(fc.record({ calls: fc.integer({ min: 1, max: 3 }), thinks: fc.boolean(), says: fc.boolean() }), {
        minLength: 1,
        maxLength: 8,
      }),
      resultTokens: fc.constantFrom(30, 300, 900, 3_000),
      argumentTokens: fc.constantFrom(5, 5, 600),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  contextLength: fc.constantFrom(6_000, 9_000, 16_000),
  sealed: fc.boolean(),
});

describe("reasoning items", () => {
  it("are never refused in generated sessions", async () => {
    let compactions = 0;
    let reasoning = 0;
    await fc.assert(
      fc.asyncProperty(anyLiving, async (living) => {
        const lived = await live(living);
        expect(lived.refusals).toEqual([]);
        compactions += lived.compactions;
        reasoning += lived.reasoning;
      }),
      { numRuns: RUNS },
    );
    expect(compactions).toBeGreaterThan(RUNS / 2);
    expect(reasoning).toBeGreaterThan(RUNS);
  });

  it("are refused where one is taken from what it led to", async () => {
    const round = { calls: 1, thinks: true, says: false };
    const turns = [{ rounds: [round, round, round], resultTokens: 30, argumentTokens: 5 }];
    const without = (items: readonly Json[]) => items.filter(({ type }) => type !== "reasoning");
    const lived = await live({ turns, contextLength: 100_000, sealed: true, spoil: without });
    expect(lived.refusals).toEqual([expect.stringContaining("without its required 'reasoning' item")]);
  });
});
