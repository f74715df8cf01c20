/** Markers from the library's door: on what is sent, never on what the host keeps, and never a fifth. */
import { describe, expect, it } from "vitest";
import { createSession, type SessionCaching } from "../../src/index.ts";

interface Block {
  readonly type: string;
  readonly cache_control?: object;
  readonly prompt_cache_breakpoint?: object;
}

interface Body {
  readonly [field: string]: unknown;
  readonly system?: readonly Block[] | string;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] | string }[];
  readonly prompt_cache_key?: string;
}

function request(turns: number, words = 0): Body {
  const messages = Array.from({ length: turns }, (_, at) => [
    { role: "user", content: `Question ${at}?` },
    { role: "assistant", content: `Answer ${at}.${" word".repeat(words)}` },
  ]).flat();
  return { model: "m", system: "Be brief.", messages: [...messages, { role: "user", content: "And now?" }] };
}

const markers = (body: unknown): number =>
  JSON.stringify(body).match(/"cache_control"|"prompt_cache_breakpoint"/g)?.length ?? 0;

async function prepared(caching: SessionCaching | undefined, body: Body, protocol = "anthropic-messages" as const) {
  const session = createSession({ protocol, ...(caching === undefined ? {} : { caching }) });
  return (await session.prepare(body)).request;
}

describe("a session with caching", () => {
  it("marks the system prompt, the end, the head and the end of the request before", async () => {
    const given = request(4);
    const kept = structuredClone(given);
    const sent = await prepared({ layout: "native" }, given);
    expect(sent.system).toEqual([{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }]);
    expect(sent.messages.at(-1)!.content).toEqual([
      { type: "text", text: "And now?", cache_control: { type: "ephemeral" } },
    ]);
    expect(markers(sent)).toBe(4);
    expect(given).toEqual(kept);
  });

  it("marks the last three messages where that is asked for, for an hour too", async () => {
    const sent = await prepared({ layout: "native", strategy: "system_and_3", ttl: "1h" }, request(4));
    const marked = sent.messages.map(({ content }) => markers(content));
    expect(marked).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1]);
    expect(sent.messages.at(-1)!.content).toEqual([
      { type: "text", text: "And now?", cache_control: { type: "ephemeral", ttl: "1h" } },
    ]);
  });

  it("leaves a request alone where nobody asks for markers", async () => {
    const given = request(4);
    expect(await prepared(undefined, given)).toBe(given);
  });

  it("names the conversation for OpenAI, the same for all its requests", async () => {
    const session = createSession({ protocol: "openai-chat", caching: { layout: "openai" } });
    const keys: (string | undefined)[] = [];
    for (const turns of [1, 2, 3]) {
      const { messages } = request(turns);
      keys.push((await session.prepare({ model: "m", messages })).request["prompt_cache_key" as never]);
    }
    expect(keys[0]).toMatch(/^precis-[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
    const own = { model: "m", prompt_cache_key: "mine", messages: request(2).messages };
    expect((await session.prepare(own)).request.prompt_cache_key).toBe("mine");
  });

  it("keeps its markers to four through compactions", async () => {
    const session = createSession({
      protocol: "anthropic-messages",
      settings: { contextLength: 6_000 },
      caching: { layout: "native" },
    });
    let compacted = 0;
    for (let turns = 1; turns < 120; turns++) {
      const { request: sent, compaction } = await session.prepare(request(turns, 60));
      expect(markers(sent)).toBeLessThanOrEqual(4);
      compacted += compaction === undefined ? 0 : 1;
    }
    expect(compacted).toBeGreaterThan(0);
  });
});
