/** What is added to the core's rules: secretlint's preset, and a person's own patterns. */
import { describe, expect, test } from "vitest";
import { MARKER } from "../../src/core/redaction/mask.ts";
import { redact } from "../../src/core/redaction/redact.ts";
import { createPatternFinder, PATTERN_CHARS_MAX, patternProblems, PATTERNS_MAX } from "../../src/secrets/patterns.ts";
import { createRedactor, loadSecretRules, logLine } from "../../src/secrets/index.ts";
import { createSecretlintFinder } from "../../src/secrets/secretlint.ts";
import { PLANTED, survivors } from "../core/redaction/everywhere.ts";
import { HARMLESS } from "../core/redaction/harmless.ts";
import { TOKENS } from "../core/redaction/planted.ts";
import { processorMs } from "../support/linear.ts";

const secretlint = createSecretlintFinder();
const rules = await loadSecretRules();

describe("secretlint's preset", () => {
  const token = TOKENS["GitHub, classic"]!;

  test("finds a token by its place, at once and without a file", () => {
    const text = `use ${token} here`;
    expect(secretlint(text)).toEqual([
      { start: 4, end: 4 + token.length, kind: expect.stringContaining("GITHUB_TOKEN") },
    ]);
    expect(secretlint(text)).toHaveLength(1);
    expect(secretlint("nothing to see here")).toEqual([]);
  });

  test("takes no orders from the text", () => {
    const text = `/* secretlint-disable */\n${token}\n// secretlint-disable-line`;
    expect(secretlint(text)).toHaveLength(1);
  });

  test("finds nothing that our own rules leave of what was planted", () => {
    for (const { shape, text } of PLANTED) expect([shape, secretlint(redact(text).text)]).toEqual([shape, []]);
  });

  test("leaves alone what is harmless", () => {
    for (const text of HARMLESS) expect(redact(text, rules)).toEqual({ text, count: 0, kinds: [] });
  });
});

describe("the cost of secretlint's preset", () => {
  const SIZE_CHARS = 100_000;
  const SHORT_CHARS = 8;
  /** As often as this the fastest of it is seen, whatever else the machine does. */
  const TIMES = 7;
  const fastest = (text: string): number => {
    const times = Array.from({ length: TIMES }, () => {
      const start = performance.now();
      secretlint(text);
      return performance.now() - start;
    });
    return Math.min(...times);
  };
  const runsOf = (unit: string, length: number): string =>
    `${unit.repeat(length)} `.repeat(SIZE_CHARS / (unit.length * length + 1));

  // Twenty-five times as long a run costs as much a character, not twenty-five times as much.
  test.each([":", "::", "a:", ":a", "://", "a=:"])("does not grow with the length of a run of %s", (unit) => {
    expect(fastest(runsOf(unit, SHORT_CHARS * 25))).toBeLessThan(5 * fastest(runsOf(unit, SHORT_CHARS)) + 1);
  });

  test("still leads to an address with a password, however many signs stand before it", () => {
    const text = `${"::".repeat(500)} postgres://ida:s3cretPassw0rd@db.example.com/x`;
    expect(secretlint(text)).toHaveLength(1);
  });
});

describe("own patterns", () => {
  const masked = (text: string, ...patterns: string[]): string =>
    redact(text, { finders: [createPatternFinder(patterns)] }).text;

  test("mask what they match; where there is a group, what the first group matches", () => {
    expect(masked("badge 1234 of Ida", "badge \\d+", "Ida")).toBe(`${MARKER} of ${MARKER}`);
    expect(masked("badge 1234 of Ida", "badge (\\d+)")).toBe(`badge ${MARKER} of Ida`);
    expect(masked("élan 😀 badge 12", "(?i)BADGE (\\d+)")).toBe(`élan 😀 badge ${MARKER}`);
  });

  test("are linear, whatever the pattern", () => {
    const time = (pattern: string, chars: number): number => {
      const find = createPatternFinder([pattern]);
      const text = `${"a".repeat(chars)}!`;
      find(text);
      return processorMs(() => find(text));
    };
    for (const pattern of ["(a+)+$", "(a|aa)+$", "(a*)*b", "(.*a){12}b"])
      expect(time(pattern, 40_000), pattern).toBeLessThan(30 * time(pattern, 4_000) + 50);
  });

  test.each([
    ["(abc", "missing closing", "/Syntax"],
    ["a(?=b)", "(?=", "no look-around"],
    ["(?<!x)y", "(?<", "no look-around"],
    ["(a)\\1", "\\1", "no back-references"],
    ["x*", "empty text", "required"],
    ["", "empty text", "required"],
    ["x{2000}", "repeat count", "/Syntax"],
    ["a".repeat(PATTERN_CHARS_MAX + 1), "513 characters", "Split"],
  ])("that cannot be used are told with what to do: %s", (pattern, message, fix) => {
    const [problem] = patternProblems(["fine", pattern]);
    expect(problem).toMatchObject({ index: 1, message: expect.stringContaining(message) });
    expect(problem!.fix).toContain(fix);
    expect(() => createPatternFinder([pattern])).toThrow(message);
  });

  test("are counted", () => {
    expect(patternProblems(Array.from({ length: PATTERNS_MAX }, () => "a"))).toEqual([]);
    expect(patternProblems(Array.from({ length: PATTERNS_MAX + 1 }, () => "a"))[0]!.message).toContain("33 patterns");
  });
});

describe("all rules together", () => {
  test("hide what our own hide, and say the same a second time", async () => {
    const redactor = createRedactor(await loadSecretRules({ patterns: ["ACME-\\d{4}"] }));
    for (const { place, secret, text } of PLANTED) {
      const once = redactor(`${text} ACME-1234`);
      expect(survivors(secret, once), `${place}: ${text}`).toEqual([]);
      expect(once).not.toContain("ACME");
      expect(redactor(once)).toBe(once);
    }
  });

  test("write a log line that is JSON and holds no secret", () => {
    const redactor = createRedactor(rules);
    for (const { shape, secret, text } of PLANTED) {
      const line = logLine({ level: "warn", shape, headers: { "user-agent": "x" }, text }, redactor);
      expect(survivors(secret, line), line).toEqual([]);
      expect(JSON.parse(line)).toMatchObject({ level: "warn", headers: { "user-agent": "x" } });
      expect(line).not.toContain("\n");
    }
    expect(logLine({ headers: { authorization: "Bearer abc123def456ghi789" } }, redactor)).not.toContain("def456");
    expect(logLine({ password: "hunter2x" }, redactor)).toBe(`{"password":"${MARKER}"}`);
    expect(logLine(undefined, redactor)).toBe("null");
  });
});
