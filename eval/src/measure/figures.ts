/** From findings to figures: sums over cuts, as shares, with an interval drawn over transcripts. */
import { createDraw } from "../../../provider/src/random.ts";
import { BASELINES } from "../recall/baselines.ts";
import type { Score } from "../recall/exam.ts";
import type { Size } from "./contest.ts";
import type { Evaluation, Mark } from "./evaluate.ts";

/** Shares, 0 to 1; nothing if there is nothing to be a share of. */
export interface Row {
  readonly contestant: string;
  readonly size: Size;
  readonly cuts: number;
  readonly transcripts: number;
  readonly kept: number;
  readonly held?: number;
  readonly bound?: number;
  /** 95 % of what other transcripts would have given; absent where there are too few to say. */
  readonly interval?: readonly [number, number];
  readonly unaided?: number;
  readonly recallable?: number;
  /** Of the cuts, those that came back as they were. */
  readonly unchanged: number;
}

/** Fewer transcripts than this say nothing about others. */
export const TRANSCRIPTS_MIN = 5;
const DRAWS = 1_000;
const SEED = 7;

interface FoundFigure {
  readonly file: string;
  readonly mark: Mark;
}

/** At budgets, all contestants; then each engine at its own size. */
export function figuresOf({ budgets, engines, findings }: Evaluation): readonly Row[] {
  const found = findings.flatMap(({ file, marks }) => marks.map((mark): FoundFigure => ({ file, mark })));
  const sizes: readonly Size[] = [...budgets, "policy"];
  const asked = sizes.flatMap((size) => [...engines, ...BASELINES].map((contestant) => ({ contestant, size })));
  const beside = engines.map((name) => ({ contestant: "compressor", size: `as ${name}` as const }));
  return [...asked, ...beside].flatMap(({ contestant, size }) => {
    const own = found.filter(({ mark }) => mark.contestant === contestant && mark.size === size);
    return own.length === 0 ? [] : [rowOf(own, { contestant, size })];
  });
}

interface Naming {
  readonly contestant: string;
  readonly size: Size;
}

function rowOf(found: readonly FoundFigure[], { contestant, size }: Naming): Row {
  const sum = (field: keyof Score): number => found.reduce((total, { mark }) => total + mark[field], 0);
  const files = [...Map.groupBy(found, ({ file }) => file).values()];
  const interval = files.length < TRANSCRIPTS_MIN ? undefined : intervalOf(files);
  return {
    contestant,
    size,
    cuts: found.length,
    transcripts: files.length,
    kept: sum("kept") / sum("total"),
    ...share("held", sum("held"), sum("need")),
    ...share("bound", sum("bound"), sum("bindable")),
    ...(interval === undefined ? {} : { interval }),
    ...share("unaided", sum("unaidedBound"), sum("unaided")),
    ...share("recallable", sum("recallable"), sum("bindable")),
    unchanged: found.filter(({ mark }) => mark.unchanged).length,
  };
}

function share<Name extends string>(name: Name, part: number, whole: number): { readonly [key in Name]?: number } {
  return whole === 0 ? {} : ({ [name]: part / whole } as { readonly [key in Name]: number });
}

/** Bound recall of transcripts drawn again, with repetition. */
function intervalOf(files: readonly (readonly FoundFigure[])[]): readonly [number, number] | undefined {
  const random = createDraw(SEED);
  const draws = Array.from({ length: DRAWS }, () => {
    let [bound, bindable] = [0, 0];
    for (let drawn = 0; drawn < files.length; drawn++)
      for (const { mark } of files[Math.floor(random() * files.length)]!) {
        bound += mark.bound;
        bindable += mark.bindable;
      }
    return bindable === 0 ? 0 : bound / bindable;
  }).toSorted((a, b) => a - b);
  const [low, high] = [draws[Math.floor(DRAWS * 0.025)]!, draws[Math.floor(DRAWS * 0.975)]!];
  return high === 0 ? undefined : [low, high];
}
