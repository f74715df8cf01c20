/** A key that a client put into a path or a model's name is never shown whole; the names of models and routes are. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { GatewayEvent } from "../../../src/gateway/contract.ts";
import { shownName } from "../../../src/gateway/operation/log.ts";
import { front } from "../support/standing.ts";
import { upstreamOf } from "../support/upstream.ts";

const RUNS = Number(process.env["PRECIS_TEST_RUNS"] ?? 500);
const HEX = "0123456789abcdef";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const keysOf = (signs: string, length: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...signs), { minLength: length, maxLength: length }).map((all) => all.join(""));
/** As a generator of keys makes them, which never repeats one sign for long. */
const KEYS = fc
  .oneof(fc.uuid(), keysOf(HEX, 32), keysOf(BASE62, 32), keysOf(BASE62, 48), keysOf(`${BASE62}-_`, 86))
  .filter((key) => new Set(key).size > 10);

describe("what is shown of a name", () => {
  it("is never a key", () => {
    fc.assert(
      fc.property(
        KEYS,
        fc.constantFrom("", "sk-", "/v1/files/", "/v1/keys/", "gpt-4o:", "accounts/"),
        (key, before) => {
          expect(shownName(before + key)).not.toContain(key.slice(4));
        },
      ),
      { numRuns: RUNS },
    );
  });

  it.each([
    "claude-sonnet-4-5-20250929",
    "anthropic.claude-3-5-sonnet-20241022-v2:0",
    "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5",
    "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M",
    "cognitivecomputations/Dolphin3.0-Mistral-24B",
    "accounts/fireworks/models/qwen3-235b-a22b-instruct-2507",
    "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
    "/upstreams/my-router/v1/messages/count_tokens",
    "/v1/audio/transcriptions",
    "端口",
  ])("is all of %s", (name) => {
    expect(shownName(name)).toBe(name);
  });

  it("has a bounded length", () => {
    expect(shownName("a/".repeat(30_000)).length).toBeLessThan(200);
  });
});

it("a key in a path, a model's name or a notice reaches no listener", async () => {
  const key = "qW7rT2yU9iO4pA6sD1fG8hJ3kL5zX0cV";
  const overflow = `{"error":{"message":"This model's maximum context length is 9000 tokens.","code":"context_length_exceeded"}}`;
  const upstream = await upstreamOf((at) => (at === 1 ? { status: 400, pieces: [overflow] } : { pieces: ["{}"] }));
  const { url, events } = await front(upstream.url, { contextLength: 16_000 });
  await (await fetch(`${url}/v1/keys/${key}`)).arrayBuffer();
  const messages = Array.from({ length: 40 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at}. ${"It says something. ".repeat(30)}`,
  })).concat({ role: "user", content: "Go on." });
  const body = JSON.stringify({ model: key, messages });
  const headers = { "content-type": "application/json" };
  await (await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body })).arrayBuffer();
  const requests = (): readonly GatewayEvent[] => events.filter(({ kind }) => kind === "request");
  await vi.waitFor(() => expect(requests()).toHaveLength(2));
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["compaction", "notice"]));
  expect(JSON.stringify(events)).not.toContain(key);
  expect(JSON.stringify(events)).toContain(key.slice(0, 4));
});
