/** Figures as the page writes them. */

export const percent = (share: number): string => (Number.isFinite(share) ? (share * 100).toFixed(1) : "");
export const milliseconds = (ms: number): string => (ms < 10 ? ms.toFixed(2) : ms.toFixed(1));
export const times = (ratio: number): string => `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(0)}×`;
export const thousands = (tokens: number): string => `${(tokens / 1_000).toFixed(1)}K`;

/** Of percentage points. */
export function pointsInterval([low, high]: readonly [number | null, number | null]): string {
  return low === null || high === null ? "" : `${signed(low * 100)} to ${signed(high * 100)}`;
}

function signed(value: number): string {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}

/** A list as a sentence has it. */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
