/**
 * What a later turn would still find: each peer at its own setting and at fixed budgets, its knob turned until its result
 * is as large as the budget allows; beside each, precis at the size that the peer's result had.
 */
import { engineCompactor, type Compactor } from "../../../eval/src/recall/compactor.ts";
import { textOf, type ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createExam, type Exam, type Score } from "../../../eval/src/recall/exam.ts";
import { createConversation, type Told } from "../extract.ts";
import { createProgress } from "../progress.ts";
import type { Compacting, Contestant, Size } from "./contestant.ts";
import { intervalOf, shareOf } from "./pooled.ts";
import { precisContestant } from "./precis.ts";
import type { Sitting } from "./sittings.ts";
import { validityOf, type Validity } from "./validity.ts";

/** Shares of the tokens before the cut; `as it comes` is each peer's own setting. */
const SETTINGS = ["as it comes", 0.05, 0.1, 0.2] as const;
type Setting = (typeof SETTINGS)[number];
/** Of a budget, what a summary may take; the rest is for messages. */
const SUMMARY_SHARE = 0.25;
/** Of the budget, or of the messages; peers count what we do not, and leave out what we count. */
const KNOB_SHARES = [1.3, 1.2, 1.1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0];

interface Outcome {
  readonly file: string;
  readonly score: Score;
  readonly ours: Score;
  readonly validity: Validity;
  readonly told: Told;
  readonly changed: boolean;
  readonly overBudget: boolean;
}

export interface RecallRow {
  readonly peer: string;
  readonly from: string;
  readonly how: string;
  readonly setting: Setting;
  readonly cuts: number;
  /** Cuts that it made smaller; the figures that follow are over these. */
  readonly compacted: number;
  /** Cuts at which its smallest result was still over the budget. */
  readonly overBudget: number;
  /** Shares of 1. */
  readonly kept: number;
  readonly valid: number;
  readonly liveRequest: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly bound: number;
  readonly held: number;
  readonly oursKept: number;
  readonly oursBound: number;
  readonly oursHeld: number;
  /** Of `oursBound - bound`, by drawing transcripts again. */
  readonly differenceInterval: readonly [number, number];
  /** Tokens that its summarizer was shown, as a share of the tokens before the cut. */
  readonly shown: number;
}

export async function recallRows(
  peers: readonly Contestant[],
  sittings: readonly Sitting[],
): Promise<readonly RecallRow[]> {
  const progress = createProgress("recall at size", sittings.length);
  const outcomes = new Map<string, Outcome[]>();
  for (const sitting of sittings) {
    const exam = createExam(sitting.cut, sitting.reader);
    const ours = remembering(engineCompactor(), sitting.cut.prefix, exam);
    for (const contestant of [precisContestant(), ...peers]) {
      for (const setting of SETTINGS) {
        const key = `${contestant.name} ${setting}`;
        const outcome = await outcomeOf({ peer: contestant, setting, sitting, exam, ours });
        outcomes.set(key, [...(outcomes.get(key) ?? []), outcome]);
      }
    }
    progress.step(sitting.file);
  }
  progress.end();
  return SETTINGS.flatMap((setting) =>
    [precisContestant(), ...peers].map((one) => rowOf(one, setting, outcomes.get(`${one.name} ${setting}`) ?? [])),
  );
}

type Marked = (room: number) => Promise<Score>;

/** Peers often leave the same size. */
function remembering(compactor: Compactor, prefix: readonly ChatMessage[], exam: Exam): Marked {
  const known = new Map<number, Promise<Score>>();
  return (room) => {
    const score = known.get(room) ?? compactor(prefix, room).then(({ text }) => exam.score(text));
    known.set(room, score);
    return score;
  };
}

interface Task {
  readonly peer: Contestant;
  readonly setting: Setting;
  readonly sitting: Sitting;
  readonly exam: Exam;
  readonly ours: Marked;
}

async function outcomeOf({ peer, setting, sitting, exam, ours }: Task): Promise<Outcome> {
  const { file, cut } = sitting;
  const compacting = peer.on(createConversation(cut.prefix));
  const attempt = attemptWith(peer, compacting, { prefix: cut.prefix, exam });
  const room = setting === "as it comes" ? Number.POSITIVE_INFINITY : Math.floor(setting * exam.total);
  const before = compacting.told();
  const made =
    setting === "as it comes"
      ? await attempt(peer.asItComes)
      : await largestWithin(peer, room, cut.prefix.length, attempt);
  const after = compacting.told();
  const changed = made.score.kept < exam.total;
  return {
    file,
    score: made.score,
    ours: await ours(Math.min(made.score.kept, exam.total)),
    validity: validityOf(made.messages, cut.prefix),
    told: { calls: after.calls - before.calls, shown: made.shown, written: after.written - before.written },
    changed,
    overBudget: made.score.kept > room,
  };
}

interface Made {
  readonly messages: readonly ChatMessage[];
  readonly score: Score;
  readonly shown: number;
}

type Attempt = (size: Size) => Promise<Made>;

function attemptWith(
  peer: Contestant,
  compacting: Compacting,
  { prefix, exam }: { readonly prefix: readonly ChatMessage[]; readonly exam: Exam },
): Attempt {
  const native = peer.read(prefix);
  return async (size) => {
    const before = compacting.told().shown;
    const messages = compacting.write(await compacting.compact(native, size));
    const score = exam.score(messages.map(textOf).join("\n"));
    return { messages, score, shown: compacting.told().shown - before };
  };
}

/** Turns the knob down until the result fits; the smallest of all where none does. Not every knob is monotone. */
async function largestWithin(peer: Contestant, room: number, messages: number, attempt: Attempt): Promise<Made> {
  const summaryTokens = Math.floor(room * SUMMARY_SHARE);
  const most = peer.knob === "messages" ? messages : room;
  let smallest: Made | undefined;
  for (const share of KNOB_SHARES) {
    const made = await attempt({ keep: Math.max(1, Math.floor(most * share)), summaryTokens });
    if (made.score.kept <= room) return made;
    if (smallest === undefined || made.score.kept < smallest.score.kept) smallest = made;
  }
  return smallest!;
}

function rowOf(peer: Contestant, setting: Setting, all: readonly Outcome[]): RecallRow {
  const outcomes = all.filter(({ changed }) => changed);
  const share = (of: (outcome: Outcome) => readonly [number, number]): number =>
    shareOf(outcomes.map((outcome) => ({ file: outcome.file, part: of(outcome)[0], whole: of(outcome)[1] })));
  const difference = (drawn: readonly Outcome[]): number => {
    const whole = drawn.reduce((sum, { score }) => sum + score.bindable, 0);
    return drawn.reduce((sum, { ours, score }) => sum + ours.bound - score.bound, 0) / whole;
  };
  const faults = Object.groupBy(
    outcomes.flatMap(({ validity }) => validity.codes),
    (code) => code,
  );
  return {
    peer: peer.name,
    from: peer.from,
    how: peer.how,
    setting,
    cuts: all.length,
    compacted: outcomes.length,
    overBudget: outcomes.filter(({ overBudget }) => overBudget).length,
    kept: share(({ score }) => [score.kept, score.total]),
    valid: share(({ validity }) => [validity.valid ? 1 : 0, 1]),
    liveRequest: share(({ validity }) => [validity.liveRequest ? 1 : 0, 1]),
    faults: Object.fromEntries(Object.entries(faults).map(([code, found]) => [code, found!.length])),
    bound: share(({ score }) => [score.bound, score.bindable]),
    held: share(({ score }) => [score.held, score.need]),
    oursKept: share(({ ours }) => [ours.kept, ours.total]),
    oursBound: share(({ ours }) => [ours.bound, ours.bindable]),
    oursHeld: share(({ ours }) => [ours.held, ours.need]),
    differenceInterval: intervalOf(outcomes, difference),
    shown: share(({ told, score }) => [told.shown, score.total]),
  };
}
