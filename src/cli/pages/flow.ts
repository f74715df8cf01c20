/** A compaction as a picture: the messages before above, those after below, as wide as their tokens, and what became of what. */
import { count } from "../amounts.ts";
import { tokensOf, type AlignedRun } from "./alignment.ts";
import { markup, type Html } from "./html.ts";

const WIDTH = 1_000;
const BAR_HEIGHT = 34;
const AFTER_TOP = 132;
const HEIGHT = AFTER_TOP + BAR_HEIGHT;
const GAP = 0.6;
/** More messages are drawn as their runs only: they would be narrower than a line. */
const MESSAGES_DRAWN_MAX = 600;

export interface Flow {
  readonly runs: readonly AlignedRun[];
  /** The id of a run's row on the page. */
  readonly target: (run: number) => string;
}

export function flowPicture({ runs, target }: Flow): Html {
  const whole = Math.max(
    1,
    tokensOf(runs.flatMap(({ before }) => before)),
    tokensOf(runs.flatMap(({ after }) => after)),
  );
  const messages = runs.reduce((sum, { before }) => sum + before.length, 0);
  let [above, below] = [0, 0];
  const shapes = runs.map((run, at) => {
    const from = { start: above, end: (above += (tokensOf(run.before) / whole) * WIDTH) };
    const into = { start: below, end: (below += (tokensOf(run.after) / whole) * WIDTH) };
    const bars = [
      ...bar(run.before, from, { top: 0, single: messages <= MESSAGES_DRAWN_MAX }),
      ...bar(run.after, into, { top: AFTER_TOP, single: true }),
    ];
    return markup`<a href="#${target(at)}" class="${run.fate}"
      ><title>${titleOf(run)}</title>${ribbon(from, into)}${bars}</a
    >`;
  });
  return markup`<svg
    class="flow"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    role="img"
    aria-label="What became of the messages, as wide as their tokens"
  >
    <rect class="rail" x="0" y="0" width="${WIDTH}" height="${BAR_HEIGHT}" />
    <rect class="rail" x="0" y="${AFTER_TOP}" width="${WIDTH}" height="${BAR_HEIGHT}" />
    ${shapes}
  </svg>`;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function bar(
  messages: readonly { readonly tokens: number }[],
  { start, end }: Span,
  { top, single }: { readonly top: number; readonly single: boolean },
): readonly Html[] {
  const whole = Math.max(1, tokensOf(messages));
  const pieces = single ? messages : messages.length === 0 ? [] : [{ tokens: whole }];
  let x = start;
  return pieces.map(({ tokens }) => {
    const width = (tokens / whole) * (end - start);
    const drawn = markup`<rect
      x="${fixed(x)}"
      y="${top}"
      width="${fixed(Math.max(width - GAP, 0.3))}"
      height="${BAR_HEIGHT}"
    />`;
    x += width;
    return drawn;
  });
}

function ribbon(from: Span, into: Span): Html {
  const [top, bottom] = [BAR_HEIGHT, AFTER_TOP];
  const middle = (top + bottom) / 2;
  const side = (x: number, to: number, end: number): string =>
    `C${fixed(x)},${middle} ${fixed(to)},${middle} ${fixed(to)},${end}`;
  const path = `M${fixed(from.start)},${top} ${side(from.start, into.start, bottom)} L${fixed(into.end)},${bottom} ${side(into.end, from.end, top)} Z`;
  return markup`<path class="ribbon" d="${path}" />`;
}

function titleOf({ fate, before, after }: AlignedRun): string {
  const says = { kept: "kept word for word", shortened: "shortened in place", replaced: "replaced by the handoff" }[
    fate
  ];
  const first = before[0]?.number;
  const last = before.at(-1)?.number;
  const which =
    first === undefined ? "Written by precis" : first === last ? `Message ${first}` : `Messages ${first}–${last}`;
  return `${which}, ${says}: ${count(tokensOf(before))} → ${count(tokensOf(after))} tokens`;
}

function fixed(x: number): string {
  return x.toFixed(1);
}
