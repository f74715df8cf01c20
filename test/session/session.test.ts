import { describe, expect, it } from "vitest";
import { createSession } from "../../src/index.ts";
import { filler } from "../support/compacting.ts";

const call = (at: number) => ({
  id: `call_${at}`,
  type: "function",
  function: { name: "read_file", arguments: JSON.stringify({ path: `src/part_${at}.ts` }) },
});
const turns = (count: number) =>
  Array.from({ length: count }, (_, at) => [
    { role: "assistant", content: null, tool_calls: [call(at)] },
    { role: "tool", tool_call_id: `call_${at}`, content: filler(1_500, `part${at}`) },
  ]).flat();
const chat = (count: number) => ({
  model: "gpt-5.6",
  temperature: 0.3,
  messages: [
    { role: "system", content: "You tidy modules." },
    { role: "user", content: "Tidy. Never touch src/public.ts." },
    ...turns(count),
  ],
});
const session = () => createSession({ settings: { contextLength: 40_000 } });

describe("a session over requests in a provider's shape", () => {
  it("hands an untouched request back as the very value that came in", async () => {
    const request = chat(2);
    expect((await session().prepare(request)).request).toBe(request);
  });

  it("answers an object with an object, an array with an array, a text with a text", async () => {
    const request = chat(16);
    const body = await session().prepare(request);
    expect(body.request).toMatchObject({ model: "gpt-5.6", temperature: 0.3 });
    expect(body.request.messages.length).toBeLessThan(request.messages.length);
    const list = await session().prepare(request.messages);
    expect(list.request).toEqual(body.request.messages);
    const text = await session().prepare(JSON.stringify(request));
    expect(JSON.parse(text.request)).toEqual(body.request);
  });

  it("keeps the bytes of every message it did not touch", async () => {
    const odd = '{"role":"user","content":"caf\\u00e9", "n": 12345678901234567890}';
    const text = JSON.stringify(chat(16)).replace(/\]\}$/, `,${odd}]}`);
    const { request, compaction } = await session().prepare(text);
    expect(compaction).toBeDefined();
    expect(request).toContain(odd);
  });

  it("leaves a request alone whose history the provider holds", async () => {
    const held = { model: "m", previous_response_id: "resp_1", input: [{ role: "user", content: filler(40_000) }] };
    const one = createSession({ protocol: "openai-responses", settings: { contextLength: 40_000 } });
    expect((await one.prepare(held)).request).toBe(held);
    expect(await one.compact(held)).toMatchObject({ kind: "unchanged", request: held });
    expect(await one.recover({ status: 413, body: "" }, held)).toBeUndefined();
  });

  it("says what is wrong with a request that no protocol describes", async () => {
    await expect(session().prepare("{]")).rejects.toMatchObject({ code: "body_not_json" });
    await expect(session().prepare({ prompt: "hi" } as object)).rejects.toMatchObject({
      code: "body_without_messages",
    });
    const circular: { messages: unknown[] } = { messages: [] };
    circular.messages.push(circular);
    for (const odd of [undefined, () => 1, circular, { messages: [10n] }])
      await expect(session().prepare(odd as object)).rejects.toMatchObject({ code: "body_not_json" });
  });

  it("refuses an engine that nobody knows, and names those it knows", () => {
    expect(() => createSession({ engine: "magic" })).toThrow(expect.objectContaining({ code: "unknown_engine" }));
  });
});
