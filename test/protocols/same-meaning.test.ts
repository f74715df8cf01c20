/** When two texts of a message mean the same: over generated messages, written again and changed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { protocols } from "../../src/protocols/index.ts";
import { definitions } from "../../src/protocols/registry.ts";
import { meansTheSame, withoutCacheMarkers } from "../../src/protocols/same-meaning.ts";
import { bodies, RUNS, WIRE_NAMES } from "../support/transcripts.ts";
import { retyped } from "../gateway/support/retyping.ts";

const anthropic = (one: unknown, other: unknown): boolean =>
  meansTheSame(JSON.stringify(one), JSON.stringify(other), { textBlock: "text" });

describe.each(WIRE_NAMES)("%s", (protocol) => {
  const { textBlock } = definitions[protocol];
  const elements = bodies(protocol).map(({ text }) => {
    const { body, layout } = protocols[protocol].decode(text);
    return layout.elements.map(({ start, end }) => body.slice(start, end)).filter(isExact);
  });

  it("is the same for a message that is written again", () => {
    fc.assert(
      fc.property(elements, (messages) => {
        for (const message of messages) {
          const again = JSON.stringify(retyped(JSON.parse(message), textBlock));
          expect([message, again, meansTheSame(message, again, { textBlock })]).toEqual([message, again, true]);
        }
      }),
      { numRuns: Math.min(RUNS, 200) },
    );
  });

  it("is another for a message of which any value is changed, left out or added", () => {
    fc.assert(
      fc.property(elements, fc.nat(), (messages, seed) => {
        for (const message of messages) {
          const changed = changedSomewhere(JSON.parse(message), seed);
          if (changed === undefined) continue;
          expect([message, changed, meansTheSame(message, changed, { textBlock })]).toEqual([message, changed, false]);
        }
      }),
      { numRuns: Math.min(RUNS, 200) },
    );
  });
});

describe("a message", () => {
  const call = (input: unknown) => ({ role: "assistant", content: [{ type: "tool_use", id: "a", name: "b", input }] });

  it("may lose and gain cache markers on its blocks, and nowhere else", () => {
    const block = { type: "text", text: "Go on." };
    const marker = { cache_control: { type: "ephemeral" } };
    const marked = { role: "user", content: [{ ...block, ...marker }] };
    expect(anthropic(marked, { role: "user", content: "Go on." })).toBe(true);
    expect(withoutCacheMarkers(JSON.stringify(marked))).toBe(JSON.stringify({ role: "user", content: [block] }));
    expect(anthropic(call({ path: "a", ...marker }), call({ path: "a" }))).toBe(false);
    expect(withoutCacheMarkers(JSON.stringify(call(marker)))).toBe(JSON.stringify(call(marker)));
  });

  it("has the numbers that it is written with", () => {
    const raw = (number: string): string => JSON.stringify(call({ n: 0 })).replace('"n":0', `"n":${number}`);
    expect(meansTheSame(raw("12345678901234567890"), raw("12345678901234567891"), { textBlock: "text" })).toBe(false);
    expect(meansTheSame(raw("1.0"), raw("1"), { textBlock: "text" })).toBe(false);
  });

  it("may lose the white space at the end of what was said, but not as the last message, and nowhere else", () => {
    const said = (role: string, text: string) => JSON.stringify({ role, content: text });
    for (const role of ["user", "assistant"]) {
      const [before, after] = [said(role, "Go on. \n\n"), said(role, "Go on.")];
      expect(meansTheSame(before, after, { textBlock: "text" })).toBe(true);
      expect(meansTheSame(before, after, { textBlock: "text", isLast: true })).toBe(false);
      expect(meansTheSame(said(role, " Go on."), after, { textBlock: "text" })).toBe(false);
    }
    expect(meansTheSame(said("tool", "a "), said("tool", "a"), { textBlock: "text" })).toBe(false);
    expect(anthropic(call({ path: "a " }), call({ path: "a" }))).toBe(false);
    const result = (content: string) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content }],
    });
    expect(anthropic(result("line\n"), result("line"))).toBe(false);
    const calling = (text: string) => ({ role: "assistant", content: [{ type: "text", text }, ...call({}).content] });
    expect(anthropic(calling("I look.\n"), calling("I look."))).toBe(true);
    const gemini = (...texts: readonly string[]) =>
      JSON.stringify({ role: "model", parts: texts.map((text) => ({ text })) });
    expect(meansTheSame(gemini("a", "b "), gemini("a", "b"), { textBlock: "text" })).toBe(true);
    expect(meansTheSame(gemini("a ", "b"), gemini("a", "b"), { textBlock: "text" })).toBe(false);
  });

  it("is another with another signature of its thinking", () => {
    const thought = (signature: string) => ({
      role: "assistant",
      content: [{ type: "thinking", thinking: "", signature }],
    });
    expect(anthropic(thought("a"), thought("b"))).toBe(false);
  });
});

/** Its numbers come out of a parser as they were written, so that what is made of it differs in nothing else. */
function isExact(message: string): boolean {
  const numbers = message.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return (
    numbers.every((number) => String(Number(number)) === number && Number.isSafeInteger(Math.trunc(Number(number)))) &&
    !/\d{16}/.test(message)
  );
}

/** One value below the message, by the seed: another text, another number, or one member fewer. */
function changedSomewhere(message: unknown, seed: number): string | undefined {
  const places: (() => void)[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const holder = value as Record<string, unknown>;
      if (key === "cache_control" || key === "prompt_cache_breakpoint") continue;
      if (typeof inner === "string") places.push(() => void (holder[key] = `${inner}.`));
      else if (typeof inner === "number") places.push(() => void (holder[key] = inner + 1));
      else if (typeof inner === "boolean") places.push(() => void (holder[key] = !inner));
      walk(inner);
    }
  };
  walk(message);
  const place = places[seed % Math.max(1, places.length)];
  place?.();
  return place === undefined ? undefined : JSON.stringify(message);
}
