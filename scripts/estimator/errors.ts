/** The table of docs/estimates.md: error per category on held-out pieces, beside the usual rule of four characters a token. */
import type { Piece } from "./texts.ts";

export interface Judged extends Piece {
  readonly exact: number;
  readonly estimate: number;
}

const CHARS_PER_TOKEN_RULE = 4;
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

The table shows the error on text that the fit has not seen, and beside it that of four characters per token. _Bias_ is the error of the sum; _p95_ is the absolute error of one piece of at least ${JUDGED_FROM_CHARS} characters, in percent of the exact count.

Written by \`npm run fit:estimator\` from ${held.length.toLocaleString("en")} held-out and ${(pieces.length - held.length).toLocaleString("en")} training pieces.

${HEADER}
${shown.map(([category, group]) => row(category, group)).join("\n")}
${row("**all**", judged)}

Not shown are ${categories.length - shown.length} kinds of which there are fewer than ${SHOWN_FROM_PIECES} pieces and whose p95 is at most ${100 * SHOWN_ABOVE_P95} %. A long run of one character is the weak spot, but makes up few tokens.

## Images

An image counts as a fixed number of tokens, whatever its size in bytes (Zhang 2026, section 9): 1,500 in the estimate of a whole transcript (thresholds, sizes before and after, \`inspect\`, \`check\`, sessions), and 1,600 in that of a single message, which is deliberately high. A model's
[\`image_tokens\`](models.md#what-is-known-about-models) setting replaces both. An attached file counts as 1,600 tokens, and so does what is in base64 within a block that precis does not know.
`;
}

const HEADER = `| held-out text | bias | p95 | chars/4: bias | p95 |
|---|---:|---:|---:|---:|`;

function row(label: string, pieces: readonly Judged[]): string {
  const ours = errors(pieces, (piece) => piece.estimate);
  const rule = errors(pieces, (piece) => Math.ceil(piece.text.length / CHARS_PER_TOKEN_RULE));
  return `| ${[label, ...ours, ...rule].join(" | ")} |`;
}

function errors(pieces: readonly Judged[], estimate: (piece: Judged) => number): readonly string[] {
  const total = (value: (piece: Judged) => number): number => pieces.reduce((sum, piece) => sum + value(piece), 0);
  const bias = total(estimate) / total((piece) => piece.exact) - 1;
  return [`${bias >= 0 ? "+" : "−"}${percent(Math.abs(bias))}`, percent(p95Of(pieces, estimate))];
}

function p95Of(pieces: readonly Judged[], estimate = (piece: Judged): number => piece.estimate): number {
  const sizes = pieces.map((piece) => Math.abs(estimate(piece) / piece.exact - 1)).toSorted((a, b) => a - b);
  return sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * 0.95))] ?? 0;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
