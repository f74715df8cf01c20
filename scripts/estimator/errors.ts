/** The table of docs/estimates.md: error per category on held-out pieces, beside the usual rule of four characters a token. */
import type { Piece } from "./texts.ts";

export interface Judged extends Piece {
  readonly exact: number;
  readonly estimate: number;
}

const CHARS_PER_TOKEN_RULE = 4;
/** Below this a rounding decides the error, so the per-category columns start here; a second table shows every size. */
const JUDGED_FROM_CHARS = 200;
const SIZES_CHARS = [50, 200, 1000, 3000, 8001] as const;

export function errorTable(pieces: readonly Judged[]): string {
  const held = pieces.filter((piece) => piece.held);
  const judged = held.filter((piece) => piece.text.length >= JUDGED_FROM_CHARS);
  const categories = [...Map.groupBy(judged, (piece) => piece.category)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sizes = SIZES_CHARS.slice(0, -1).map((from, index) => {
    const to = SIZES_CHARS[index + 1] as number;
    return row(
      `${from} to ${to - 1} characters`,
      held.filter((piece) => piece.text.length >= from && piece.text.length < to),
    );
  });
  return `# Token estimates

This page says how far precis' token counts are from exact ones, for anyone who sets thresholds near the end of a window. An automaton follows the pieces that a byte-pair tokenizer would cut and adds a weight at each
step; the weights are fitted to exact o200k counts (gpt-tokenizer). For models of other vendors, a session learns a correction factor from the usage that the provider reports.

The tables show the error on text that the fit has not seen, and beside it that of four characters per token. _Bias_ is the error of the sum; _median_ and _p95_ are absolute errors of one piece, in percent of the exact count.

Written by \`npm run fit:estimator\` from ${held.length.toLocaleString("en")} held-out and ${(pieces.length - held.length).toLocaleString("en")} training pieces; the first table counts pieces of at least ${JUDGED_FROM_CHARS} characters.

${HEADER}
${categories.map(([category, group]) => row(category, group)).join("\n")}
${row("**all**", judged)}

By length, every held-out piece:

${HEADER}
${sizes.join("\n")}

A long run of one character is the weak spot, but makes up few tokens.

## Images

An image counts as a fixed number of tokens, whatever its size in bytes (Zhang 2026, section 9).

| figure | where                                                                                                            |
| -----: | ---------------------------------------------------------------------------------------------------------------- |
|  1,500 | in the estimate of a whole transcript: thresholds, hygiene, sizes before and after, \`inspect\`, \`check\`, sessions |
|  1,600 | in the estimate of a single message: head, tail and handoff of a result; deliberately high                       |

A model's [\`image_tokens\`](models.md#what-is-known-about-models) setting replaces both. An attached file counts as 1,600 tokens.
`;
}

const HEADER = `| held-out text | pieces | bias | median | p95 | chars/4: bias | median | p95 |
|---|---:|---:|---:|---:|---:|---:|---:|`;

function row(label: string, pieces: readonly Judged[]): string {
  const ours = errors(pieces, (piece) => piece.estimate);
  const rule = errors(pieces, (piece) => Math.ceil(piece.text.length / CHARS_PER_TOKEN_RULE));
  return `| ${[label, pieces.length, ...ours, ...rule].join(" | ")} |`;
}

function errors(pieces: readonly Judged[], estimate: (piece: Judged) => number): readonly string[] {
  const total = (value: (piece: Judged) => number): number => pieces.reduce((sum, piece) => sum + value(piece), 0);
  const bias = total(estimate) / total((piece) => piece.exact) - 1;
  const sizes = pieces.map((piece) => Math.abs(estimate(piece) / piece.exact - 1)).toSorted((a, b) => a - b);
  const at = (share: number): number => sizes[Math.min(sizes.length - 1, Math.floor(sizes.length * share))] ?? 0;
  return [`${bias >= 0 ? "+" : "−"}${percent(Math.abs(bias))}`, percent(at(0.5)), percent(at(0.95))];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
