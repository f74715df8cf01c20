/** The courses as one picture: tokens of each request, the window as a dashed line, and what each strategy cost. */
import { short, type WindowCurve } from "./window-curves.ts";

export interface Picture {
  readonly title: string;
  readonly windowTokens: number;
  /** Below the title: the model, the time, what was assumed. */
  readonly under: string;
}

const WIDTH = 960;
const PLOT = { left: 64, right: 24, top: 64, height: 320 } as const;
const LEGEND_ROW = 22;
const GRID_LINES_MAX = 6;
/** Told apart by people who see colours differently (Okabe and Ito); longer lists begin again with dashes. */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"] as const;

export function svgOf(courses: readonly WindowCurve[], { title, windowTokens, under }: Picture): string {
  const requests = courses.reduce((most, { tokens }) => Math.max(most, tokens.length), 1);
  const step = niceStep(
    courses.flatMap(({ tokens }) => tokens).reduce((peak, one) => Math.max(peak, one), 1) / GRID_LINES_MAX,
  );
  const most =
    step * Math.ceil(courses.flatMap(({ tokens }) => tokens).reduce((peak, one) => Math.max(peak, one), 1) / step);
  const scale: Scale = {
    x: (request) => PLOT.left + ((WIDTH - PLOT.left - PLOT.right) * request) / Math.max(1, requests - 1),
    y: (tokens) => PLOT.top + PLOT.height * (1 - tokens / most),
  };
  const height = PLOT.top + PLOT.height + 56 + LEGEND_ROW * courses.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${PLOT.left}" y="26" font-size="17" font-weight="600">${escaped(title)}</text>`,
    `<text x="${PLOT.left}" y="46" fill="#555555">${escaped(under)}</text>`,
    ...grid(most, step, scale),
    ...axis(requests, scale),
    ...(windowTokens <= most ? windowLine(windowTokens, scale) : []),
    ...courses.map((course, at) => line(course, at, scale)),
    ...courses.flatMap((course, at) => legend(course, at)),
    "</svg>\n",
  ].join("\n");
}

interface Scale {
  readonly x: (request: number) => number;
  readonly y: (tokens: number) => number;
}

/** 1, 2 or 5 times a power of ten, at least as much. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10);
}

function grid(most: number, step: number, { y }: Scale): readonly string[] {
  return Array.from({ length: Math.round(most / step) + 1 }, (_, at) => {
    const height = y(at * step).toFixed(1);
    return `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${height}" y2="${height}" stroke="#dddddd"/><text x="${PLOT.left - 8}" y="${height}" text-anchor="end" dominant-baseline="middle" fill="#555555">${short(at * step)}</text>`;
  });
}

function axis(requests: number, { x }: Scale): readonly string[] {
  const step = Math.max(1, niceStep(requests / 10));
  const base = PLOT.top + PLOT.height;
  const marks = Array.from({ length: Math.floor(requests / step) }, (_, at) => (at + 1) * step);
  return [
    ...[1, ...marks.filter((mark) => mark > 1)].map(
      (mark) =>
        `<text x="${x(mark - 1).toFixed(1)}" y="${base + 18}" text-anchor="middle" fill="#555555">${mark}</text>`,
    ),
    `<text x="${PLOT.left}" y="${base + 36}" fill="#555555">tokens of each request, by its number</text>`,
  ];
}

function windowLine(windowTokens: number, { y }: Scale): readonly string[] {
  const height = y(windowTokens).toFixed(1);
  return [
    `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${height}" y2="${height}" stroke="#999999" stroke-dasharray="2 4"/>`,
    `<text x="${WIDTH - PLOT.right}" y="${Number(height) - 5}" text-anchor="end" fill="#777777">the window, ${short(windowTokens)}</text>`,
  ];
}

function line({ tokens }: WindowCurve, at: number, { x, y }: Scale): string {
  const points = tokens.map((amount, request) => `${x(request).toFixed(1)},${y(amount).toFixed(1)}`).join(" ");
  return `<polyline points="${points}" fill="none" ${stroke(at)}/>`;
}

function legend(course: WindowCurve, at: number): readonly string[] {
  const y = PLOT.top + PLOT.height + 62 + at * LEGEND_ROW;
  const costs = course.runs.map(({ strategy, totals: { usd } }) => `${strategy.name} $${usd.toFixed(2)}`).join("; ");
  return [
    `<line x1="${PLOT.left}" x2="${PLOT.left + 26}" y1="${y - 4}" y2="${y - 4}" ${stroke(at)}/>`,
    `<text x="${PLOT.left + 36}" y="${y}">${escaped(costs)}</text>`,
  ];
}

function stroke(at: number): string {
  const dashes = at < COLOURS.length ? "" : ' stroke-dasharray="6 4"';
  return `stroke="${COLOURS[at % COLOURS.length]!}" stroke-width="2" stroke-linejoin="round"${dashes}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
