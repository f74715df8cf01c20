/** Counting tokens: how fast, and how far from exact. */
import { estimateText } from "../../../src/core/transcript/estimate.ts";
import { medianOf } from "../compaction/pooled.ts";
import { installed, isAbsent, load, orAbsent, type Absent } from "../load.ts";
import { createProgress } from "../progress.ts";
import { texts } from "./texts.ts";
import { speedsOf } from "./timed.ts";

type Count = (text: string) => number;

export interface Counter {
  readonly name: string;
  readonly from: string;
  readonly count: Count;
}

export interface EstimateRow {
  readonly name: string;
  readonly from: string;
  /** By kind of text: megabytes a second, and the error against exact o200k as a share. */
  readonly speed: Readonly<Record<string, number>>;
  readonly error: Readonly<Record<string, number>>;
  readonly medianSpeed: number;
  /** Of the pieces of all kinds, the error that 19 of 20 stay under. */
  readonly error95: number;
}

export interface Estimates {
  readonly rows: readonly EstimateRow[];
  readonly absent: readonly Absent[];
}

const PIECE_CHARS = 2_000;
const TAIL_SHARE = 0.95;

const COUNTERS: Readonly<Record<string, () => Promise<Counter>>> = {
  precis: async () => ({ name: "precis estimate", from: "this repository", count: estimateText }),
  "gpt-tokenizer": async () => {
    const { encode } = await load<{ encode: (text: string) => readonly number[] }>("gpt-tokenizer/encoding/o200k_base");
    return {
      name: "gpt-tokenizer, o200k (exact)",
      from: installed("gpt-tokenizer"),
      count: (text) => encode(text).length,
    };
  },
  "js-tiktoken": async () => {
    const { getEncoding } = await load<{
      getEncoding: (name: string) => { encode: (text: string) => readonly number[] };
    }>("js-tiktoken");
    const encoding = getEncoding("o200k_base");
    return {
      name: "js-tiktoken, o200k (exact)",
      from: installed("js-tiktoken"),
      count: (text) => encoding.encode(text).length,
    };
  },
  tokenx: async () => {
    const { estimateTokenCount } = await load<{ estimateTokenCount: Count }>("tokenx");
    return { name: "tokenx", from: installed("tokenx"), count: estimateTokenCount };
  },
  "characters / 4": async () => ({
    name: "characters / 4 (pi, LangChain.js)",
    from: "",
    count: (text) => Math.ceil(text.length / 4),
  }),
};

export async function estimates(): Promise<Estimates> {
  const loaded = await Promise.all(Object.entries(COUNTERS).map(([name, make]) => orAbsent(name, make)));
  const counters = loaded.flatMap((one) => (isAbsent(one) ? [] : [one]));
  const exact = counters.find(({ name }) => name.startsWith("gpt-tokenizer"))?.count;
  if (exact === undefined) throw new Error("gpt-tokenizer, which says what is exact, could not be loaded");
  const kinds = Object.entries(texts());
  const progress = createProgress("counting tokens", kinds.length);
  const speeds = new Map<string, Readonly<Record<string, number>>>();
  for (const [kind, text] of kinds) {
    speeds.set(kind, await speedsOf(Object.fromEntries(counters.map(({ name, count }) => [name, count])), text));
    progress.step(kind);
  }
  progress.end();
  const pieces = kinds.flatMap(([, text]) => piecesOf(text)).map((text) => ({ text, tokens: exact(text) }));
  const rows = counters.map(({ name, from, count }): EstimateRow => {
    const speed = Object.fromEntries(kinds.map(([kind]) => [kind, speeds.get(kind)![name]!]));
    const errors = pieces.map(({ text, tokens }) => Math.abs(count(text) / tokens - 1)).toSorted((a, b) => a - b);
    return {
      name,
      from,
      speed,
      error: Object.fromEntries(kinds.map(([kind, text]) => [kind, count(text) / exact(text) - 1])),
      medianSpeed: medianOf(Object.values(speed)),
      error95: errors[Math.floor(errors.length * TAIL_SHARE)]!,
    };
  });
  return { rows, absent: loaded.filter(isAbsent) };
}

function piecesOf(text: string): readonly string[] {
  return Array.from({ length: Math.floor(text.length / PIECE_CHARS) }, (_, at) =>
    text.slice(at * PIECE_CHARS, (at + 1) * PIECE_CHARS),
  );
}
