/** The last requests drawn: what clients sent in grey, and before it what went on to the provider. */
import type { RecentRequest } from "./tally.ts";

const WIDTH = 704;
const HEIGHT = 150;
const AXIS_PX = 18;
const LABEL_PX = 44;
/** A bar is no wider than this, however few there are. */
const BAR_PX_MAX = 14;
const STEPS = [1, 2, 5];

/** An SVG that takes its colours from the page: `.sent`, `.went`, `.fresh` and `.grid`. */
export function recentChart(recent: readonly RecentRequest[]): string {
  const top = roundedUp(Math.max(1, ...recent.map(({ before, after }) => Math.max(before, after))));
  const step = Math.min(BAR_PX_MAX, (WIDTH - LABEL_PX) / Math.max(1, recent.length));
  const bars = recent.map((one, at) => bar(one, LABEL_PX + at * step, { step, top }));
  const lines = [0, top / 2, top].map((value) => gridLine(value, top));
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label(recent)}">`,
    ...lines,
    ...bars,
    `<text x="${LABEL_PX}" y="${HEIGHT - 2}">the last ${recent.length} requests, newest right</text>`,
    "</svg>",
  ].join("");
}

interface Scale {
  readonly step: number;
  readonly top: number;
}

function bar({ before, after, fresh }: RecentRequest, x: number, { step, top }: Scale): string {
  const width = Math.max(1, step - Math.min(2, step / 4));
  const title = `<title>${tokens(before)} sent, ${tokens(after)} forwarded${fresh ? ", compacted here" : ""}</title>`;
  const rect = (kind: string, value: number): string =>
    `<rect class="${kind}" x="${x.toFixed(1)}" y="${yOf(value, top).toFixed(1)}" width="${width.toFixed(1)}" height="${(yOf(0, top) - yOf(value, top)).toFixed(1)}"/>`;
  return `<g>${title}${rect("sent", before)}${rect(fresh ? "went fresh" : "went", after)}</g>`;
}

function gridLine(value: number, top: number): string {
  const y = yOf(value, top).toFixed(1);
  return `<line class="grid" x1="${LABEL_PX}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text class="tick" x="${LABEL_PX - 6}" y="${y}">${tokens(value)}</text>`;
}

function yOf(value: number, top: number): number {
  const room = HEIGHT - AXIS_PX - 8;
  return 8 + room - (value / top) * room;
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (STEPS.find((step) => step * power >= value) ?? 10);
}

function tokens(value: number): string {
  return value < 1_000
    ? String(Math.round(value))
    : `${Number((value / 1_000).toPrecision(3)).toLocaleString("en-US")}K`;
}

function label(recent: readonly RecentRequest[]): string {
  const last = recent.at(-1);
  return last === undefined
    ? "No requests yet"
    : `Tokens of the last ${recent.length} requests; the newest: ${tokens(last.before)} sent, ${tokens(last.after)} forwarded`;
}
