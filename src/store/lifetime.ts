/** From open to closed: what was begun before the end is finished, what comes after is refused. */
import { closedError } from "./refusals.ts";

export interface Lifetime {
  /** Runs something that the end waits for. */
  readonly during: <Answer>(run: () => Promise<Answer>) => Promise<Answer>;
  /** Once everything is done, `last` is run; a second call waits for the same. */
  readonly end: (last: () => Promise<void>) => Promise<void>;
}

export function createLifetime(): Lifetime {
  const underWay = new Set<Promise<unknown>>();
  let ended: Promise<void> | undefined;
  return {
    during: async (run) => {
      if (ended !== undefined) throw closedError();
      const answer = run();
      underWay.add(answer);
      try {
        return await answer;
      } finally {
        underWay.delete(answer);
      }
    },
    end: (last) => (ended ??= Promise.allSettled(underWay).then(last)),
  };
}
