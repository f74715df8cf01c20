/** Costs that add up, from measurements of their sums: least squares of relative errors, with no cost below zero. */

export interface Measurement {
  /** How much of each there was. */
  readonly amounts: readonly number[];
  readonly total: number;
}

const SWEEPS = 2_000;

/** One cost for each amount. */
export function fitCosts(measurements: readonly Measurement[]): readonly number[] {
  const rows = measurements.map(({ amounts, total }) => amounts.map((amount) => amount / total));
  const count = rows[0]?.length ?? 0;
  const costs = Array.from({ length: count }, () => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1)
    for (let at = 0; at < count; at += 1) {
      let [above, below] = [0, 0];
      for (const row of rows) {
        const others = row.reduce((sum, amount, other) => (other === at ? sum : sum + amount * costs[other]!), 0);
        above += row[at]! * (1 - others);
        below += row[at]! ** 2;
      }
      costs[at] = below === 0 ? 0 : Math.max(0, above / below);
    }
  return costs;
}

export function sumOf(amounts: readonly number[], costs: readonly number[]): number {
  return amounts.reduce((sum, amount, at) => sum + amount * costs[at]!, 0);
}
