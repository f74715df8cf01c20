/**
 * Cache markers beside those of the client: whatever mix of lifetimes it sets, what the gateway adds is never the reason
 * why a strict provider refuses a request, before a compaction, with it and after it.
 */
import { describe, expect, it } from "vitest";
import type { Transcript } from "../../src/core/transcript/message.ts";
import { checkMarkers } from "../../provider/src/anthropic/markers.ts";
import { ask, bodyOf, worked } from "./support/asking.ts";
import { stand } from "./support/standing.ts";

type Marker = "5m" | "1h" | undefined;

interface Marking {
  readonly top?: Marker;
  readonly tool?: Marker;
  readonly system?: Marker;
  /** On the first message, and on the newest one's last block. */
  readonly first?: Marker;
  readonly newest?: Marker;
  /** Inside of the newest result. */
  readonly inside?: Marker;
}

interface Wire {
  system: unknown;
  readonly messages: { role: string; content: unknown }[];
}

const FULL = Number(process.env["PRECIS_TEST_RUNS"] ?? 0) > 1_000;
const LIFETIMES: readonly Marker[] = [undefined, "5m", "1h"];
const WINDOW_TOKENS = 12_000;
const TOOL = { name: "read", input_schema: { type: "object", properties: {} } };

const markerOf = (marker: Marker): object =>
  marker === undefined ? {} : { cache_control: { type: "ephemeral", ...(marker === "1h" ? { ttl: "1h" } : {}) } };

function marked(transcript: Transcript, { top, tool, system, first, newest, inside }: Marking): object {
  const body = JSON.parse(bodyOf("anthropic-messages", transcript)) as Wire;
  const { messages } = body;
  const text = typeof body.system === "string" ? body.system : "You read files and say what you found.";
  const last = messages.at(-1)!.content as Record<string, unknown>[];
  const end = last.at(-1)!;
  const result = typeof end["content"] === "string" ? [{ type: "text", text: end["content"] }] : end["content"];
  const within = (result as object[]).map((one, at) => (at === 0 ? { ...one, ...markerOf(inside) } : one));
  const asked = messages[0]!.content;
  const words = typeof asked === "string" ? [{ type: "text", text: asked }] : (asked as object[]);
  return {
    ...body,
    ...markerOf(top),
    tools: [{ ...TOOL, ...markerOf(tool) }],
    system: [{ type: "text", text, ...markerOf(system) }],
    messages: [
      { role: "user", content: words.map((one) => ({ ...one, ...markerOf(first) })) },
      ...messages.slice(1, -1),
      {
        role: "user",
        content: [...last.slice(0, -1), { ...end, content: within, ...markerOf(newest) }],
      },
    ],
  };
}

/** Every mix that the provider takes from the client alone. */
function mixes(): readonly Marking[] {
  const found: Marking[] = [];
  for (const top of LIFETIMES)
    for (const tool of LIFETIMES)
      for (const system of LIFETIMES)
        for (const first of LIFETIMES)
          for (const newest of LIFETIMES)
            for (const inside of LIFETIMES) found.push({ top, tool, system, first, newest, inside });
  const one = worked("mix", 1, 5);
  return found.filter((marking) => checkMarkers(marked(one, marking) as Record<string, unknown>) === undefined);
}

/** A short run deals the mixes out, so that both strategies meet each of them, with one lifetime or the other. */
describe.each([
  ["spaced", "5m", 0],
  ["spaced", "1h", 1],
  ["system_and_3", "5m", 1],
  ["system_and_3", "1h", 0],
] as const)("strategy %s, cache_ttl %s", (strategy, ttl, turn) => {
  it("adds nothing that a strict provider refuses", { timeout: 120_000 }, async () => {
    const { provider, url } = await stand({
      provider: { script: { text: "Done." }, limits: { recordedRequests: 4, recordedBytes: 0 } },
      gateway: { contextLength: WINDOW_TOKENS, caching: { strategy, ttl } },
    });
    const all = mixes().filter((_, at) => FULL || at % 2 === turn);
    expect(all.length).toBeGreaterThan(100);
    const refused: unknown[] = [];
    for (const [index, marking] of all.entries()) {
      // Beneath the threshold, at a compaction, and behind it.
      for (const steps of [2, 14, 16]) {
        const body = JSON.stringify(marked(worked(`mix ${index}`, steps, 200), marking));
        const told = await ask(url, { protocol: "anthropic-messages", body });
        if (told.status !== 200) refused.push([marking, steps, told.text]);
      }
    }
    expect(refused).toEqual([]);
    expect(provider.account().total.rejected).toEqual({});
  });
});

it("old markers of the client, in messages that only a compaction still holds, are taken off with prompt caching off too", async () => {
  const { provider, url } = await stand({
    provider: { script: { text: "Done." } },
    gateway: { contextLength: WINDOW_TOKENS, caching: { enabled: false } },
  });
  for (let steps = 2; steps <= 40; steps++) {
    const marking: Marking = steps % 2 === 0 ? { first: "5m", newest: "5m" } : { tool: "1h", newest: "1h" };
    const body = JSON.stringify(marked(worked("moving", steps, 200), marking));
    const told = await ask(url, { protocol: "anthropic-messages", body });
    expect([steps, told.status, told.status === 200 ? "" : told.text]).toEqual([steps, 200, ""]);
  }
  expect(provider.account().total.rejected).toEqual({});
});

it.each([true, false])("an hour for the whole request is taken, prompt caching on: %s", async (enabled) => {
  const { provider, url } = await stand({
    provider: { script: { text: "Done." } },
    gateway: { contextLength: WINDOW_TOKENS, caching: { enabled } },
  });
  for (const steps of [2, 14, 16, 18, 30]) {
    const body = JSON.stringify(marked(worked("hour", steps, 200), { top: "1h" }));
    expect((await ask(url, { protocol: "anthropic-messages", body })).status).toBe(200);
  }
  expect(provider.account().total.rejected).toEqual({});
});
