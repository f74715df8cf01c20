/** What can be added to redaction or spared by it: code mode, finders from outside, memory, JSON. */
import { describe, expect, test } from "vitest";
import { redactJson, createRedactor, redactorFor } from "../../../src/core/redaction/redactor.ts";
import { MARKER } from "../../../src/core/redaction/mask.ts";
import { redact, type Finder } from "../../../src/core/redaction/redact.ts";
import { PLANTED, survivors } from "./everywhere.ts";
import { HARMLESS } from "./harmless.ts";
import { NAMED, TOKENS } from "./planted.ts";

describe("code mode", () => {
  const code = (text: string): string => redact(text, { code: true }).text;

  test.each([
    'const fixture = { apiKey: "test1234", password: "hunter2" };',
    '{"password":"letmeinplease"}',
    'connect(user="ida", password="s3cret!")',
    "<password>swordfish9</password>",
    "password: tr0ub4dor",
  ])("spares what a program assigns: %s", (text) => {
    expect(code(text)).toBe(text);
    expect(redact(text).count).toBeGreaterThan(0);
  });

  test("hides tokens, what a machine made, headers, addresses, keys and environments all the same", () => {
    for (const { secret, text } of PLANTED.filter(({ shape }) => shape in TOKENS))
      expect(survivors(secret, code(text)), text).toEqual([]);
    const kept = [
      "environment",
      "Authorization",
      "PEM",
      "PostgreSQL",
      "MySQL",
      "URL",
      "cookie",
      "option",
      "form",
      "AWS",
    ];
    const named = NAMED.filter(([shape]) => kept.some((start) => shape.startsWith(start)));
    expect(named.length).toBeGreaterThan(25);
    for (const [, secret, text] of named) expect(survivors(secret, code(text)), text).toEqual([]);
  });

  test("masks nothing that is left alone otherwise", () => {
    for (const text of HARMLESS) expect(code(text)).toBe(text);
  });
});

describe("finders", () => {
  const find =
    (pattern: RegExp): Finder =>
    (text) =>
      Array.from(text.matchAll(pattern), ({ 0: match, index }) => ({
        start: index,
        end: index + match.length,
        kind: "badge",
      }));
  const badges = find(/badge \d+/g);

  test("mask what they find, whole and without a hint", () => {
    expect(redact("his badge 123456789012345678901234, hers", { finders: [badges] })).toEqual({
      text: `his ${MARKER}, hers`,
      count: 1,
      kinds: ["badge"],
    });
  });

  test("look at a text as it displays, too", () => {
    expect(redact("bad\u200bge 1\u001b[1m2", { finders: [badges] }).text).toBe(MARKER);
  });

  test("may overlap one another and our own rules, and mask no mask", () => {
    const finders = [badges, find(/\d+ and/g), find(/\w+/g), find(/redacted|\[r|d\]/g)];
    const text = `badge 12 and PASSWORD=${"hunter2"}9 and more`;
    const once = redact(text, { finders }).text;
    expect(once).not.toMatch(/badge|hunter|more|and/);
    expect(redact(once, { finders }).text).toBe(once);
    expect(once.replaceAll(MARKER, "")).not.toMatch(/\w/);
  });
});

describe("a redactor", () => {
  test("answers as redact does, the first time and every other time", () => {
    const redactor = createRedactor();
    for (const { text } of PLANTED.slice(0, 200)) {
      expect(redactor(text)).toBe(redact(text).text);
      expect(redactor(text)).toBe(redact(text).text);
    }
  });

  test("is one for each set of options", () => {
    const options = { code: true };
    expect(redactorFor()).toBe(redactorFor());
    expect(redactorFor(options)).toBe(redactorFor(options));
    expect(redactorFor(options)).not.toBe(redactorFor());
    expect(redactorFor(options)('{"password":"hunter22"}')).toBe('{"password":"hunter22"}');
  });
});

describe("JSON", () => {
  test("stays JSON, whatever a rule masks", () => {
    const quotes = createRedactor({
      finders: [(text) => [{ start: 0, end: Math.min(3, text.length), kind: "start" }]],
    });
    const text = JSON.stringify({ a: ["secret one", { b: 'x"y' }], n: 12, none: null });
    const safe = JSON.parse(redactJson(text, quotes)) as object;
    expect(safe).toEqual({ a: [`${MARKER}ret one`, { b: MARKER }], n: 12, none: null });
  });

  test("that was none is text", () => {
    expect(redactJson("PASSWORD=hunter2x rest", createRedactor())).toBe(`PASSWORD=${MARKER} rest`);
  });
});
