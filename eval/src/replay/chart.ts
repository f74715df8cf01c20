/** The courses as charts for a terminal, one under the other on one scale, so that they need no colour to be distinguished. */
import asciichart from "asciichart";
import { nameOf, short, type WindowCurve } from "./window-curves.ts";

export interface ChartSize {
  readonly columns: number;
}

const ROWS = 6;
const LABEL_COLUMNS = 6;
/** Cells of the library's own before the line: the label, which is one to it, a blank and the axis. */
const OFFSET_CELLS = 3;

/** A title and its drawing, for each course. */
export interface Chart {
  readonly title: string;
  readonly lines: readonly string[];
}

export function chartsOf(courses: readonly WindowCurve[], { columns }: ChartSize): readonly Chart[] {
  const most = courses.flatMap(({ tokens }) => tokens).reduce((peak, one) => Math.max(peak, one), 1);
  return courses.map((course) => ({
    title: nameOf(course),
    lines: drawn(sampled(course.tokens, columns - LABEL_COLUMNS - OFFSET_CELLS + 1), most),
  }));
}

function drawn(series: readonly number[], most: number): readonly string[] {
  if (series.length === 0) return [];
  const text = asciichart.plot([...series], { min: 0, max: most, height: ROWS, offset: OFFSET_CELLS, format: label });
  return text.split("\n").map((line) => line.trimEnd());
}

function label(tokens: number): string {
  return short(tokens).padStart(LABEL_COLUMNS);
}

/** One value a column: requests in one column show the largest of them, few requests are drawn wider. */
function sampled(tokens: readonly number[], columns: number): readonly number[] {
  const { length } = tokens;
  return Array.from({ length: length === 0 ? 0 : columns }, (_, at) => {
    const from = Math.floor((at * length) / columns);
    const to = Math.max(from + 1, Math.floor(((at + 1) * length) / columns));
    return tokens.slice(from, to).reduce((peak, one) => Math.max(peak, one), -Infinity);
  });
}
