/**
 * Fits the ranking of identifiers: logistic regression of "the continuation asked for it" on the features of the core,
 * by Newton's method, with a ridge on standardised features. Every transcript has its say, whatever its length.
 */
import { FEATURES, type Weights } from "../../core/excerpts/weights.ts";
import { featuresOf, isRare, sceneOf } from "../../core/excerpts/relevance.ts";
import { createOccurrencesKeeper } from "../../core/excerpts/occurrences.ts";
import { asMessage } from "./conversation.ts";
import { cutsOf, headOf, type Cut, type CutOptions } from "./cuts.ts";
import type { Recorded } from "./corpus.ts";
import { createReader } from "./reader.ts";

/** More and shorter cuts than the evaluation has: the ranking is also used on young sessions. */
const TRAINING_CUTS: CutOptions = {
  shares: [0.15, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
  floorTokens: 6_000,
  repliesMin: 4,
  demandMin: 3,
};
const RIDGE = 20;
const STEPS_MAX = 25;
const LOSS_CHANGE_MIN = 1e-7;

/** Identifiers of one repository's cuts: features in rows, whether each was asked for, and how much it counts. */
export interface Sample {
  readonly repository: string;
  readonly rows: Float64Array;
  readonly asked: Uint8Array;
  readonly weight: number;
}

/** One sample a cut. */
export function samplesOf(recorded: Recorded): readonly Sample[] {
  const reader = createReader();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const cut of cutsOf(recorded.messages, reader, TRAINING_CUTS)) {
    const key = `${cut.prefix.length} ${reader.size(cut.prefix)}`;
    if (!seen.has(key)) samples.push(sampleOf(recorded.repository, cut, headOf(cut.prefix, reader)));
    seen.add(key);
  }
  return samples;
}

function sampleOf(repository: string, { prefix, demand }: Cut, head: ReadonlySet<string>): Sample {
  const messages = prefix.map(asMessage);
  const occurrences = createOccurrencesKeeper().occurrencesOf(messages);
  const scene = sceneOf(messages, occurrences);
  const rare = [...occurrences.standings.keys()].filter(
    (number) => isRare(occurrences, number) && !head.has(occurrences.standings[number]!.id),
  );
  const rows = new Float64Array(rare.length * FEATURES.length);
  rare.forEach((number, at) => rows.set(featuresOf(number, scene), at * FEATURES.length));
  const asked = Uint8Array.from(rare, (number) => (demand.has(occurrences.standings[number]!.id) ? 1 : 0));
  return { repository, rows, asked, weight: 1 / Math.sqrt(rare.length) };
}

/** Weights on raw feature values. */
export function fitWeights(samples: readonly Sample[]): Weights {
  const scale = scaleOf(samples);
  const width = FEATURES.length + 1;
  let beta = new Float64Array(width);
  beta[width - 1] = -3;
  let slope = slopeAt(beta, samples, scale);
  for (let step = 0; step < STEPS_MAX; step++) {
    const move = solved(slope.hessian, slope.gradient);
    const next = downhill(beta, move, slope.value, (at) => slopeAt(at, samples, scale));
    if (next === undefined || slope.value - next.slope.value < LOSS_CHANGE_MIN * slope.value) break;
    ({ beta, slope } = next);
  }
  let bias = beta[width - 1]!;
  const weights: Record<string, number> = {};
  FEATURES.forEach((feature, at) => {
    const raw = beta[at]! / scale.spread[at]!;
    weights[feature] = Number(raw.toFixed(4));
    bias -= raw * scale.mean[at]!;
  });
  return { bias: Number(bias.toFixed(4)), ...weights } as unknown as Weights;
}

const HALVINGS_MAX = 12;

/** A whole Newton step can overshoot: it is halved until the loss falls. */
function downhill(
  beta: Float64Array,
  move: Float64Array,
  value: number,
  slopeOf: (beta: Float64Array) => Slope,
): { readonly beta: Float64Array<ArrayBuffer>; readonly slope: Slope } | undefined {
  for (let halving = 0, length = 1; halving < HALVINGS_MAX; halving++, length /= 2) {
    const next = beta.map((one, at) => one - length * move[at]!);
    const slope = slopeOf(next);
    if (slope.value < value) return { beta: next, slope };
  }
  return undefined;
}

interface Scale {
  readonly mean: Float64Array;
  readonly spread: Float64Array;
  /** What every weight is divided by, so that their mean is one. */
  readonly weight: number;
}

function scaleOf(samples: readonly Sample[]): Scale {
  const width = FEATURES.length;
  const [mean, square] = [new Float64Array(width), new Float64Array(width)];
  let [count, weight] = [0, 0];
  for (const sample of samples) {
    count += sample.asked.length;
    weight += sample.asked.length * sample.weight;
    sample.rows.forEach((value, at) => {
      mean[at % width]! += value;
      square[at % width]! += value * value;
    });
  }
  const spread = square.map((sum, at) => Math.sqrt(Math.max(1e-12, sum / count - (mean[at]! / count) ** 2)));
  return { mean: mean.map((sum) => sum / count), spread, weight: weight / count };
}

interface Slope {
  readonly value: number;
  readonly gradient: Float64Array;
  readonly hessian: readonly Float64Array[];
}

function slopeAt(beta: Float64Array, samples: readonly Sample[], scale: Scale): Slope {
  const width = beta.length;
  const gradient = beta.map((one, at) => (at < width - 1 ? RIDGE * one : 0));
  const hessian = Array.from({ length: width }, (_, at) => {
    const row = new Float64Array(width);
    row[at] = at < width - 1 ? RIDGE : 1e-6;
    return row;
  });
  let value = beta.reduce((sum, one, at) => sum + (at < width - 1 ? (RIDGE * one * one) / 2 : 0), 0);
  const x = new Float64Array(width).fill(1);
  for (const { rows, asked, weight } of samples) {
    const w = weight / scale.weight;
    for (let row = 0; row < asked.length; row++) {
      let z = beta[width - 1]!;
      for (let at = 0; at < width - 1; at++) {
        x[at] = (rows[row * (width - 1) + at]! - scale.mean[at]!) / scale.spread[at]!;
        z += beta[at]! * x[at]!;
      }
      const p = 1 / (1 + Math.exp(-z));
      value += w * (Math.log1p(Math.exp(-Math.abs(z))) + Math.max(z, 0) - asked[row]! * z);
      const error = w * (p - asked[row]!);
      const curve = w * p * (1 - p);
      for (let a = 0; a < width; a++) {
        gradient[a]! += error * x[a]!;
        for (let b = 0; b <= a; b++) hessian[a]![b]! += curve * x[a]! * x[b]!;
      }
    }
  }
  for (let a = 0; a < width; a++) for (let b = a + 1; b < width; b++) hessian[a]![b] = hessian[b]![a]!;
  return { value, gradient, hessian };
}

/** Gaussian elimination with pivots. */
function solved(matrix: readonly Float64Array[], right: Float64Array): Float64Array {
  const size = right.length;
  const rows = matrix.map((row, at) => Float64Array.from([...row, right[at]!]));
  for (let at = 0; at < size; at++) {
    let pivot = at;
    for (let below = at + 1; below < size; below++)
      if (Math.abs(rows[below]![at]!) > Math.abs(rows[pivot]![at]!)) pivot = below;
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    for (let other = 0; other < size; other++) {
      if (other === at) continue;
      const share = rows[other]![at]! / rows[at]![at]!;
      for (let column = at; column <= size; column++) rows[other]![column]! -= share * rows[at]![column]!;
    }
  }
  return Float64Array.from(rows, (row, at) => row[size]! / row[at]!);
}
