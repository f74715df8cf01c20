/** Pieces of secrets in what was cut out of a text that held them. */
import { expect, test } from "vitest";
import { MARKER } from "../../../src/core/redaction/mask.ts";
import { createPieceHider } from "../../../src/core/redaction/pieces.ts";
import { secretsIn } from "../../../src/core/redaction/redact.ts";
import { HARMLESS } from "./harmless.ts";
import { NAMED, TOKENS } from "./planted.ts";

const hiderOf = (...texts: readonly string[]): ((text: string) => string) =>
  createPieceHider(() => texts.flatMap(secretsIn));

test("are hidden where they look random, however short the rest", () => {
  for (const token of Object.values(TOKENS)) {
    const hide = hiderOf(`curl -H 'x: ${token}' https://a.example`);
    const part = token.slice(8, 24);
    expect(hide(`run: curl -H 'x: ${token.slice(0, 24)}…`)).not.toContain(part);
    expect(hide(`paths: ${part}, src/index.ts`)).toMatch(/, src\/index\.ts$/);
  }
});

test("are hidden line by line of a key block", () => {
  const [, , block] = NAMED.find(([name]) => name === "PEM, RSA")!;
  const hide = hiderOf(`here it is:\n${block}\n`);
  for (const line of block.split("\n").slice(1, -1)) expect(hide(`found ${line} there`)).toBe(`found ${MARKER} there`);
});

test("of words that a person chose are not looked for: they may mean themselves", () => {
  const hide = hiderOf("POSTGRES_PASSWORD: postgres-admin\n");
  expect(hide("the postgres-admin tool")).toBe("the postgres-admin tool");
});

test("are not found where nothing is secret", () => {
  const hide = hiderOf(...HARMLESS);
  for (const text of HARMLESS) expect(hide(text)).toBe(text);
});
