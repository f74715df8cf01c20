/** The model of providers' caches by example; that it agrees with a provider's account is shown by every replay. */
import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  AUTOMATIC,
  BREAKPOINTS,
  createPrefixCache,
  MARKED,
  type CachePrompt,
  type PromptBlock,
} from "./support/prompt-cache/prefix-cache.ts";

const MINUTE_MS = 60_000;
const sha = (text: string): string => hash("sha256", text);

/** `a2 b3*`: blocks of that many thousand tokens; `*` marks one for five minutes, `+` for an hour, `.` ends a message. */
function prompt(text: string, messageSettings = ""): CachePrompt {
  const blocks = text.split(" ").map((word): PromptBlock => {
    const [, name = "", size = "", signs = ""] = /^([a-z]+)(\d+)(.*)$/.exec(word)!;
    const marker = signs.includes("*") ? "5m" : signs.includes("+") ? "1h" : undefined;
    return {
      section: name.startsWith("s") ? "system" : "messages",
      text: name,
      tokens: Number(size) * 1_000,
      ...(marker === undefined ? {} : { marker }),
      ...(signs.includes(".") ? { ends: true as const } : {}),
    };
  });
  return { blocks, messageSettings };
}

describe("where the request marks it", () => {
  it("writes up to the last marker, and reads what an earlier one wrote", () => {
    const cache = createPrefixCache(sha);
    expect(cache.ask(prompt("s4* a2 b3*"), MARKED, 0)).toMatchObject({ input: 9_000, read: 0, write5m: 9_000 });
    expect(cache.ask(prompt("s4* a2 b3 c1*"), MARKED, MINUTE_MS)).toMatchObject({ read: 9_000, write5m: 1_000 });
    expect(cache.ask(prompt("s4* x2 c1*"), MARKED, MINUTE_MS)).toMatchObject({ read: 4_000, write5m: 3_000 });
  });

  it("forgets after five minutes without being read, and after an hour", () => {
    const cache = createPrefixCache(sha);
    cache.ask(prompt("s4+ a2*"), MARKED, 0);
    expect(cache.ask(prompt("s4+ a2*"), MARKED, 4 * MINUTE_MS)).toMatchObject({ read: 6_000 });
    expect(cache.ask(prompt("s4+ a2*"), MARKED, 8 * MINUTE_MS)).toMatchObject({ read: 6_000 });
    expect(cache.ask(prompt("s4+ a2*"), MARKED, 20 * MINUTE_MS)).toMatchObject({ read: 4_000, write5m: 2_000 });
    expect(cache.ask(prompt("s4+ a2*"), MARKED, 90 * MINUTE_MS)).toMatchObject({ read: 0, write1h: 4_000 });
  });

  it("looks back over twenty blocks and no further", () => {
    const cache = createPrefixCache(sha);
    const more = (count: number): string =>
      Array.from({ length: count }, (_, at) => `m${at}`.replace(/\d+/, "") + `${1}`).join(" ");
    cache.ask(prompt("s4*"), MARKED, 0);
    expect(cache.ask(prompt(`s4 ${more(18)} z1*`), MARKED, 0).read).toBe(4_000);
    expect(cache.ask(prompt(`s4 ${more(25)} y1*`), MARKED, 0).read).toBe(0);
  });

  it("does nothing below the minimum", () => {
    const cache = createPrefixCache(sha);
    const small = { ...MARKED, minimumTokens: 5_000 };
    expect(cache.ask(prompt("s4*"), small, 0)).toMatchObject({ read: 0, write5m: 0 });
    expect(cache.ask(prompt("s4*"), small, 0)).toMatchObject({ read: 0, write5m: 0 });
  });

  it("finds the messages only under the same settings, the system prompt under any", () => {
    const cache = createPrefixCache(sha);
    cache.ask(prompt("s4* a2*", "thinking"), MARKED, 0);
    expect(cache.ask(prompt("s4* a2*", ""), MARKED, 0).read).toBe(4_000);
  });
});

describe("by itself", () => {
  it("reads any prefix it has seen, in steps", () => {
    const cache = createPrefixCache(sha);
    expect(cache.ask(prompt("s4 a2 b3"), AUTOMATIC, 0)).toMatchObject({ read: 0, write: 0 });
    expect(cache.ask(prompt("s4 a2 x3"), AUTOMATIC, 0).read).toBe(6_000 - (6_000 % 128));
    expect(cache.ask(prompt("s4 a2 x3"), AUTOMATIC, 6 * MINUTE_MS).read).toBe(0);
  });
});

describe("at breakpoints", () => {
  it("writes the end of a request by itself, and what is marked", () => {
    const cache = createPrefixCache(sha);
    expect(cache.ask(prompt("s4. a2. b3."), BREAKPOINTS, 0)).toMatchObject({ read: 0, write: 9_000 });
    expect(cache.ask(prompt("s4. a2. b3. c1."), BREAKPOINTS, 0)).toMatchObject({ read: 9_000, write: 1_000 });
    expect(cache.ask(prompt("s4. a2. x1."), BREAKPOINTS, 0)).toMatchObject({ read: 0, write: 7_000 });
    const marked = createPrefixCache(sha);
    marked.ask(prompt("s4*. a2. b3."), BREAKPOINTS, 0);
    expect(marked.ask(prompt("s4*. y1."), BREAKPOINTS, 0)).toMatchObject({ read: 4_000, write: 1_000 });
  });

  it("caches nothing in explicit mode without one", () => {
    const cache = createPrefixCache(sha);
    const explicit = { ...BREAKPOINTS, explicit: true };
    cache.ask(prompt("s4. a2."), explicit, 0);
    expect(cache.ask(prompt("s4. a2."), explicit, 0)).toMatchObject({ read: 0, write: 0 });
  });
});
