/** Servers that speak a protocol in their own way, pace, and what is told of recalls. */
import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/gateway/operation/metrics.ts";
import { RECALL_TOOL } from "../../../src/session/recall/answer.ts";
import { splitFrames } from "../../../src/protocols/answers/frames.ts";
import { definitions } from "../../../src/protocols/registry.ts";
import { fieldsOf, listOf } from "../../../src/protocols/fields.ts";
import { bodyOf, worked } from "../support/asking.ts";
import { stand } from "../support/standing.ts";
import { toolsOf } from "./support/agents.ts";

type Delta = Readonly<Record<string, unknown>>;

/** Chunks of Chat Completions through a screen. */
function chat(deltas: readonly Delta[], finish: string) {
  const chunk = (delta: Delta, reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const text = `${deltas.map((delta) => chunk(delta)).join("")}${chunk({}, finish)}data: [DONE]\n\n`;
  const screen = definitions["openai-chat"].screen(new Set([RECALL_TOOL]));
  const shown = splitFrames(1e6)
    .push(Buffer.from(text))
    .map((frame) => (typeof frame === "string" ? frame : screen.take(frame)))
    .join("");
  const passage = screen.passage();
  const pieces = [...(shown + screen.release()).matchAll(/^data: (\{.*)$/gm)]
    .map(([, data]) => fieldsOf(listOf(fieldsOf(JSON.parse(data!))["choices"])[0]))
    .flatMap((choice) => listOf(fieldsOf(choice["delta"])["tool_calls"]));
  return { shown: shown + screen.release(), passage, pieces };
}

const named = (name: string, args = "{}") => ({ name, arguments: args });

describe("chunks of Chat Completions", () => {
  it("are told apart where calls have no number, or all the same one", () => {
    for (const index of [undefined, 0]) {
      const { pieces, passage } = chat(
        [
          { tool_calls: [{ index, id: "a", type: "function", function: named(RECALL_TOOL) }] },
          { tool_calls: [{ index, id: "b", type: "function", function: named("read", '{"path":1}') }] },
        ],
        "tool_calls",
      );
      expect(pieces).toMatchObject([{ index: 0, id: "b", function: { name: "read" } }]);
      expect(passage.calls).toEqual([{ id: "a", name: RECALL_TOOL, arguments: "{}" }]);
      expect(passage.asks).toBe(false);
    }
  });

  it("wait until a call has its name", () => {
    const piece = (more: Delta) => ({ tool_calls: [{ index: 0, ...more }] });
    const hidden = chat(
      [piece({ id: "a" }), piece({ function: named(RECALL_TOOL, "{") }), piece({ function: { arguments: "}" } })],
      "stop",
    );
    expect(hidden.pieces).toEqual([]);
    expect(hidden.passage).toMatchObject({ asks: true, calls: [{ id: "a", arguments: "{}" }] });
    const own = chat([piece({ id: "a" }), piece({ function: named("read") })], "tool_calls");
    expect(own.pieces).toMatchObject([{ id: "a" }, { function: { name: "read" } }]);
    expect(own.passage.calls).toEqual([]);
  });

  it("may hold several calls, and reasoning in pieces that go back as they came", () => {
    const detail = (text: string) => ({ reasoning_details: [{ type: "reasoning.text", index: 0, text }] });
    const { pieces, passage } = chat(
      [
        { role: "assistant", ...detail("I ") },
        detail("think."),
        {
          tool_calls: [
            { index: 0, id: "a", type: "function", function: named(RECALL_TOOL), extra: { signature: "s" } },
            { index: 1, id: "b", type: "function", function: named("read") },
          ],
        },
      ],
      "tool_calls",
    );
    expect(pieces).toMatchObject([{ index: 0, id: "b" }]);
    expect(JSON.parse(passage.said()![0]!)).toMatchObject({
      reasoning_details: [{ type: "reasoning.text", text: "I think." }],
      tool_calls: [{ id: "a", extra: { signature: "s" } }, { id: "b" }],
    });
  });
});

it("streams on as it comes: nothing waits for the end", async () => {
  const protocol = "anthropic-messages";
  const text = "A sentence of some length that comes in several pieces. ".repeat(8);
  const { url } = await stand({
    provider: { script: { text, fault: { kind: "stall", at: 0.6 } } },
    gateway: { recall: { offer: "on" } },
  });
  const gone = new AbortController();
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01" },
    body: bodyOf(protocol, worked("small", 1), { tools: toolsOf(protocol), stream: true }),
    signal: gone.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let got = "";
  while (!got.includes("several")) got += (await reader.read()).value ?? "";
  expect(got).toContain("message_start");
  gone.abort();
});

it("is counted", async () => {
  const { onEvent, text } = createMetrics({ upstreams: [], processMetrics: false });
  onEvent({ kind: "recall", tenant: "t", model: "m", tool: RECALL_TOOL, found: true, tokens: 40 });
  onEvent({ kind: "recall", tenant: "t", model: "m", tool: RECALL_TOOL, found: false, tokens: 2 });
  const page = await text();
  expect(page).toContain('precis_recalls_total{found="true"} 1');
  expect(page).toContain('precis_recalls_total{found="false"} 1');
  expect(page).toContain("precis_recalled_tokens_total 42");
});
