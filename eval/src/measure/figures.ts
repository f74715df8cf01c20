/** From findings to figures: sums over cuts, as shares, with an interval drawn over transcripts. */
import { createDraw } from "../../../provider/src/random.ts";
import { BASELINES } from "../recall/baselines.ts";
import type { Evaluation } from "./evaluate.ts";
import type { Counts, Finding, Mark, Size } from "./plan.ts";

/** Shares, 0 to 1; nothing where there is nothing to be a share of. */
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
  readonly sentences?: number;
  /** Of the cuts, those that came back as they were. */
  readonly unchanged: number;
}

export interface Figures {
  /** At budgets, all contestants; then each engine at its own size. */
  readonly rows: readonly Row[];
  readonly recorded: readonly Row[];
}

/** Fewer transcripts than this say nothing about others. */
export const TRANSCRIPTS_MIN = 5;
const DRAWS = 1_000;
const SEED = 7;

export function figuresOf(evaluation: Evaluation): Figures {
  const cuts = evaluation.findings.filter(({ kind }) => kind === "cut");
  const recorded = evaluation.findings.filter(({ kind }) => kind === "recorded");
  return {
    rows: rowsOf(cuts, evaluation),
    recorded: recordedRows(recorded),
  };
}

interface FoundFigure {
  readonly file: string;
  readonly mark: Mark;
}

function rowsOf(findings: readonly Finding[], { budgets, entrants }: Evaluation): readonly Row[] {
  const found = findings.flatMap(({ file, marks }) => marks.map((mark): FoundFigure => ({ file, mark })));
  const sizes: readonly Size[] = [...budgets, "policy"];
  const contestants = [...entrants, ...BASELINES];
  const asked = sizes.flatMap((size) => contestants.map((contestant) => ({ contestant, size })));
  const beside = entrants.map((name) => ({ contestant: "compressor", size: `as ${name}` as const }));
  return [...asked, ...beside].flatMap(({ contestant, size }) => {
    const own = found.filter(({ mark }) => mark.contestant === contestant && mark.size === size);
    return own.length === 0 ? [] : [rowOf(own, { contestant, size })];
  });
}

function recordedRows(findings: readonly Finding[]): readonly Row[] {
  const found = findings.flatMap(({ file, marks }) => marks.map((mark): FoundFigure => ({ file, mark })));
  const keyed = Map.groupBy(found, ({ mark }) => `${mark.size}\n${mark.contestant}`);
  return [...keyed.values()].map((own) => {
    const { contestant, size } = own[0]!.mark;
    return rowOf(own, { contestant, size });
  });
}

interface Naming {
  readonly contestant: string;
  readonly size: Size;
}

function rowOf(found: readonly FoundFigure[], { contestant, size }: Naming): Row {
  const sum = (field: keyof Counts): number => found.reduce((total, { mark }) => total + mark.counts[field], 0);
  const kept = found.reduce((total, { mark }) => total + mark.kept, 0);
  const total = found.reduce((all, { mark }) => all + mark.total, 0);
  const handoffs = found.flatMap(({ mark: { sentences } }) => (sentences === undefined ? [] : [sentences]));
  const files = [...Map.groupBy(found, ({ file }) => file).values()];
  const interval = files.length < TRANSCRIPTS_MIN ? undefined : intervalOf(files);
  return {
    contestant,
    size,
    cuts: found.length,
    transcripts: files.length,
    kept: kept / total,
    ...share("held", sum("held"), sum("need")),
    ...share("bound", sum("bound"), sum("bindable")),
    ...(interval === undefined ? {} : { interval }),
    ...share("unaided", sum("unaidedBound"), sum("unaided")),
    ...share("recallable", sum("recallable"), sum("bindable")),
    ...share(
      "sentences",
      handoffs.reduce((all, one) => all + one, 0),
      handoffs.length,
    ),
    unchanged: found.filter(({ mark }) => mark.unchanged === true).length,
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
        bound += mark.counts.bound;
        bindable += mark.counts.bindable;
      }
    return bindable === 0 ? 0 : bound / bindable;
  }).toSorted((a, b) => a - b);
  const [low, high] = [draws[Math.floor(DRAWS * 0.025)]!, draws[Math.floor(DRAWS * 0.975)]!];
  return high === 0 ? undefined : [low, high];
}
