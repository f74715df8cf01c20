/** The figures as tables and sentences, with what they do not prove. */
import type { Section } from "../measure/report.ts";
import { DIFFERENCE_QUESTIONS_MIN, type Interval } from "./intervals.ts";
import { KINDS, type Kind } from "./plan.ts";
import type { CaseResult } from "./run.ts";
import type { ContestantRow, DifferenceRow, ExamFigures, Score } from "./tally.ts";

/** From that many comparisons on, one is likely to look clear although it is not. */
const PAIRS_MANY = 5;
/** Fewer sessions say little about others. */
const SESSIONS_MIN = 5;

export function sectionsOf(figures: ExamFigures): readonly Section[] {
  return [scoresSection(figures), kindsSection(figures)].filter(({ rows }) => rows.length > 0);
}

function scoresSection({ rows, cases, questions }: ExamFigures): Section {
  return {
    title: "Points of 100",
    says: `${questions} questions about ${cases} ${cases === 1 ? "session" : "sessions"}. kept: tokens of the context, in percent of those before the cut. interval: 95 %, over questions and sessions. n: questions.`,
    head: ["", "kept", "points", "interval", "n", "failed"],
    rows: rows.map(({ contestant, kept, scores: { all }, failed }) => [
      contestant,
      percent(kept),
      shown(all),
      intervalOf(all),
      String(all.questions),
      failed === 0 ? "" : String(failed),
    ]),
  };
}

function kindsSection({ rows }: ExamFigures): Section {
  const asked = (kind: Kind): string =>
    String(rows.reduce((most, { scores }) => Math.max(most, scores[kind].questions), 0));
  return {
    title: "By kind of question",
    says: "In parentheses the interval. state: the task and its progress. constraint: rules and decisions with reasons. finding: what was found out, and what failed. detail: exact details that the continuation used.",
    head: ["", ...KINDS],
    rows: [
      ...rows.map(({ contestant, scores }) => [contestant, ...KINDS.map((kind) => cellOf(scores[kind]))]),
      ["n", ...KINDS.map(asked)],
    ],
  };
}

function cellOf(score: Score): string {
  return score.questions === 0 ? "–" : `${shown(score)} (${intervalOf(score)})`;
}

/** What the figures prove and what they do not, a sentence each. */
export function verdictsOf({ rows, differences, cases }: ExamFigures): readonly string[] {
  return [
    ...differenceLines(differences),
    ...(cases >= SESSIONS_MIN
      ? []
      : [`With fewer than ${SESSIONS_MIN} sessions, these figures say little about other sessions.`]),
    ...missing(rows),
    "The same models wrote, read and graded for every contestant; other models may rank them differently.",
  ];
}

/** Those that prove something, and those that do not. */
function differenceLines(differences: readonly DifferenceRow[]): readonly string[] {
  const [proven, unproven] = [true, false].map((one) => differences.filter(({ proves }) => proves === one));
  const unclear = `These differences prove nothing (0 lies within 95 %, or there are fewer than ${DIFFERENCE_QUESTIONS_MIN} questions):`;
  return [
    ...(proven!.length === 0 ? [] : ["These differences are larger than chance:", ...proven!.map(differenceLine)]),
    ...(differences.length < PAIRS_MANY || proven!.length === 0
      ? []
      : [`Of ${differences.length} pairs, one in twenty looks significant by chance.`]),
    ...(unproven!.length === 0 ? [] : [unclear, ...unproven!.map(differenceLine)]),
  ];
}

function differenceLine({ one, other, mean, low, high, questions }: DifferenceRow): string {
  return `  ${one} − ${other}: ${signed(mean)} (${signed(low)} to ${signed(high)}, n = ${questions})`;
}

function missing(rows: readonly ContestantRow[]): readonly string[] {
  const failed = rows.filter((row) => row.failed > 0);
  if (failed.length === 0) return [];
  const names = failed.map(({ contestant, failed: count }) => `${contestant} (${count})`).join(", ");
  return [`Not graded in some sessions, which are left out of their figures: ${names}.`];
}

/** What went wrong, a line each. */
export function failuresOf(results: readonly CaseResult[]): readonly string[] {
  return results.flatMap(({ name, failures }) => failures.map(({ of, because }) => `${name}, ${of}: ${because}`));
}

function percent(share: number): string {
  return (share * 100).toFixed(share < 0.1 ? 1 : 0);
}

function shown({ share }: Score): string {
  return share === undefined ? "–" : (share * 100).toFixed(0);
}

function intervalOf({ low, high, questions }: Interval & { readonly questions: number }): string {
  return questions === 0 ? "" : `${(low * 100).toFixed(0)}–${(high * 100).toFixed(0)}`;
}

function signed(share: number): string {
  const points = Math.round(share * 100);
  return points > 0 ? `+${points}` : `${points === 0 ? 0 : points}`.replace("-", "−");
}
