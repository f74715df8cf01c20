/** A deadline that can be held: what somebody else takes does not count. */

export interface Deadline {
  readonly hold: () => void;
  readonly goOn: () => void;
  readonly end: () => void;
}

/** Calls `passed` once, after that many milliseconds in which it was not held. */
export function createDeadline(ms: number, passed: () => void): Deadline {
  let leftMs = ms;
  let holds = 0;
  let since = performance.now();
  let ended = false;
  let timer = setTimeout(passed, ms);
  return {
    hold: () => {
      if (holds++ > 0) return;
      leftMs -= performance.now() - since;
      clearTimeout(timer);
    },
    goOn: () => {
      if (--holds > 0 || ended) return;
      since = performance.now();
      timer = setTimeout(passed, Math.max(0, leftMs));
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}
