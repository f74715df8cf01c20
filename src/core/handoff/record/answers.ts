/**
 * A set of sentences that is another in the next handoff. It remembers what it was asked, in order, so that it can tell
 * from where on its answers would be others: whatever rests on those before still holds.
 */

export interface Answers {
  readonly has: (sentence: string) => boolean;
  /** How many sentences it was asked for; `backTo` forgets those after. */
  readonly asked: () => number;
  readonly backTo: (asked: number) => void;
  /** Holds these from now on. Says how many of the answers before the first that is another now. */
  readonly replace: (sentences: Iterable<string>) => number;
}

export function createAnswers(): Answers {
  let held: ReadonlySet<string> = new Set();
  const order: string[] = [];
  const places = new Map<string, number>();
  return {
    has: (sentence) => {
      if (!places.has(sentence)) places.set(sentence, order.push(sentence) - 1);
      return held.has(sentence);
    },
    asked: () => order.length,
    backTo: (asked) => {
      for (const sentence of order.splice(asked)) places.delete(sentence);
    },
    replace: (sentences) => {
      const next = new Set(sentences);
      let same = order.length;
      for (const sentence of next) if (!held.has(sentence)) same = Math.min(same, places.get(sentence) ?? same);
      for (const sentence of held) if (!next.has(sentence)) same = Math.min(same, places.get(sentence) ?? same);
      held = next;
      return same;
    },
  };
}
