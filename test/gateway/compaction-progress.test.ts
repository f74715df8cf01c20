/**
 * The progress of a provider's own compaction: `response.compaction.compacting` names the item that the provider writes, and
 * reaches the client as it was sent, also where the gateway hides calls of its own tools in the stream.
 */
import OpenAI from "openai";
import { expect, it } from "vitest";
import { RECALL_TOOL } from "../../src/session/recall/answer.ts";
import { fieldsOf, parsed, type Fields } from "../../src/protocols/fields.ts";
import { toolsOf } from "./recall/support/agents.ts";
import { longSession, recallCall } from "./recall/support/scene.ts";
import { ask, bodyOf } from "./support/asking.ts";
import { front, stand } from "./support/standing.ts";
import { EVENT_STREAM, upstreamOf } from "./support/upstream.ts";

const protocol = "openai-responses";
const USAGE = { input_tokens: 900, output_tokens: 20, total_tokens: 920 };
const PROGRESS = "response.compaction.compacting";

/** Of a response with these items, each with what is said between its two ends. */
function streamOf(id: string, items: readonly { readonly item: Fields; readonly between?: Fields }[]): string[] {
  let sequence = 0;
  const say = (type: string, fields: Fields): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  const response = { id, object: "response", model: "gpt-5", status: "in_progress", output: [] };
  const output = items.map(({ item }) => item);
  return [
    say("response.created", { response }),
    ...items.flatMap(({ item, between }, at) => [
      say("response.output_item.added", { output_index: at, item }),
      ...(between === undefined ? [] : [say(String(between["type"]), { ...between, output_index: at })]),
      say("response.output_item.done", { output_index: at, item }),
    ]),
    say("response.completed", { response: { ...response, status: "completed", output, usage: USAGE } }),
  ];
}

/** Without `store`, and with a tool of the client's own, the tool for recall is offered. */
const BODY = { tools: toolsOf(protocol), stream: true, store: false };

const COMPACTION = {
  item: { id: "cmp_1", type: "compaction", encrypted_content: "sealed" },
  between: { type: PROGRESS, item_id: "cmp_1" },
};

it("reaches the client of a conversation that is asked to be compacted", async () => {
  const { url } = await stand();
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: "any", maxRetries: 0 });
  const input = [{ role: "user", content: "hi" }, { type: "compaction_trigger" }] as OpenAI.Responses.ResponseInput;
  const types: string[] = [];
  for await (const event of await openai.responses.create({ model: "gpt-5", input, stream: true }))
    types.push(event.type);
  expect(types.filter((type) => type.includes("compaction"))).toEqual([PROGRESS]);
});

it.each([
  ["of a new conversation", 200_000],
  ["after a compaction, behind the tool for recall", 20_000],
])("is the provider's own bytes: %s", async (_, contextLength) => {
  const pieces = streamOf("resp_1", [COMPACTION]);
  const upstream = await upstreamOf(() => ({ headers: EVENT_STREAM, pieces }));
  const { url } = await front(upstream.url, { contextLength });
  const body = bodyOf(protocol, longSession(), BODY);
  const { text, treatment } = await ask(url, { protocol, body });
  const isRewritten = contextLength === 20_000;
  expect(treatment).toMatch(isRewritten ? /^rewritten/ : /^unchanged/);
  expect(upstream.got[0]!.body.includes(RECALL_TOOL)).toBe(isRewritten);
  expect(text).toBe(pieces.join(""));
});

it("is numbered like its item after a hidden call", async () => {
  const { name, arguments: given } = recallCall();
  const call = { id: "fc_1", type: "function_call", call_id: "c1", name, arguments: JSON.stringify(given) };
  const passages = [streamOf("resp_1", [{ item: call }, COMPACTION]), streamOf("resp_2", [COMPACTION])];
  const upstream = await upstreamOf((at) => ({ headers: EVENT_STREAM, pieces: passages[at] ?? [] }));
  const { url } = await front(upstream.url, { contextLength: 20_000 });
  const body = bodyOf(protocol, longSession(), BODY);
  const { text } = await ask(url, { protocol, body });
  expect(upstream.got).toHaveLength(2);
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => fieldsOf(parsed(data)));
  expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, at) => at));
  const kept = events.flatMap(({ type, output_index: at }) =>
    at === undefined ? [] : [[String(type).split(".").at(-1), at]],
  );
  expect(kept).toEqual([0, 1].flatMap((at) => ["added", "compacting", "done"].map((type) => [type, at])));
});
