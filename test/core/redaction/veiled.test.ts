/** Secrets cut in two by what nobody sees, and secrets that are spelled out: hidden as they display. */
import { describe, expect, it, test } from "vitest";
import { redact } from "../../../src/core/redaction/redact.ts";
import { expectLinear } from "../../support/linear.ts";
import { survivors } from "./everywhere.ts";
import { NAMED, TOKENS } from "./planted.ts";

/** What may be inside a secret and not show. */
const UNSEEN: Readonly<Record<string, string>> = {
  "zero-width space": "\u200b",
  "zero-width joiner": "\u200d",
  "word joiner": "\u2060",
  "byte order mark": "\ufeff",
  "soft hyphen": "\u00ad",
  "mark of direction": "\u202e",
  "variation selector": "\ufe0f",
  tag: "\udb40\udc41",
  NUL: "\0",
  backspace: "\b",
  "character and backspace": "q\b",
  delete: "\u007f",
  colour: "\u001b[31m",
  "end of colour": "\u001b[0m",
  "cursor movement": "\u001b[2K",
  hyperlink: "\u001b]8;;\u0007",
  "zero-width space, escaped": "\\u200b",
  "colour, escaped": "\\u001b[1m",
  "colour, as source": "\\x1b[1m",
  "backspace, escaped": "\\b",
  "zero-width space, percent-encoded": "%E2%80%8B",
};

const cut = (secret: string, unseen: string, at: number): string => secret.slice(0, at) + unseen + secret.slice(at);

/** Key blocks are cut too; what is said in words is not one run of characters. */
const WHOLE = NAMED.filter(([, secret, text]) => /^[\w+/=.-]{12,}$/.test(secret) && text.includes(secret));

describe.each(Object.entries(UNSEEN))("cut by a %s", (_name, unseen) => {
  const hides = (secret: string, text: string): void => {
    const shown = redact(text).text.replaceAll(unseen, "");
    expect(survivors(secret, shown), shown).toEqual([]);
  };

  test("every token", () => {
    for (const token of Object.values(TOKENS)) {
      for (const at of [2, Math.floor(token.length / 2), token.length - 3])
        hides(token.slice(6), `export X=1; use ${cut(token, unseen, at)}, it works`);
    }
  });

  test("every secret that its surroundings give away", () => {
    expect(WHOLE.length).toBeGreaterThan(40);
    for (const [, secret, text] of WHOLE) {
      hides(secret, text.replaceAll(secret, cut(secret, unseen, Math.floor(secret.length / 2))));
    }
  });
});

describe("what is spelled out", () => {
  const token = TOKENS["GitHub, classic"]!;
  const escaped = (letter: string): string => `\\u00${letter.charCodeAt(0).toString(16)}`;

  test("is read as it displays", () => {
    const texts = [
      `{"key":"${escaped("g")}${token.slice(1)}"}`,
      `{"url":"https://a.example/x?access_token=${token}\\u0026page=2"}`,
      `next=https%3A%2F%2Fa.example%2F%3Fapi_key%3D${token.slice(4)}%26page%3D2`,
      `"\\x70assword": "${token.slice(4)}"`,
    ];
    for (const text of texts) expect(survivors(token.slice(6), redact(text).text), text).toEqual([]);
  });

  test("stays JSON when it is masked", () => {
    const text = JSON.stringify({ key: cut(token, "\u200b", 9), colour: cut(token, "\u001b[31m", 12), rest: "é\b\n" });
    expect(JSON.parse(redact(text).text)).toMatchObject({ rest: "é\b\n" });
  });

  test("is left as it was written where it hides nothing", () => {
    const text = "\u001b[32m✓\u001b[39m reads tokens\b\u200b %41%42 \\u0041 \\bkey\\b 12 ms";
    expect(redact(text)).toEqual({ text, count: 0, kinds: [] });
  });
});

describe("a name of a secret in letters of other scripts", () => {
  it.each([
    "p\u0430ssword: Sunshine2024",
    '\u0440\u0430\u0455\u0455word = "Sunshine2024"',
    "DB_P\u0410SSWORD=Sunshine2024",
    '{"s\u0435cret": "Sunshine2024"}',
    "cli\u0435nt_secret=Sunshine2024",
    "passw\u03bfrd: Sunshine2024",
    "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff1a Sunshine2024",
    "\uff21\uff30\uff29\uff3f\uff2b\uff25\uff39=Sunshine2024",
  ])("is read as it displays: %s", (text) => {
    expect(redact(text).text).not.toContain("Sunshine");
    expect(redact(text).text).toBe(text.replace("Sunshine2024", "[redacted]"));
  });

  it.each([
    "\u0440\u0430\u0441\u0442\u043e\u0440: value12345",
    "\u0417\u043d\u0430\u0447\u0435\u043d\u0438\u0435 \u0421tatus=ready2024",
    "\uff2f\uff2b\uff1astatus2024",
    "\u03b1lpha = 0.05, \u03b2eta: value12345",
  ])("hides nothing where it names none: %s", (text) => {
    expect(redact(text).text).toBe(text);
  });

  it.each(["\u0430", "\u0430a", "\uff41", "p\u0430ss", "\uff41 "])(
    "is looked for in linear time in many %j",
    (unit) => {
      expectLinear(200_000, (size) => {
        const text = unit.repeat(Math.floor(size / unit.length));
        return () => redact(text);
      });
    },
  );
});
