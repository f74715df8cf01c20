/**
 * Least squares with weights above a floor: ridge regression by cyclic coordinate descent on the Gram
 * matrix. Errors are relative to the exact count, so a short message matters as much as a long one.
 */

export interface Row {
  /** Feature → how often it occurs in the text. */
  readonly counts: ReadonlyMap<number, number>;
  readonly exact: number;
  readonly weight: number;
}

/** A step never seen in training costs this much: about what an English letter does. */
const PRIOR_TOKENS = 0.25;
/** Strength of the pull to the prior, as a share of the mean diagonal. */
const RIDGE_SHARE = 1e-4;
const SWEEPS = 300;
/** No step is cheaper: the longest runs that are one token have 64 to 128 characters. */
const FLOOR_TOKENS = 0.01;

/** One weight per feature, in tokens. Features that no row has get the prior. */
export function solve(rows: readonly Row[], features: number): Float64Array {
  const seen = [...new Set(rows.flatMap((row) => [...row.counts.keys()]))].toSorted((a, b) => a - b);
  const place = new Map(seen.map((feature, index) => [feature, index]));
  const size = seen.length;
  const gram = new Float64Array(size * size);
  const target = new Float64Array(size);
  for (const row of rows) accumulate(row, place, gram, target);
  addRidge(gram, target, size);
  const found = descend(gram, target, size);
  const weights = new Float64Array(features).fill(PRIOR_TOKENS);
  seen.forEach((feature, index) => (weights[feature] = found[index] as number));
  return weights;
}

function accumulate(row: Row, place: ReadonlyMap<number, number>, gram: Float64Array, target: Float64Array): void {
  const scale = row.weight / row.exact;
  const entries = [...row.counts].map(([feature, count]) => [place.get(feature) as number, count * scale] as const);
  for (const [i, a] of entries) {
    target[i] = (target[i] as number) + a * row.weight;
    const line = i * target.length;
    for (const [j, b] of entries) gram[line + j] = (gram[line + j] as number) + a * b;
  }
}

function addRidge(gram: Float64Array, target: Float64Array, size: number): void {
  let trace = 0;
  for (let i = 0; i < size; i++) trace += gram[i * size + i] as number;
  const ridge = (trace / size) * RIDGE_SHARE;
  for (let i = 0; i < size; i++) {
    gram[i * size + i] = (gram[i * size + i] as number) + ridge;
    target[i] = (target[i] as number) + ridge * PRIOR_TOKENS;
  }
}

function descend(gram: Float64Array, target: Float64Array, size: number): Float64Array {
  const x = new Float64Array(size).fill(PRIOR_TOKENS);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let j = 0; j < size; j++) {
      let slope = -(target[j] as number);
      for (let k = 0; k < size; k++) slope += (gram[j * size + k] as number) * (x[k] as number);
      x[j] = Math.max(FLOOR_TOKENS, (x[j] as number) - slope / (gram[j * size + j] as number));
    }
  }
  return x;
}
