import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { MARKER } from "../../../src/core/redaction/mask.ts";
import { redact } from "../../../src/core/redaction/redact.ts";
import { RUNS } from "../../support/cases.ts";
import { createRandom } from "../../support/random.ts";
import { PLANTED, survivors } from "./everywhere.ts";
import { HARMLESS } from "./harmless.ts";
import { ORDINARY } from "./ordinary.ts";
import { TOKENS } from "./planted.ts";

/** Among other lines a few digits of a secret may also stand by chance. */
const UNMISTAKABLE_CHARS = 12;
const PLANTED_MIN = 400;
const SHAPES_MIN = 40;

describe("planted secrets", () => {
  test("are many, of many shapes, everywhere", () => {
    expect(PLANTED.length).toBeGreaterThan(PLANTED_MIN);
    expect(new Set(PLANTED.map(({ shape }) => shape)).size).toBeGreaterThan(SHAPES_MIN);
    expect(PLANTED.map(({ place }) => place)).toEqual(
      expect.arrayContaining(["prose", "code", "JSON", "log", "URL", "YAML", "header", "environment file"]),
    );
  });

  test.each(Object.entries(Object.groupBy(PLANTED, ({ shape }) => shape)))("%s", (_shape, planted = []) => {
    for (const { place, secret, text } of planted) {
      const redacted = redact(text);
      expect(survivors(secret, redacted.text), place).toEqual([]);
      expect(redacted.count, place).toBeGreaterThan(0);
      expect(redacted.kinds.length).toBeGreaterThan(0);
      expect(redact(redacted.text)).toEqual({ text: redacted.text, count: 0, kinds: [] });
    }
  });

  test("leave the rest of their text, and JSON stays JSON", () => {
    for (const { text } of PLANTED.filter((one) => one.text.startsWith("{") && one.text.endsWith("}"))) {
      expect(() => JSON.parse(redact(text).text)).not.toThrow();
    }
    const { text } = redact(`before PASSWORD=${"hunter2"}x9 after`);
    expect(text).toBe(`before PASSWORD=${MARKER} after`);
  });

  test("keep a hint where they are long and made by a machine, none where they are short or chosen", () => {
    const token = TOKENS["GitHub, classic"] as string;
    expect(redact(`x ${token} y`).text).toBe(`x ${token.slice(0, 4)}${MARKER}${token.slice(-4)} y`);
    expect(redact("DB_PASSWORD=correct-horse-battery-staple-9").text).toBe(`DB_PASSWORD=${MARKER}`);
  });
});

test.each([...HARMLESS, ...ORDINARY])("left alone: %s", (text) => {
  expect(redact(text)).toEqual({ text, count: 0, kinds: [] });
});

const pieces = fc.oneof(
  fc.constantFrom(...PLANTED.map(({ text }) => text)),
  fc.constantFrom(...HARMLESS, ...ORDINARY),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(..."\"'`\\:=+<>-%{}[]()@/.,;& \n\t", MARKER, "key", "password", "token=", "https://", "Bearer "),
);

describe("any text", () => {
  test("hides every secret, whatever stands on the lines around it", () => {
    const line = fc.oneof(
      fc.constantFrom(...PLANTED),
      fc.constantFrom(...HARMLESS.map((text) => ({ secret: "", text }))),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 2, maxLength: 8 }), (lines) => {
        const { text } = redact(lines.map((one) => one.text).join("\n"));
        for (const { secret } of lines)
          expect(secret === "" ? [] : survivors(secret, text, UNMISTAKABLE_CHARS)).toEqual([]);
      }),
      { numRuns: RUNS * 2.5 },
    );
  });

  test("redacted twice is redacted once", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.constantFrom("", " ", "\n"), (parts, glue) => {
        const once = redact(parts.join(glue)).text;
        expect(redact(once).text).toBe(once);
      }),
      { numRuns: RUNS * 7.5 },
    );
  });

  test("counts what it masked, and returns the same text where that is nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const redacted = redact(text);
        expect(redacted.count === 0).toBe(redacted.text === text);
      }),
    );
  });
});

const SIZE_CHARS = 100_000;
const PROSE = `The build failed because src/store/sqlite.ts imports a module that is gone; see line 118 of the log.
const result = await run({ retries: 3, timeoutMs: 250 }); // "ok": true, "items": ["a", "b"], total=42
`;

/** Texts made to make a careless pattern look far ahead again and again. */
const HOSTILE: Readonly<Record<string, string>> = {
  "one letter": "a",
  base64: "QUJDREVGR0g1Nmlqa2xtbm9w",
  colons: ":",
  equals: "key=",
  quotes: '"password":"',
  "escaped quotes": '\\"token\\":\\"',
  backslashes: "\\",
  URLs: "://a:",
  "at signs": "://a@",
  "web tokens": "eyJhbGciOiJIUzI1NiJ9.",
  "key headers": `-----BEGIN PRIVATE${" KEY"}-----\n`,
  "key lines": `-----BEGIN PRIVATE${" KEY"}-----${"A".repeat(40)}`,
  pluses: "+1",
  mentions: "<@1",
  schemes: "Bearer ",
  cookies: "Cookie: a=b; ",
  options: "--password ",
  "percent signs": "%3D",
  dashes: "-",
  said: "token is ",
  elements: "<password>a",
  words: "password ",
  "JSON fields": '"token":{"key":"a1",',
  "zero-width spaces": "a\u200b",
  backspaces: "ab\b",
  colours: "\u001b[1m",
  titles: "\u001b]0;a",
  escapes: "\\u0041",
  "deep escapes": '\\\\\\\\"key',
  "tags of characters": "\udb40\udc41",
  forms: "code=1&",
  parts: 'name="password"\\r\\n\\r\\n',
  sets: "set TOKEN ",
  "pairs in strings": '\\\\\\\\"name\\\\\\\\":\\\\\\\\"a\\\\\\\\",\\\\\\\\"value\\\\\\\\":',
  "lines in strings": "\\\\\\\\n value:",
  pairs: "name: token value: ",
  "spaced numbers": "+1 23 ",
  "base64 with slashes": "aB1/",
  "announced words": "token AbcdefGhijkl1mnopqrstu ",
  "one long value": "TOKEN=" + "a1".repeat(500),
};

describe("cost", () => {
  const fill = (unit: string, size = SIZE_CHARS): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
  const time = (text: string): number => {
    const start = performance.now();
    redact(text);
    return performance.now() - start;
  };
  const ROUNDS = 5;
  /** A machine that is busy with other work may be slow several times in a row. */
  const ROUNDS_MAX = 25;
  const fastest = (text: string): number => Math.min(...Array.from({ length: ROUNDS }, () => time(text)));
  /** The first time that is within the bound, or the fastest of all. */
  const fastestTo = (bound: number, text: string): number => {
    let fastestMs = Infinity;
    for (let round = 0; round < ROUNDS_MAX && fastestMs >= bound; round++) fastestMs = Math.min(fastestMs, time(text));
    return fastestMs;
  };
  let ordinaryMs: number;
  beforeAll(() => void (ordinaryMs = fastest(fill(PROSE))));

  test("100,000 unbroken characters take at most three times what ordinary text does", () => {
    const size = 100_000;
    const floor = 0.5;
    for (const unit of ["a", "QUJDREVGR0g1Nmlqa2xtbm9w", "0123456789abcdef", "aB3-_x"]) {
      const bound = 3 * fastest(fill(PROSE, size)) + floor;
      expect(fastestTo(bound, fill(unit, size))).toBeLessThan(bound);
    }
  });

  test.each(Object.entries(HOSTILE))("no catastrophe in a run of %s", (_name, unit) => {
    const bound = 200 * ordinaryMs + 5;
    expect(fastestTo(bound, fill(unit))).toBeLessThan(bound);
  });

  test("no catastrophe in what they make together", () => {
    const random = createRandom(7);
    const units = Object.values(HOSTILE).filter((unit) => unit.length < 40);
    const size = 20_000;
    const bound = 200 * fastest(fill(PROSE, size)) + 20;
    for (let round = 0; round < 60; round++) {
      const unit = Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => random.pick(units)).join("");
      expect(fastestTo(bound, fill(unit, size)), unit).toBeLessThan(bound);
    }
  });
});
