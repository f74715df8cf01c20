/**
 * Numbers for names: the same for the same name, in whatever text it occurs. A conversation holds tens of thousands of
 * mentions and a few thousand names, which are compared by their numbers from then on.
 */

export interface NameTable {
  /** Each name, by its number. */
  readonly names: readonly string[];
  /** The number of a name. `NO_NAME` where it is new and there is no more room for it. */
  readonly numberOf: (name: string, room: boolean) => number;
}

export const NO_NAME = -1;

export function createNameTable(): NameTable {
  const names: string[] = [];
  const numbers = new Map<string, number>();
  return {
    names,
    numberOf: (name, room) => {
      const known = numbers.get(name);
      if (known !== undefined || !room) return known ?? NO_NAME;
      const number = names.push(name) - 1;
      numbers.set(name, number);
      return number;
    },
  };
}
