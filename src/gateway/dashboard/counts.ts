/** The counts of one model on one day: plain numbers that can be added up, and delays by size. */

/** Upper ends of the classes that delays are counted in, in milliseconds; the last class has no end. */
export const DELAY_CLASSES_MS: readonly number[] = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000,
  30_000,
];

const NUMBERS = [
  "requests",
  "refused",
  "turnedAway",
  "upstreamFailed",
  "aborted",
  "retried",
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  /** Requests whose model has no known price: nothing of them is in the amounts of money. */
  "unpriced",
  "spendUsd",
  /** What reading the provider's cache saved against the full price, less what writing it cost more. */
  "cacheSavedUsd",
  /** What was sent before and had to be read again at a higher price. */
  "cacheMissedUsd",
  /** Tokens of clients' requests that compactions kept from being sent, and what they would have cost. */
  "notSentTokens",
  "notSentUsd",
  "compactions",
  "compactionsAhead",
  "compactedTokens",
  /** What models charged for writing handoffs. */
  "compactionUsd",
  "lostRequests",
] as const;

export interface Counts extends Record<(typeof NUMBERS)[number], number> {
  /** How many requests precis held back that long before they went on. */
  readonly heldMs: number[];
  /** How many waited that long for the first byte of the provider's answer. */
  readonly firstByteMs: number[];
}

export function emptyCounts(): Counts {
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, 0])) as Record<(typeof NUMBERS)[number], number>;
  return { ...numbers, heldMs: emptyDelays(), firstByteMs: emptyDelays() };
}

function emptyDelays(): number[] {
  return Array.from({ length: DELAY_CLASSES_MS.length + 1 }, () => 0);
}

export function addDelay(delays: number[], ms: number): void {
  const at = DELAY_CLASSES_MS.findIndex((end) => ms <= end);
  const place = at < 0 ? DELAY_CLASSES_MS.length : at;
  delays[place] = (delays[place] ?? 0) + 1;
}

export function addCounts(to: Counts, from: Counts): void {
  for (const name of NUMBERS) to[name] += from[name] ?? 0;
  for (const name of ["heldMs", "firstByteMs"] as const)
    from[name].forEach((count, at) => (to[name][at] = (to[name][at] ?? 0) + count));
}

/** Whether what a store gave back is what was put there. */
export function isCounts(value: unknown): value is Counts {
  if (typeof value !== "object" || value === null) return false;
  const counts = value as Partial<Counts>;
  return (
    NUMBERS.every((name) => typeof counts[name] === "number") &&
    Array.isArray(counts.heldMs) &&
    Array.isArray(counts.firstByteMs)
  );
}
