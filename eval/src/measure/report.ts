/** The figures as tables, in words. */
import { counted } from "../../../src/cli/screen/amounts.ts";
import { BASELINES } from "../recall/baselines.ts";
import type { Evaluation } from "./evaluate.ts";
import { TRANSCRIPTS_MIN, type Row } from "./figures.ts";

export interface Section {
  readonly title: string;
  /** What is to be known for reading it; empty where the title says it all. */
  readonly says: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function sectionsOf({ budgets }: Evaluation, figures: readonly Row[]): readonly Section[] {
  return [...budgets.map((budget) => atBudget(budget, figures)), atOwnSize(figures)].filter(
    ({ rows }) => rows.length > 0,
  );
}

/** What the heads and the baselines mean, for a reader who has only the terminal. eval/README.md has it in full. */
export const LEGEND: readonly (readonly [name: string, meaning: string])[] = [
  ["kept", "size of the result, in percent of the tokens before the cut"],
  ["bound", "of the identifiers needed next, the share still next to its original words"],
  ["held", "of the identifiers needed next, the share that is still there at all"],
  ["unaided", "bound, without those that a tool or a person showed again"],
  ["recallable", "bound, or in an original that a recall id leads to"],
  ["interval", "95 % interval of bound over other sessions"],
  ["tail", "baseline: the newest messages and nothing else"],
  ["cover", "baseline: original lines, chosen greedily for their identifiers, and half a tail"],
];

/** The line above everything. */
export function summaryOf({ findings, sessions }: Evaluation): string {
  const files = new Set(findings.map(({ file }) => file)).size;
  const scored = sessions.filter(({ cuts: own }) => own > 0).length;
  const repeated = sessions.reduce((sum, one) => sum + one.repeated, 0);
  const few =
    findings.length > 0 && files < TRANSCRIPTS_MIN
      ? ` Too few to say anything of other sessions: intervals need ${TRANSCRIPTS_MIN} transcripts.`
      : "";
  const again = repeated === 0 ? "" : ` ${counted(repeated, "cut")} of another file again, counted once.`;
  return `${counted(findings.length, "cut")} of ${counted(files, "transcript")}; ${sessions.length - scored} of ${counted(sessions.length, "file")} not scored.${again}${few} Figures in percent.`;
}

const FAULT = "scored in part, for a fault in precis or an engine";

type Unscored = { readonly file: string; readonly detail: string };

/** Files that were not scored, by the kind of reason; `detail` is empty if that says it all. */
export function notScored({ sessions }: Evaluation): ReadonlyMap<string, readonly Unscored[]> {
  const groups = new Map<string, Unscored[]>();
  for (const { file, cuts, because: reason, fault } of sessions) {
    const because = fault === undefined ? reason : `${FAULT}: ${fault}`;
    if ((cuts > 0 && fault === undefined) || because === undefined) continue;
    const colon = because.indexOf(": ");
    const [kind, detail] = colon < 0 ? [because, ""] : [because.slice(0, colon), because.slice(colon + 2)];
    groups.set(kind, [...(groups.get(kind) ?? []), { file, detail }]);
  }
  return groups;
}

const RESULT_HEAD = ["kept", "bound", "interval", "held", "unaided", "recallable"];

function atBudget(budget: number, rows: readonly Row[]): Section {
  const own = rows.filter(({ size }) => size === budget);
  return {
    title: `Recall at ${Number(percent(budget))} % of the prefix`,
    says: "",
    head: ["", ...RESULT_HEAD],
    rows: own.map((row) => [nameWithUnchanged(row), ...resultCells(row)]),
  };
}

function resultCells(row: Row): readonly string[] {
  const { kept, bound, interval, held, unaided, recallable } = row;
  const plain = (BASELINES as readonly string[]).includes(row.contestant);
  const drawn = interval === undefined ? "–" : interval.map(percent).join("–");
  return [percent(kept), shown(bound), drawn, shown(held), shown(unaided), plain ? "" : shown(recallable)];
}

function atOwnSize(rows: readonly Row[]): Section {
  const own = rows.filter(({ size }) => size === "policy");
  const beside = (name: string): Row | undefined => rows.find(({ size }) => size === `as ${name}`);
  return {
    title: "Recall at the size that each policy gives",
    says: "The window is the largest in which the policy's own trigger is reached. Below an engine, the default engine given the same room.",
    head: ["", ...RESULT_HEAD],
    rows: own.flatMap((row) => {
      const other = beside(row.contestant);
      return [
        [nameWithUnchanged(row), ...resultCells(row)],
        ...(other === undefined ? [] : [[`  compressor, as large`, ...resultCells(other)]]),
      ];
    }),
  };
}

function nameWithUnchanged({ contestant, unchanged }: Row): string {
  return unchanged === 0 ? contestant : `${contestant} (${unchanged} unchanged)`;
}

/** One decimal, without the sign. */
function percent(share: number): string {
  return (share * 100).toFixed(1);
}

function shown(share: number | undefined): string {
  return share === undefined ? "–" : percent(share);
}
