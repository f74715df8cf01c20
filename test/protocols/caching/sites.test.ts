/** Markers on real bodies: where the Hermes Agent docs put them, and nothing else of the body changed. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planMarkers, type MarkerWishes } from "../../../src/core/caching/breakpoints.ts";
import { checkMarkers } from "../../../provider/src/anthropic/markers.ts";
import type { MarkerLayout } from "../../../src/protocols/definition.ts";
import { conversationMarker, markerSites } from "../../../src/protocols/caching/sites.ts";
import { applyEdits } from "../../../src/protocols/json.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { bodies, RUNS } from "../../support/transcripts.ts";

const DOCUMENTED: MarkerWishes = { strategy: "system_and_3", ttl: "5m", headMessages: 0, systemChanged: false };
const EPHEMERAL = { cache_control: { type: "ephemeral" } };

function marked(protocol: ProtocolName, layout: MarkerLayout, body: string, wishes: Partial<MarkerWishes> = {}) {
  const decoded = protocols[protocol].decode(body);
  const { sites, edits, unplaced } = markerSites(decoded, layout);
  return applyEdits(body, edits(planMarkers(sites, { ...DOCUMENTED, unplaced, ...wishes })));
}

const read = (body: string) => JSON.parse(body) as Readonly<Record<string, readonly unknown[]>>;

describe("a client's own marker on its conversation", () => {
  const text = (ttl?: string) => ({
    type: "text",
    text: 'It is called "cache_control".',
    ...(ttl === undefined ? {} : { cache_control: { type: "ephemeral", ttl } }),
  });
  const markerOf = (messages: readonly unknown[], more: object = {}, protocol: ProtocolName = "anthropic-messages") =>
    conversationMarker(protocols[protocol].decode(JSON.stringify({ model: "claude", messages, ...more })));

  it("is the newest in a message, or one for the whole request", () => {
    const earlier = { role: "user", content: [text("5m")] };
    const result = { type: "tool_result", tool_use_id: "c1", content: [text("1h")] };
    const call = { type: "tool_use", id: "c1", name: "read", input: { cache_control: 1 } };
    const inside = [earlier, { role: "assistant", content: [call] }, { role: "user", content: [result] }];
    expect(markerOf([earlier, { role: "assistant", content: [text()] }])).toBe("5m");
    expect(markerOf(inside)).toBe("1h");
    expect(markerOf([{ role: "user", content: [text()] }], { cache_control: { type: "ephemeral", ttl: "1h" } })).toBe(
      "1h",
    );
  });

  it("is not one on the system prompt alone, which has only that cached", () => {
    const said = { role: "user", content: [text()] };
    expect(markerOf([said], { system: [text("1h")] })).toBeUndefined();
    expect(markerOf([{ role: "system", content: [text("1h")] }, said], {}, "openai-chat")).toBeUndefined();
  });
});

describe("the table of the Hermes Agent docs", () => {
  const native = (messages: unknown, more: object = {}) =>
    read(marked("anthropic-messages", "native", JSON.stringify({ model: "claude", ...more, messages })));
  const chat = (messages: unknown) =>
    read(marked("openai-chat", "openrouter", JSON.stringify({ messages })))["messages"]!;

  it("a string becomes a list of one text with the marker", () => {
    const body = native([{ role: "user", content: "Hello" }], { system: "Be brief." });
    expect(body["system"]).toEqual([{ type: "text", text: "Be brief.", ...EPHEMERAL }]);
    expect(body["messages"]).toEqual([{ role: "user", content: [{ type: "text", text: "Hello", ...EPHEMERAL }] }]);
  });

  it("a list has it on its last element", () => {
    const content = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    expect(native([{ role: "user", content }])["messages"]).toEqual([
      { role: "user", content: [content[0], { ...content[1], ...EPHEMERAL }] },
    ]);
  });

  it("what holds nothing passes it to the nearest block before that can carry it", () => {
    const call = { id: "c1", type: "function", function: { name: "read", arguments: "{}" } };
    const messages = [
      { role: "user", content: "Read it." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "" },
    ];
    expect(chat(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "Read it.", ...EPHEMERAL }] },
      messages[1],
      messages[2],
    ]);
  });

  it("a tool's result carries it on Anthropic's own API, and not through OpenRouter", () => {
    const result = { type: "tool_result", tool_use_id: "c1", content: "1,204 lines" };
    const body = native([
      { role: "user", content: "Read it." },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "read", input: {} }] },
      { role: "user", content: [result] },
    ]);
    expect(body["messages"]![2]).toEqual({ role: "user", content: [{ ...result, ...EPHEMERAL }] });
    const [, , tool] = chat([
      { role: "user", content: "Read it." },
      { role: "assistant", content: "Yes.", tool_calls: [] },
      { role: "tool", tool_call_id: "c1", content: "1,204 lines" },
    ]);
    expect(tool).toEqual({ role: "tool", tool_call_id: "c1", content: "1,204 lines" });
  });

  it("an hour is said, five minutes are not", () => {
    const body = JSON.stringify({ messages: [{ role: "user", content: "Hello" }] });
    expect(marked("anthropic-messages", "native", body, { ttl: "1h" })).toContain(
      '"cache_control":{"type":"ephemeral","ttl":"1h"}',
    );
  });

  it("thinking never carries one", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "x" };
    const content = [{ type: "text", text: "Well." }, thinking];
    expect(native([{ role: "assistant", content }])["messages"]![0]).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Well.", ...EPHEMERAL }, thinking],
    });
  });
});

describe("OpenAI's breakpoints", () => {
  it("stand on parts of the system prompt and of people", () => {
    const input = [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "Read it." }] },
      { type: "function_call", call_id: "c1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "1,204 lines" },
      { role: "user", content: "Go on." },
    ];
    const body = marked("openai-responses", "openai", JSON.stringify({ input }), {
      strategy: "anchors",
      headMessages: 3,
    });
    const breakpoint = { prompt_cache_breakpoint: { mode: "explicit" } };
    expect(read(body)["input"]).toEqual([
      { role: "developer", content: [{ type: "input_text", text: "Be brief.", ...breakpoint }] },
      { role: "user", content: [{ type: "input_text", text: "Read it.", ...breakpoint }] },
      ...input.slice(2),
    ]);
  });
});

it("takes a marker from a message that its client no longer marks, also from inside of a result", () => {
  const old = { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "lines", ...EPHEMERAL }] };
  const call = { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "read", input: {} }] };
  const ask = { role: "user", content: "Read it." };
  const kept = JSON.stringify({ messages: [ask, call, { role: "user", content: [{ ...old, ...EPHEMERAL }] }] });
  const current = protocols["anthropic-messages"].decode(JSON.stringify({ messages: [ask] }));
  const { sites, edits, unplaced } = markerSites(protocols["anthropic-messages"].decode(kept), "native", current);
  expect([sites.filter(({ stale }) => stale === true).length, unplaced]).toEqual([1, ["5m"]]);
  const bare = read(applyEdits(kept, edits(new Map())));
  expect(bare["messages"]![2]).toEqual({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "lines" }] }],
  });
});

it("counts a marker for the whole request", () => {
  const body = JSON.stringify({ cache_control: { type: "ephemeral" }, messages: [{ role: "user", content: "Hello" }] });
  expect(markerSites(protocols["anthropic-messages"].decode(body), "native").unplaced).toEqual(["5m"]);
});

it("is not misled by a tool whose own argument has the marker's name", () => {
  const input = { cache_control: { type: "ephemeral" } };
  const messages = [{ role: "assistant", content: [{ type: "tool_use", id: "c1", name: "set", input }] }];
  const { sites, unplaced } = markerSites(
    protocols["anthropic-messages"].decode(JSON.stringify({ messages })),
    "native",
  );
  expect([sites.filter(({ marker }) => marker !== undefined), unplaced]).toEqual([[], []]);
});

/** Without markers, and with a list of one text as that text. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value)
    .filter(([key]) => key !== "cache_control" && key !== "prompt_cache_breakpoint")
    .map(([key, one]) => [key, key === "content" || key === "system" ? oneText(plain(one)) : plain(one)]);
  return Object.fromEntries(members);
}

function oneText(content: unknown): unknown {
  if (!Array.isArray(content) || content.length !== 1) return content;
  const { type, text, ...rest } = content[0] as Record<string, unknown>;
  const bare = (type === "text" || type === "input_text") && Object.keys(rest).length === 0;
  return bare ? text : content;
}

describe.each([
  ["anthropic-messages", "native"],
  ["openai-chat", "openrouter"],
  ["openai-chat", "openai"],
  ["openai-responses", "openai"],
] as const)("any body of %s with %s markers", (protocol, layout) => {
  it.each(["spaced", "system_and_3", "anchors"] as const)(
    "has no more than four, and is the same without: %s",
    (strategy) => {
      fc.assert(
        fc.property(bodies(protocol, { valid: true, large: false }), ({ text }) => {
          const wishes = { strategy, headMessages: 3 } as const;
          const once = marked(protocol, layout, text, wishes);
          expect(plain(JSON.parse(once))).toEqual(plain(JSON.parse(text)));
          const again = markerSites(protocols[protocol].decode(once), layout);
          const count = again.sites.filter(({ marker }) => marker !== undefined).length + again.unplaced.length;
          const own = markerSites(protocols[protocol].decode(text), layout);
          const set = own.sites.filter(({ marker }) => marker !== undefined).length + own.unplaced.length;
          expect(count).toBeLessThanOrEqual(Math.max(4, set));
          const isRequest = protocol === "anthropic-messages" && text.trim().startsWith("{");
          // A client's own mistakes stay its own.
          if (isRequest && checkMarkers(JSON.parse(text) as Record<string, unknown>) === undefined)
            expect(checkMarkers(JSON.parse(once) as Record<string, unknown>)).toBeUndefined();
          // Marked once, it needs no more.
          if (strategy === "system_and_3") expect(marked(protocol, layout, once, wishes)).toBe(once);
        }),
        { numRuns: Math.ceil(RUNS / 3) },
      );
    },
  );
});

describe("a client's own markers", () => {
  /** Four at most, the hours before the five minutes: what the vendor takes. `top` is the one for the whole request. */
  const own = fc.record({
    places: fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { maxLength: 4 }),
    hours: fc.integer({ min: 0, max: 5 }),
    top: fc.boolean(),
  });
  type Own = typeof own extends fc.Arbitrary<infer One> ? One : never;

  function bodyWith({ places, hours, top }: Own): Readonly<Record<string, unknown>> {
    const order = places.toSorted((one, other) => one - other);
    const marker = (rank: number): object => ({
      cache_control: rank < hours ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" },
    });
    const at = (place: number): object => (order.includes(place) ? marker(order.indexOf(place)) : {});
    const text = (words: string, place: number): object => ({ type: "text", text: words, ...at(place) });
    return {
      model: "claude",
      ...(top ? marker(order.length) : {}),
      tools: [
        { name: "read", input_schema: { type: "object" }, ...at(0) },
        { name: "write", input_schema: { type: "object" }, ...at(1) },
      ],
      system: [text("Be brief.", 2), text("Be right.", 3)],
      messages: [
        { role: "user", content: [text("Read it.", 4)] },
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "read", input: {}, ...at(5) }] },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "c1",
              content: [text("1,204", 6), text("lines", 7)],
              ...at(8),
            },
            text("Go on.", 9),
          ],
        },
      ],
    };
  }

  it.each(["spaced", "system_and_3", "anchors"] as const)(
    "are taken by a strict provider beside ours wherever it takes them alone: %s",
    (strategy) => {
      let taken = 0;
      fc.assert(
        fc.property(own, fc.constantFrom("5m", "1h"), fc.boolean(), (markers, ttl, systemChanged) => {
          const body = bodyWith(markers);
          fc.pre(checkMarkers(body) === undefined);
          taken++;
          const wishes = { strategy, ttl, systemChanged, headMessages: 1 } as const;
          const sent = read(marked("anthropic-messages", "native", JSON.stringify(body), wishes));
          expect(checkMarkers(sent)).toBeUndefined();
          expect(plain(sent)).toEqual(plain(body));
        }),
        { numRuns: RUNS },
      );
      expect(taken).toBe(RUNS);
    },
  );

  it("of an hour for the whole request has markers of an hour beside it", () => {
    const sent = read(
      marked("anthropic-messages", "native", JSON.stringify(bodyWith({ places: [], hours: 1, top: true }))),
    );
    expect(JSON.stringify(sent).match(/"ttl":"1h"/g)!.length).toBeGreaterThan(1);
    expect(JSON.stringify(sent)).not.toContain('{"type":"ephemeral"}');
  });
});
