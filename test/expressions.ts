/**
 * The regular expressions of the sources, each tried alone: texts are made of what the expression itself names and of common
 * characters, repeated, with something before that may begin a match and something behind that may not end one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "vitest/node";
import { processorMs } from "./support/linear.ts";

export interface Expression {
  readonly place: string;
  readonly expression: RegExp;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

const SRC = join(import.meta.dirname, "../src");

/** Those of all sources that are written as literals. */
export function expressionsInSources(): readonly Expression[] {
  return readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => expressionsOf(path, readFileSync(join(SRC, path), "utf8")));
}

export function slowExpressions(expressions: readonly Expression[], tries: "units" | "openings"): readonly string[] {
  return expressions.flatMap((one) => {
    const text = slowTextFor(one, tries);
    return text === undefined ? [] : [`${one.place} ${String(one.expression)} is slow for ${text}`];
  });
}

function expressionsOf(path: string, text: string): Expression[] {
  const found: Expression[] = [];
  const visit = (node: Node): void => {
    const { regex } = node;
    if (node.type === "Literal" && regex !== undefined)
      found.push({
        place: `${path}:${text.slice(0, node.start).split("\n").length}`,
        expression: new RegExp(regex.pattern, regex.flags),
      });
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof (child as Node | null)?.type === "string") visit(child as Node);
  };
  visit(parseAst(text, { lang: "ts", sourceType: "module" }) as unknown as Node);
  return found;
}

/** Only these can take a text again and again. */
const REPEATS = /[*+]|\{\d+,\}/;
const COMMON = [..." \t\n\r\v\f\u0085\u00a0\u2028\u2029aA1-._/\\\"'`<>()[]{}#*=:,;$|@é日%&?!~^+"];
const PAIRS = [
  "a ",
  " a",
  "a\n",
  "\n ",
  "\r\n",
  "a.",
  "a,",
  "a-",
  "1.",
  "a=",
  "a: ",
  "- ",
  "a/",
  "A1",
  "aA",
  ". ",
  "\n-",
  "``",
  "a'b ",
];
const ENDS = ["", "\u0000", "\n\u0000x"];
const LITERALS_MAX = 8;

/** Runs of letters and signs that an expression names; of words to choose from also the first with what stands around it. */
function literalsOf(source: string): readonly string[] {
  const chosen = source.replaceAll(/\((?:\?:)?([^()|\\[\]]+)\|[^()]*\)(?![*+?{])/g, "$1");
  return [...new Set([...(chosen === source ? [] : runsOf(chosen)), ...runsOf(source)])].slice(0, LITERALS_MAX);
}

function runsOf(source: string): readonly string[] {
  const plain = source
    .replaceAll(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, "(")
    .replaceAll(/\\[nrt]/g, (sign) => ({ n: "\n", r: "\r", t: "\t" })[sign[1]!]!)
    .replaceAll(/\\[a-zA-Z](?:\{[^}]*\}|[0-9a-f]{2,4})?/g, "\u0001")
    .replaceAll(/\\(.)/gs, "$1\u0001");
  const runs = plain.match(/[^\u0001()[\]{}|*+?^$.]+/g) ?? [];
  return runs.filter((run) => run.length < 40);
}

/** So long that what grows with the square takes tens of milliseconds, and a quarter of it for comparison. */
const LONG = 12_000;
const SUSPICIOUS_MS = 6;
const PARTS = 4;
/** Of a text a quarter as long, what grows with the square takes a sixteenth: less than the processor's time is told in, so by the clock. */
const PART_SUSPICIOUS_MS = SUSPICIOUS_MS / PARTS ** 2;
/** Against as much in four pieces: linear work takes as long, quadratic work four times as long. */
const GROWTH_MAX = 2.2;

/** A text that takes more than its length in time; undefined where none was found. `openings` tries what may begin a match as well: ten times as long. */
export function slowTextFor({ expression }: Expression, tries: "units" | "openings"): string | undefined {
  const { source, flags } = expression;
  if (!REPEATS.test(source)) return undefined;
  const literals = literalsOf(source);
  const units = [...COMMON, ...PAIRS, ...literals, ...literals.flatMap((one) => [`${one} `, `${one}\n`, `${one}a`])];
  const openings =
    tries === "units" ? [""] : ["", ...literals, literals.slice(0, 2).join(""), literals.slice(0, 2).join(" ")];
  const run = (text: string): void => {
    expression.lastIndex = 0;
    if (flags.includes("g")) text.replace(expression, "");
    else expression.test(text);
  };
  const textOf = (opening: string, unit: string, end: string, chars: number): string =>
    opening + unit.repeat(Math.ceil(chars / unit.length)) + end;
  const isSlow = (opening: string, unit: string, end: string): boolean => {
    const part = textOf(opening, unit, end, LONG / PARTS);
    const start = performance.now();
    run(part);
    if (performance.now() - start < PART_SUSPICIOUS_MS) return false;
    const text = textOf(opening, unit, end, LONG);
    if (processorMs(() => run(text)) < SUSPICIOUS_MS) return false;
    const parts = (): void => {
      for (let at = 0; at < PARTS; at++) run(part);
    };
    // What is used again is compiled before it is measured.
    parts();
    return [1, 2, 3].every(() => processorMs(() => run(text)) / processorMs(parts) > GROWTH_MAX);
  };
  for (const opening of new Set(openings))
    for (const unit of new Set(units))
      for (const end of ENDS) if (isSlow(opening, unit, end)) return JSON.stringify([opening, unit, end]);
  return undefined;
}
