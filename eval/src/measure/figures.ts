/** From findings to figures: sums over cuts, as shares, with an interval drawn over transcripts. */
import { createDraw } from "../../../provider/src/random.ts";
import { BASELINES } from "../recall/baselines.ts";
import { sumOf } from "./digests.ts";
import type { Evaluation } from "./evaluate.ts";
import type { Counts, DigestCount, Drift, Finding, Group, Mark, Size } from "./plan.ts";
import { SCENES, type Scene } from "./probes/scenes.ts";
import type { SurvivalOutcome } from "./probes/survival.ts";
import { PROBE_KINDS, type ProbeKind } from "./probes/plant.ts";

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

export interface DriftRow {
  readonly contestant: string;
  readonly way: Drift["way"];
  readonly rounds: number;
  readonly kept: number;
  readonly bound?: number;
}

export interface ProbeRow {
  readonly contestant: string;
  readonly way: Drift["way"];
  readonly kind: ProbeKind;
  readonly planted: number;
  /** After each cycle, of those planted by then. */
  readonly kept: readonly number[];
  readonly lost: readonly string[];
}

/** Of one scene: the share of what was planted that the last context tells, in all and by variant. */
export interface SurvivalRow {
  readonly contestant: string;
  readonly scene: Scene;
  readonly planted: number;
  readonly stands: number;
  readonly variants: Readonly<Record<string, number>>;
}

export interface DigestRow extends DigestCount {
  readonly tool: string;
}

export interface RereadRow {
  readonly after: "a cut" | "a recorded compaction";
  readonly reads: number;
  readonly again: number;
}

export interface Figures {
  /** At budgets, all contestants; then each engine at its own size. */
  readonly rows: readonly Row[];
  /** The same at the budgets by class of identifier, and by what had shown it; keyed by group. */
  readonly groups: Readonly<Record<Group, readonly Row[]>>;
  readonly recorded: readonly Row[];
  readonly digests: readonly DigestRow[];
  readonly rereads: readonly RereadRow[];
  readonly drift: readonly DriftRow[];
  readonly probes: readonly ProbeRow[];
  readonly survival: readonly SurvivalRow[];
}

/** Fewer transcripts than this say nothing about others. */
export const TRANSCRIPTS_MIN = 5;
const DRAWS = 1_000;
const SEED = 7;

export function figuresOf(evaluation: Evaluation): Figures {
  const cuts = evaluation.findings.filter(({ kind }) => kind === "cut");
  const recorded = evaluation.findings.filter(({ kind }) => kind === "recorded");
  const names = [...new Set(cuts.flatMap(({ marks }) => Object.keys(marks[0]?.counts ?? {})))].filter(
    (group) => group !== "all",
  );
  return {
    rows: rowsOf(cuts, evaluation, "all"),
    groups: Object.fromEntries(names.toSorted().map((group) => [group, rowsOf(cuts, evaluation, group)])),
    recorded: recordedRows(recorded),
    digests: digestRows(cuts),
    rereads: [
      { after: "a cut", ...rereadsIn(cuts) },
      { after: "a recorded compaction", ...rereadsIn(recorded) },
    ],
    drift: driftRows(cuts),
    probes: probeRows(evaluation),
    survival: survivalRows(evaluation),
  };
}

interface FoundFigure {
  readonly file: string;
  readonly mark: Mark;
}

function rowsOf(findings: readonly Finding[], { budgets, entrants }: Evaluation, group: Group): readonly Row[] {
  const found = findings.flatMap(({ file, marks }) => marks.map((mark): FoundFigure => ({ file, mark })));
  const sizes: readonly Size[] = [...budgets, "policy"];
  const contestants = [...entrants, ...BASELINES];
  const asked = sizes.flatMap((size) => contestants.map((contestant) => ({ contestant, size })));
  const beside =
    group === "all" ? entrants.map((name) => ({ contestant: "compressor", size: `as ${name}` as const })) : [];
  return [...asked, ...beside].flatMap(({ contestant, size }) => {
    const own = found.filter(({ mark }) => mark.contestant === contestant && mark.size === size);
    return own.length === 0 ? [] : [rowOf(own, { contestant, size, group })];
  });
}

function recordedRows(findings: readonly Finding[]): readonly Row[] {
  const found = findings.flatMap(({ file, marks }) => marks.map((mark): FoundFigure => ({ file, mark })));
  const keyed = Map.groupBy(found, ({ mark }) => `${mark.size}\n${mark.contestant}`);
  return [...keyed.values()].map((own) => {
    const { contestant, size } = own[0]!.mark;
    return rowOf(own, { contestant, size, group: "all" });
  });
}

interface Naming {
  readonly contestant: string;
  readonly size: Size;
  readonly group: Group;
}

function rowOf(found: readonly FoundFigure[], { contestant, size, group }: Naming): Row {
  const sum = (field: keyof Counts): number =>
    found.reduce((total, { mark }) => total + (mark.counts[group]?.[field] ?? 0), 0);
  const kept = found.reduce((total, { mark }) => total + mark.kept, 0);
  const total = found.reduce((all, { mark }) => all + mark.total, 0);
  const handoffs = found.flatMap(({ mark: { sentences } }) => (sentences === undefined ? [] : [sentences]));
  const files = [...Map.groupBy(found, ({ file }) => file).values()];
  const interval = files.length < TRANSCRIPTS_MIN ? undefined : intervalOf(files, group);
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
function intervalOf(files: readonly (readonly FoundFigure[])[], group: Group): readonly [number, number] | undefined {
  const random = createDraw(SEED);
  const draws = Array.from({ length: DRAWS }, () => {
    let [bound, bindable] = [0, 0];
    for (let drawn = 0; drawn < files.length; drawn++)
      for (const { mark } of files[Math.floor(random() * files.length)]!) {
        bound += mark.counts[group]?.bound ?? 0;
        bindable += mark.counts[group]?.bindable ?? 0;
      }
    return bindable === 0 ? 0 : bound / bindable;
  }).toSorted((a, b) => a - b);
  const [low, high] = [draws[Math.floor(DRAWS * 0.025)]!, draws[Math.floor(DRAWS * 0.975)]!];
  return high === 0 ? undefined : [low, high];
}

function digestRows(findings: readonly Finding[]): readonly DigestRow[] {
  const all: Record<string, DigestCount> = {};
  for (const { digests } of findings)
    for (const [tool, count] of Object.entries(digests))
      for (const name of [tool, "all"]) all[name] = all[name] === undefined ? count : sumOf(all[name], count);
  return Object.entries(all)
    .map(([tool, count]) => ({ tool, ...count }))
    .toSorted((a, b) => Number(a.tool === "all") - Number(b.tool === "all") || b.before - a.before);
}

function rereadsIn(findings: readonly Finding[]): { readonly reads: number; readonly again: number } {
  const sum = (field: "reads" | "again"): number => findings.reduce((all, { rereads }) => all + rereads[field], 0);
  return { reads: sum("reads"), again: sum("again") };
}

function driftRows(findings: readonly Finding[]): readonly DriftRow[] {
  const groups = Map.groupBy(
    findings.flatMap(({ drift }) => drift),
    ({ contestant, way, rounds }) => `${contestant}\n${way}\n${rounds}`,
  );
  return [...groups.values()].map((own) => {
    const sum = (field: "kept" | "total" | "bound" | "bindable"): number =>
      own.reduce((all, one) => all + one[field], 0);
    const { contestant, way, rounds } = own[0]!;
    return {
      contestant,
      way,
      rounds,
      kept: sum("kept") / sum("total"),
      ...share("bound", sum("bound"), sum("bindable")),
    };
  });
}

function probeRows({ probes }: Evaluation): readonly ProbeRow[] {
  const groups = Map.groupBy(probes, ({ contestant, way, kind }) => `${contestant}\n${way}\n${kind}`);
  return [...groups.values()]
    .map((own): ProbeRow => {
      const { contestant, way, kind } = own[0]!;
      const kept = own[0]!.kept.map((_, cycle) => {
        const planted = own.reduce((sum, one) => sum + one.plantedBy[cycle]!, 0);
        return planted === 0 ? 1 : own.reduce((sum, one) => sum + one.kept[cycle]!, 0) / planted;
      });
      const planted = own.reduce((sum, one) => sum + one.planted, 0);
      return { contestant, way, kind, planted, kept, lost: own.flatMap(({ lost }) => lost) };
    })
    .toSorted((a, b) => PROBE_KINDS.indexOf(a.kind) - PROBE_KINDS.indexOf(b.kind));
}

function survivalRows({ survival }: Evaluation): readonly SurvivalRow[] {
  const groups = [...Map.groupBy(survival, ({ contestant, scene }) => `${scene}\n${contestant}`).values()];
  return groups
    .map((own): SurvivalRow => {
      const { contestant, scene } = own[0]!;
      const variants = [...Map.groupBy(own, ({ variant }) => variant)].map(([name, some]) => [name, shareOf(some)]);
      return {
        contestant,
        scene,
        planted: own.length,
        stands: shareOf(own),
        variants: Object.fromEntries(variants) as Readonly<Record<string, number>>,
      };
    })
    .toSorted((a, b) => SCENES.indexOf(a.scene) - SCENES.indexOf(b.scene));
}

function shareOf(outcomes: readonly SurvivalOutcome[]): number {
  return outcomes.filter(({ stands }) => stands).length / outcomes.length;
}
