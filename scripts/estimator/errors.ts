/** The table of docs/estimates.md: error per category on held-out pieces. */
import type { Piece } from "./texts.ts";

export interface Judged extends Piece {
  readonly exact: number;
  readonly estimate: number;
}

/** Below this a rounding decides the error. */
const JUDGED_FROM_CHARS = 200;
/** A kind of text has a row if many pieces are of it, or if it is estimated worse than most. */
const SHOWN_FROM_PIECES = 80;
const SHOWN_ABOVE_P95 = 0.08;

export function errorTable(pieces: readonly Judged[]): string {
  const held = pieces.filter((piece) => piece.held);
  const judged = held.filter((piece) => piece.text.length >= JUDGED_FROM_CHARS);
  const categories = [...Map.groupBy(judged, (piece) => piece.category)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const shown = categories.filter(([, group]) => group.length >= SHOWN_FROM_PIECES || p95Of(group) > SHOWN_ABOVE_P95);
  return `# Token estimates

This page says how far precis' token counts are from exact ones, for anyone who sets thresholds near the end of a window. They are fitted to exact o200k counts (gpt-tokenizer). For models of other vendors, a session learns a correction factor from the usage
that the provider reports.

The table shows the error on text that the fit has not seen. _Bias_ is the error of the sum; _p95_ is the absolute error of one piece of at least ${JUDGED_FROM_CHARS} characters, in percent of the exact count.

Written by \`npm run fit:estimator\` from ${held.length.toLocaleString("en")} held-out and ${(pieces.length - held.length).toLocaleString("en")} training pieces.

${HEADER}
${shown.map(([category, group]) => row(category, group)).join("\n")}
${row("**all**", judged)}

A long run of one character is the weak spot, but makes up few tokens.

## Images

An image counts as 1,500 tokens, whatever its size in bytes (1,600 in the estimate of a single message), and an attached file as 1,600. A model's
[\`image_tokens\`](models.md#what-is-known-about-models) setting replaces this for images.
`;
}

const HEADER = `| held-out text | bias | p95 |
|---|---:|---:|`;

function row(label: string, pieces: readonly Judged[]): string {
  return `| ${[label, ...errors(pieces)].join(" | ")} |`;
}

function errors(pieces: readonly Judged[]): readonly string[] {
  const total = (value: (piece: Judged) => number): number => pieces.reduce((sum, piece) => sum + value(piece), 0);
  const bias = total((piece) => piece.estimate) / total((piece) => piece.exact) - 1;
  return [`${bias >= 0 ? "+" : "−"}${percent(Math.abs(bias))}`, percent(p95Of(pieces))];
}

function p95Of(pieces: readonly Judged[]): number {
  const sizes = pieces.map((piece) => Math.abs(piece.estimate / piece.exact - 1)).toSorted((a, b) => a - b);
  return sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * 0.95))] ?? 0;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
