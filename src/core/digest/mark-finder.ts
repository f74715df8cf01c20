/**
 * Finds where any of many short marks is in a text, in one walk whatever their number: the automaton of Aho and
 * Corasick (Efficient string matching, 1975).
 */

/** In a mark: any digit. No mark holds one digit rather than another. */
const ANY_DIGIT = "#";
const SOME_DIGIT = "0";
const ASCII = 128;
const CLASS_BITS = 6;
const DIGITS = "0123456789";

export interface Finder {
  /** Where the first mark ends that ends behind `from`; -1 where none does. */
  readonly next: (text: string, from: number) => number;
  /** The one that was found last, by its place in the list. */
  readonly found: () => number;
}

/** Marks of ASCII and of single characters beyond it. Of two that end in one place, the one that is listed first counts. */
export function createFinder(marks: readonly string[]): Finder {
  const { classes, wide } = classesOf(marks);
  const classOf = (code: number): number => (code < ASCII ? classes[code]! : (wide.get(code) ?? 0));
  const { steps, firstEnd, ends } = automatonOf(marks, (character) =>
    classOf((character === ANY_DIGIT ? SOME_DIGIT : character).charCodeAt(0)),
  );
  let last = -1;
  return {
    found: () => last,
    next: (text, from) => {
      const { length } = text;
      let state = 0;
      for (let at = from; at < length; at++) {
        state = steps[state | classOf(text.charCodeAt(at))]!;
        if (state >= firstEnd) {
          last = ends[(state - firstEnd) >> CLASS_BITS]!;
          return at + 1;
        }
      }
      return -1;
    },
  };
}

interface Classes {
  /** Of ASCII; 0 for what no mark holds. */
  readonly classes: Uint8Array;
  readonly wide: ReadonlyMap<number, number>;
}

function classesOf(marks: readonly string[]): Classes {
  const classes = new Uint8Array(ASCII);
  const wide = new Map<number, number>();
  const characters = [...new Set(marks.join(""))];
  characters.forEach((character, at) => {
    for (const one of character === ANY_DIGIT ? DIGITS : character) {
      const code = one.charCodeAt(0);
      if (code < ASCII) classes[code] = at + 1;
      else wide.set(code, at + 1);
    }
  });
  if (characters.length >= 1 << CLASS_BITS) throw new RangeError("marks of more characters than there are classes");
  return { classes, wide };
}

interface Automaton {
  /** The next state, shifted by the bits of a class, by state and class. */
  readonly steps: Uint16Array;
  /** From this state on, shifted like a step, marks end; and for each of these states: which. */
  readonly firstEnd: number;
  readonly ends: readonly number[];
}

interface State {
  readonly steps: Map<number, State>;
  /** Shifted by the bits of a class. */
  number: number;
  mark: number;
  /** The longest other beginning of a mark that the text ends in here. */
  fallback: State | undefined;
}

function automatonOf(marks: readonly string[], classOf: (character: string) => number): Automaton {
  const root = newState();
  marks.forEach((mark, at) => {
    let state = root;
    for (const character of mark) {
      const step = classOf(character);
      if (!state.steps.has(step)) state.steps.set(step, newState());
      state = state.steps.get(step)!;
    }
    if (state.mark < 0) state.mark = at;
  });
  // Breadth first: a fallback is shorter, and has been worked out before.
  const states = [root];
  for (const state of states) {
    for (const [step, next] of state.steps) {
      let other = state.fallback;
      while (other !== undefined && !other.steps.has(step)) other = other.fallback;
      next.fallback = other?.steps.get(step) ?? root;
      if (next.mark < 0) next.mark = next.fallback.mark;
      states.push(next);
    }
  }
  const [inner, final] = [states.filter(({ mark }) => mark < 0), states.filter(({ mark }) => mark >= 0)];
  const ordered = [...inner, ...final];
  ordered.forEach((state, at) => (state.number = at << CLASS_BITS));
  const steps = new Uint16Array(ordered.length << CLASS_BITS);
  for (const state of ordered)
    for (let step = 0; step < 1 << CLASS_BITS; step++) {
      let from: State | undefined = state;
      while (from !== undefined && !from.steps.has(step)) from = from.fallback;
      steps[state.number | step] = from?.steps.get(step)?.number ?? 0;
    }
  return { steps, firstEnd: inner.length << CLASS_BITS, ends: final.map(({ mark }) => mark) };
}

function newState(): State {
  return { steps: new Map(), number: 0, mark: -1, fallback: undefined };
}
