/**
 * One line on a terminal that says how far long work is. The work itself holds the event loop, so the line moves
 * between stages; nothing is shown while the whole is under a second.
 */
import { bar, padEnd } from "./bars.ts";
import type { Stream } from "./terminal.ts";

const QUIET_MS = 1_000;
/** Input of this size takes about a second from reading to writing on two cores. */
const LONG_INPUT_BYTES = 8_000_000;
const BAR_COLUMNS = 20;

export interface Progress {
  /** Begins a stage; `share` of the whole is done by then. */
  readonly stage: (name: string, share: number) => Promise<void>;
  /** From here on there is reason to expect that the work is long. */
  readonly expect: (inputBytes: number) => void;
  readonly end: () => Promise<void>;
}

export function createProgress(stream: Stream, now: () => number = performance.now.bind(performance)): Progress {
  const started = now();
  let long = false;
  let shown = false;
  return {
    stage: async (name, share) => {
      if (!stream.interactive || (!long && now() - started < QUIET_MS)) return;
      shown = true;
      await stream.write(
        `\r\u001b[2K  ${stream.paint("accent", padEnd(bar(share, BAR_COLUMNS), BAR_COLUMNS))}  ${name} …`,
      );
    },
    expect: (inputBytes) => {
      long = inputBytes >= LONG_INPUT_BYTES;
    },
    end: async () => {
      if (shown) await stream.write("\r\u001b[2K");
    },
  };
}
