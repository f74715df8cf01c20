/** The size of a session after each message: as its client knows it, as it was sent, its window, and where it was compacted. */
import type { ContextView } from "../../gateway/history/contract.ts";
import { count } from "../amounts.ts";
import { markup, type Html } from "./html.ts";

const WIDTH = 1_000;
const HEIGHT = 260;
const PLOT = { left: 64, right: 12, top: 14, bottom: 26 } as const;
const POINTS_MAX = 500;
const GRID_LINES = 4;

/** Nothing for a session without messages. */
export function contextChart({ original, sent, windowTokens, compactions }: ContextView): Html {
  if (original.length === 0) return markup``;
  const largest = sampled(original).reduce((most, [, tokens]) => Math.max(most, tokens), 0);
  // A window far above everything would press the curve to the ground.
  const shown = windowTokens !== undefined && windowTokens <= largest * 3 ? windowTokens : undefined;
  const step = niceStep(Math.max(1, largest, shown ?? 0) / GRID_LINES);
  const most = step * Math.ceil(Math.max(1, largest, shown ?? 0) / step);
  const x = (at: number): number =>
    PLOT.left + ((WIDTH - PLOT.left - PLOT.right) * at) / Math.max(1, original.length - 1);
  const y = (tokens: number): number => HEIGHT - PLOT.bottom - ((HEIGHT - PLOT.top - PLOT.bottom) * tokens) / most;
  const path = (values: readonly number[]): string =>
    sampled(values)
      .map(([at, tokens], first) => `${first === 0 ? "M" : "L"}${x(at).toFixed(1)},${y(tokens).toFixed(1)}`)
      .join(" ");
  const ground = `L${x(original.length - 1).toFixed(1)},${y(0)} L${x(0).toFixed(1)},${y(0)} Z`;
  const grid = Array.from({ length: Math.round(most / step) + 1 }, (_, line) => {
    const tokens = step * line;
    const height = y(tokens).toFixed(1);
    return markup`<line class="grid" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${height}" y2="${height}" /><text x="${PLOT.left - 8}" y="${height}" text-anchor="end" dominant-baseline="middle">${short(tokens)}</text>`;
  });
  const cuts = compactions
    .filter(({ undone }) => !undone)
    .map(({ at, tokens }) => {
      const place = x(at - 1).toFixed(1);
      return markup`<line class="cut" x1="${place}" x2="${place}" y1="${PLOT.top}" y2="${HEIGHT - PLOT.bottom}"><title>Compacted after message ${at}: ${count(tokens.before)} → ${count(tokens.after)} tokens</title></line>`;
    });
  const limit =
    shown === undefined
      ? ""
      : markup`<line class="limit" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y(shown).toFixed(1)}" y2="${y(shown).toFixed(1)}" />`;
  return markup`<figure class="picture">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Tokens of the session after each message">
      ${grid}<path class="area" d="${path(sent)} ${ground}" /><path class="was" d="${path(original)}" /><path class="sent" d="${path(sent)}" />${cuts}${limit}
      <text x="${PLOT.left}" y="${HEIGHT - 6}">message 1</text><text x="${WIDTH - PLOT.right}" y="${HEIGHT - 6}" text-anchor="end">${count(original.length)}</text>
    </svg>
    <figcaption><span class="key kept">sent to the model</span><span class="key">as the client has it (dashed)</span><span class="key replaced">compaction</span>${windowTokens === undefined ? "" : markup`<span>window: ${count(windowTokens)} tokens</span>`}</figcaption>
  </figure>`;
}

/** 1, 2 or 5 times a power of ten, at least as much. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least) ?? power;
}

/** Every so many values, and the last. */
function sampled(values: readonly number[]): readonly (readonly [at: number, tokens: number])[] {
  const step = Math.max(1, Math.ceil(values.length / POINTS_MAX));
  return values
    .map((tokens, at) => [at, tokens] as const)
    .filter(([at]) => at % step === 0 || at === values.length - 1);
}

const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

function short(tokens: number): string {
  return SHORT.format(tokens);
}
