/**
 * Future-use recall of the engine beside every baseline, at each budget. The engine is examined on a repository with a
 * ranking that was fitted on all others; intervals come from drawing transcripts anew.
 */
import type { Weights } from "../../core/evidence/features.ts";
import { WEIGHTS } from "../../core/evidence/weights.ts";
import { baselineOf, BASELINES } from "./baselines.ts";
import { engineCompactor, type Compactor } from "./compactor.ts";
import type { Recorded } from "./corpus.ts";
import { cutsOf, EVALUATION_CUTS, type Cut } from "./cuts.ts";
import { createExam, type Score } from "./exam.ts";
import { fitWeights, samplesOf } from "./fit.ts";
import { createReader, type Reader } from "./reader.ts";

const BUDGETS = [0.05, 0.1, 0.2] as const;
/** The engine, ranked by weights that never saw the repository; the engine as it ships; then the baselines. */
export const CONTESTANTS = ["precis, cross-validated", "precis, as shipped", ...BASELINES] as const;
export type Contestant = (typeof CONTESTANTS)[number];

/** One contestant on one cut at one budget. */
export interface Result {
  readonly contestant: Contestant;
  readonly budget: number;
  readonly file: string;
  readonly share: number;
  readonly score: Score;
  /** The share of the handoff's characters that stand in sentences; undefined without a handoff. */
  readonly sentences?: number;
  readonly kept: string;
  readonly cut: Cut;
}

export interface Step {
  readonly done: number;
  readonly of: number;
}

export async function evaluate(corpus: readonly Recorded[], told: (step: Step) => void): Promise<readonly Result[]> {
  const fitted = weightsByRepository(corpus);
  const results: Result[] = [];
  const seen = new Set<string>();
  for (const [at, recorded] of corpus.entries()) {
    told({ done: at, of: corpus.length });
    const reader = createReader();
    const unseen = engineCompactor(fitted.get(recorded.repository));
    const shipped = engineCompactor(WEIGHTS);
    for (const cut of cutsOf(recorded.messages, reader, EVALUATION_CUTS)) {
      // Checkpoints of one session repeat it: a cut that is the same twice is counted once.
      const key = `${reader.text(cut.prefix.at(-1)!)}${reader.size(cut.prefix)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      results.push(...(await examine({ recorded, cut, reader, unseen, shipped })));
    }
  }
  told({ done: corpus.length, of: corpus.length });
  return results;
}

function weightsByRepository(corpus: readonly Recorded[]): ReadonlyMap<string, Weights> {
  const samples = corpus.flatMap(samplesOf);
  const repositories = [...new Set(corpus.map(({ repository }) => repository))];
  return new Map(
    repositories.map((held) => [held, fitWeights(samples.filter(({ repository }) => repository !== held))]),
  );
}

interface Sitting {
  readonly recorded: Recorded;
  readonly cut: Cut;
  readonly reader: Reader;
  readonly unseen: Compactor;
  readonly shipped: Compactor;
}

async function examine({ recorded, cut, reader, unseen, shipped }: Sitting): Promise<readonly Result[]> {
  const exam = createExam(cut, reader);
  const random = createRandom(1);
  const results: Result[] = [];
  for (const budget of BUDGETS) {
    const room = Math.floor(budget * exam.total);
    for (const contestant of CONTESTANTS) {
      const place = { contestant, budget, file: recorded.file, share: cut.share, cut };
      if (contestant === "precis, cross-validated" || contestant === "precis, as shipped") {
        const { text, handoff } = await (contestant === "precis, as shipped" ? shipped : unseen)(cut.prefix, room);
        const score = exam.score(text);
        results.push({ ...place, kept: text, score, ...(handoff === "" ? {} : { sentences: sentenceShare(handoff) }) });
      } else {
        const kept = baselineOf(contestant, cut.prefix, { budget, reader, random });
        results.push({ ...place, kept, score: exam.score(kept) });
      }
    }
  }
  return results;
}

/** A line reads as a sentence when it is words, mostly: at least six of them, in three quarters of its characters. */
const SENTENCE_WORDS_MIN = 6;
const SENTENCE_LETTERS_MIN = 0.75;

function sentenceShare(handoff: string): number {
  let [all, inSentences] = [0, 0];
  for (const line of handoff.split("\n")) {
    all += line.length;
    const words = line.match(/\p{L}{2,}/gu) ?? [];
    const letters = line.match(/[\p{L} ]/gu)?.length ?? 0;
    if (words.length >= SENTENCE_WORDS_MIN && letters >= line.length * SENTENCE_LETTERS_MIN) inSentences += line.length;
  }
  return all === 0 ? 0 : inSentences / all;
}

/** Figures of one contestant at one budget, as shares; `interval` holds 95 % of what other transcripts would have given. */
export interface Row {
  readonly contestant: Contestant;
  readonly budget: number;
  readonly kept: number;
  readonly held: number;
  readonly bound: number;
  readonly interval: readonly [number, number];
  readonly unaided: number;
  readonly sentences?: number;
}

const DRAWS = 1_000;

export function rowsOf(results: readonly Result[]): readonly Row[] {
  return BUDGETS.flatMap((budget) =>
    CONTESTANTS.map((contestant) => {
      const own = results.filter((result) => result.budget === budget && result.contestant === contestant);
      const sum = (field: keyof Score): number => own.reduce((total, { score }) => total + score[field], 0);
      const handoffs = own.flatMap(({ sentences }) => (sentences === undefined ? [] : [sentences]));
      return {
        contestant,
        budget,
        kept: sum("kept") / sum("total"),
        held: sum("held") / sum("need"),
        bound: sum("bound") / sum("bindable"),
        interval: intervalOf(own),
        unaided: sum("unaidedBound") / sum("unaided"),
        ...(handoffs.length === 0
          ? {}
          : { sentences: handoffs.reduce((total, one) => total + one, 0) / handoffs.length }),
      };
    }),
  );
}

function intervalOf(results: readonly Result[]): readonly [number, number] {
  const random = createRandom(7);
  const files = [...Map.groupBy(results, ({ file }) => file).values()];
  const draws = Array.from({ length: DRAWS }, () => {
    let [bound, bindable] = [0, 0];
    for (let drawn = 0; drawn < files.length; drawn++)
      for (const { score } of files[Math.floor(random() * files.length)]!) {
        bound += score.bound;
        bindable += score.bindable;
      }
    return bound / bindable;
  }).toSorted((a, b) => a - b);
  return [draws[Math.floor(DRAWS * 0.025)]!, draws[Math.floor(DRAWS * 0.975)]!];
}

/** Mulberry32: the same draws on every machine. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
