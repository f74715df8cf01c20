/** What was worked out for objects, as far as memory allows: of what is too much, what was asked for last is kept. */

export interface RememberOptions<Value> {
  /** About what a value takes. */
  readonly bytesOf: (value: Value) => number;
  /** About what all of them may take together. */
  readonly bytesMax: number;
}

/** Works a value out when it is first asked for, and again when it was forgotten; nothing holds the key. */
export function remembered<Key extends object, Value>({
  bytesOf,
  bytesMax,
}: RememberOptions<Value>): (key: Key, make: () => Value) => Value {
  // Two halves: when the newer is full it becomes the older, and what was in the older and is not asked for is forgotten.
  let newer = new WeakMap<Key, { readonly value: Value }>();
  let older = new WeakMap<Key, { readonly value: Value }>();
  let bytes = 0;
  return (key, make) => {
    const known = newer.get(key);
    if (known !== undefined) return known.value;
    const entry = older.get(key) ?? { value: make() };
    const own = bytesOf(entry.value);
    if (bytes + own > bytesMax / 2) {
      older = newer;
      newer = new WeakMap();
      bytes = 0;
    }
    bytes += own;
    newer.set(key, entry);
    return entry.value;
  };
}
