/** Recall against size as one picture: a line for each contestant over the budgets, a diamond where a policy chose its own. */
import { BASELINES } from "../recall/baselines.ts";
import type { Evaluation } from "./evaluate.ts";
import type { Figures, Row } from "./figures.ts";

const WIDTH = 920;
const PLOT = { left: 60, right: 30, top: 66, height: 380 } as const;
const LEGEND_ROW_HEIGHT = 20;
const LEGEND_COLUMNS = 2;
/** Told apart by people who see colours differently (Okabe and Ito); baselines are grey, engines are not. */
const ENGINE_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f3c8d", "#000000"];
const BASELINE_DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 4"];
const SIZE_MARKS = [0.02, 0.05, 0.1, 0.2, 0.5, 1];

interface LineStyle {
  readonly colour: string;
  readonly dashes: string;
}

export function pictureOf({ budgets, entrants }: Evaluation, { rows }: Figures, under: string): string {
  const contestants = [...entrants, ...BASELINES];
  const least = rows.reduce((share, { kept }) => (kept > 0 ? Math.min(share, kept) : share), 0.5) * 0.8;
  const scale = scaleFrom(least);
  const height = PLOT.top + PLOT.height + 66 + LEGEND_ROW_HEIGHT * Math.ceil(contestants.length / LEGEND_COLUMNS);
  const title = "Bound recall against the size of what is kept";
  const drawn = contestants.flatMap((contestant, at) => {
    const own = rows.filter((row) => row.contestant === contestant && row.bound !== undefined);
    const over = own.filter(({ size }) => budgets.includes(size as number));
    const policy = own.find(({ size }) => size === "policy");
    const look = lookOf(at, entrants.length);
    return [
      ...line(over, look, scale),
      ...(policy === undefined ? [] : diamond(policy, look, scale)),
      ...legend(contestant, look, at),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="${title}">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${PLOT.left}" y="26" font-size="17" font-weight="600">${title}</text>`,
    `<text x="${PLOT.left}" y="46" fill="#555">${escaped(under)}</text>`,
    ...frame(least, scale),
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

interface Scale {
  /** Of a share of the prefix, on a scale where doublings are equally far apart. */
  readonly x: (share: number) => string;
  readonly y: (recall: number) => string;
}

function scaleFrom(least: number): Scale {
  const width = WIDTH - PLOT.left - PLOT.right;
  return {
    x: (share) => (PLOT.left + (width * Math.log(Math.max(share, least) / least)) / Math.log(1 / least)).toFixed(1),
    y: (recall) => (PLOT.top + PLOT.height * (1 - recall)).toFixed(1),
  };
}

function frame(least: number, { x, y }: Scale): readonly string[] {
  const [left, right, base] = [PLOT.left, WIDTH - PLOT.right, PLOT.top + PLOT.height];
  const levels = [0, 0.2, 0.4, 0.6, 0.8, 1];
  return [
    ...levels.flatMap((level) => [
      `<line x1="${left}" x2="${right}" y1="${y(level)}" y2="${y(level)}" stroke="#ddd"/>`,
      `<text x="${left - 8}" y="${y(level)}" text-anchor="end" dominant-baseline="middle" fill="#555">${level * 100}</text>`,
    ]),
    ...SIZE_MARKS.filter((mark) => mark >= least).map(
      (mark) => `<text x="${x(mark)}" y="${base + 18}" text-anchor="middle" fill="#555">${mark * 100} %</text>`,
    ),
    `<text x="${left}" y="${base + 38}" fill="#555">kept of the prefix; whiskers: 95 % by transcript; diamonds: the size that the policy gives</text>`,
  ];
}

function line(rows: readonly Row[], { colour, dashes }: LineStyle, { x, y }: Scale): readonly string[] {
  const places = rows.toSorted((a, b) => a.kept - b.kept);
  const points = places.map(({ kept, bound = 0 }) => `${x(kept)},${y(bound)}`).join(" ");
  return [
    `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dashes}"/>`,
    ...places.flatMap(({ kept, bound = 0, interval }) => [
      `<circle cx="${x(kept)}" cy="${y(bound)}" r="3" fill="${colour}"/>`,
      ...(interval === undefined
        ? []
        : [
            `<line x1="${x(kept)}" x2="${x(kept)}" y1="${y(interval[0])}" y2="${y(interval[1])}" stroke="${colour}" opacity="0.45"/>`,
          ]),
    ]),
  ];
}

function diamond({ kept, bound = 0 }: Row, { colour }: LineStyle, { x, y }: Scale): readonly string[] {
  const [across, down] = [Number(x(kept)), Number(y(bound))];
  return [`<path d="M${across} ${down - 7}l6 7l-6 7l-6 -7z" fill="${colour}" stroke="#fff" stroke-width="1"/>`];
}

function legend(name: string, { colour, dashes }: LineStyle, at: number): readonly string[] {
  const column = (WIDTH - PLOT.left - PLOT.right) / LEGEND_COLUMNS;
  const left = PLOT.left + (at % LEGEND_COLUMNS) * column;
  const top = PLOT.top + PLOT.height + 66 + Math.floor(at / LEGEND_COLUMNS) * LEGEND_ROW_HEIGHT;
  return [
    `<line x1="${left}" x2="${left + 28}" y1="${top - 4}" y2="${top - 4}" stroke="${colour}" stroke-width="2" stroke-dasharray="${dashes}"/>`,
    `<text x="${left + 36}" y="${top}">${escaped(name)}</text>`,
  ];
}

function lookOf(at: number, engines: number): LineStyle {
  if (at < engines) return { colour: ENGINE_COLOURS[at % ENGINE_COLOURS.length]!, dashes: "" };
  return { colour: "#777", dashes: BASELINE_DASHES[(at - engines) % BASELINE_DASHES.length]! };
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
