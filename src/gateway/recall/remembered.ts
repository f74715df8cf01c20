/** Values by name, the longest unused dropped when there are too many or they weigh too much. */

export interface Remembered<Value> {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value) => void;
}

export interface RememberedOptions<Value> {
  readonly entries: number;
  readonly chars: number;
  readonly weigh: (value: Value) => number;
}

export function remembered<Value>({ entries, chars, weigh }: RememberedOptions<Value>): Remembered<Value> {
  // In order of use.
  const known = new Map<string, Value>();
  let heldChars = 0;
  const drop = (key: string): void => {
    const value = known.get(key);
    if (value === undefined) return;
    heldChars -= weigh(value);
    known.delete(key);
  };
  return {
    get: (key) => {
      const value = known.get(key);
      if (value === undefined) return undefined;
      known.delete(key);
      known.set(key, value);
      return value;
    },
    set: (key, value) => {
      drop(key);
      known.set(key, value);
      heldChars += weigh(value);
      for (const oldest of known.keys()) {
        if (oldest === key || (known.size <= entries && heldChars <= chars)) return;
        drop(oldest);
      }
    },
  };
}
