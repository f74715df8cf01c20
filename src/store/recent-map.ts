/** A map that keeps what was used last, up to a number of entries and a weight of all together. */
export interface RecentMap<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value, weight?: number) => void;
}

export interface RecentLimits {
  readonly entries: number;
  /** The entry that was set last stays, whatever it weighs. */
  readonly weight?: number;
}

export function createRecentMap<Value>({ entries, weight: weightMax = Infinity }: RecentLimits): RecentMap<Value> {
  const kept = new Map<string, { readonly value: Value; readonly weight: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  };
  const isOverfull = (): boolean => kept.size > entries || (total > weightMax && kept.size > 1);
  const set = (key: string, value: Value, weight = 0): void => {
    drop(key);
    kept.set(key, { value, weight });
    total += weight;
    while (isOverfull()) drop(kept.keys().next().value!);
  };
  return {
    get: (key) => {
      const found = kept.get(key);
      if (found !== undefined) set(key, found.value, found.weight);
      return found?.value;
    },
    set,
  };
}
