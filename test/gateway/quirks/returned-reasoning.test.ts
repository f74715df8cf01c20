/** Servers that want back what their model thought: what stays of a compacted conversation keeps it. */
import { describe, expect, it } from "vitest";
import { findRefusal } from "../../../src/cli/compaction/output.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { createSession } from "../../../src/index.ts";
import { ask } from "../support/asking.ts";
import { stand } from "../support/standing.ts";
import { messageOf, served } from "../../../provider/test/asking.ts";

const MODEL = "deepseek-v4-pro";
const STEPS = 16;
type Json = Readonly<Record<string, unknown>>;

const words = (at: number, times: number): string => `step ${at} looks at table ${at} and its columns; `.repeat(times);

/** An agent's loop, each call behind a thought of its own. */
function chat(steps = STEPS): Json {
  const rounds = Array.from({ length: steps }, (_, at): readonly Json[] => [
    {
      role: "assistant",
      content: "",
      reasoning_content: `Thought ${at}: ${words(at, 6)}`,
      tool_calls: [{ id: `call_${at}`, type: "function", function: { name: "read", arguments: `{"n":${at}}` } }],
    },
    { role: "tool", tool_call_id: `call_${at}`, content: words(at, 40) },
  ]);
  return { model: MODEL, messages: [{ role: "user", content: "Go through the tables." }, ...rounds.flat()] };
}

function anthropic(steps = STEPS): Json {
  const rounds = Array.from({ length: steps }, (_, at): readonly Json[] => [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: `Thought ${at}: ${words(at, 6)}`, signature: `0b51d7a2-${at}` },
        { type: "tool_use", id: `toolu_${at}`, name: "read", input: { n: at } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${at}`, content: words(at, 40) }] },
  ]);
  const messages = [{ role: "user", content: "Go through the tables." }, ...rounds.flat()];
  return { model: MODEL, max_tokens: 1_000, messages };
}

const BODIES = { "openai-chat": chat, "anthropic-messages": anthropic } as const;

describe.each(["openai-chat", "anthropic-messages"] as const)("%s", (protocol) => {
  const route = protocol === "openai-chat" ? "chat" : "messages";

  it("is refused by its server without the thought behind a call", async () => {
    const provider = await served();
    const whole = BODIES[protocol](2);
    const [first, second, ...rest] = whole["messages"] as readonly Json[];
    const { reasoning_content: _, ...bare } = second!;
    const content = Array.isArray(bare["content"]) ? { content: bare["content"].slice(1) } : {};
    const without = { ...whole, messages: [first, { ...bare, ...content }, ...rest] };
    expect((await provider.ask(route, whole)).status).toBe(200);
    const refused = await provider.ask(route, without);
    expect([refused.status, messageOf(refused)]).toEqual([400, expect.stringMatching(/must be passed back/)]);
    expect(refusalIn(protocol, without)).toMatch(/must be passed back/);
    expect(refusalIn(protocol, { ...without, thinking: { type: "disabled" } })).toBeUndefined();
    expect(refusalIn(protocol, { ...without, model: "gpt-5.4" })).toBeUndefined();
  });

  it("is taken through the gateway after a compaction", async () => {
    const { provider, url } = await stand({
      provider: { script: { text: "Noted." } },
      gateway: { contextLength: 8_000 },
    });
    for (const steps of [STEPS, STEPS + 1]) {
      const answer = await ask(url, { protocol, body: JSON.stringify(BODIES[protocol](steps)) });
      expect([answer.status, answer.headers.get("x-precis")]).toEqual([200, expect.stringContaining("rewritten")]);
    }
    expect(provider.requests.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it.each([3, 60])("keeps it in the library's result at %s percent", async (share) => {
    const body = JSON.stringify(BODIES[protocol]());
    const session = createSession({ protocol });
    const tokens = createMeasure().transcript(protocols[protocol].decode(body).transcript);
    const { request } = await session.compact(body, { budget: Math.round((tokens * share) / 100) });
    expect(request.length).toBeLessThan(body.length);
    expect(request).toContain("Thought 15");
    expect(refusalIn(protocol, JSON.parse(request) as Json)).toBeUndefined();
  });
});

function refusalIn(protocol: keyof typeof BODIES, body: Json): string | undefined {
  const decoded = protocols[protocol].decode(JSON.stringify(body));
  return findRefusal({ decoded }, protocol, 1_000_000);
}
