/**
 * One line on a terminal that says how far long work is. The work itself holds the event loop, so the line moves
 * between stages; nothing is shown while the whole is under a second.
 */
import { track } from "./bars.ts";
import type { Stream } from "./terminal.ts";

const QUIET_MS = 1_000;
/** Input of this size takes about a second from reading to writing on two cores. */
const LONG_INPUT_CHARS = 3_000_000;
const BAR_COLUMNS = 20;
const CLEAR_LINE = "\r\u001b[2K";

export interface Progress {
  /** Begins a stage; `share` of the whole is done by then. */
  readonly stage: (name: string, share: number) => Promise<void>;
  /** From here on there is reason to expect that the work is long. */
  readonly expect: (inputChars: number) => void;
}

/** Does the work with its progress shown, and leaves a clean line behind, whatever happens. */
export async function withProgress<Result>(
  stream: Stream,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const { progress, end } = createProgress(stream);
  try {
    return await work(progress);
  } finally {
    await end();
  }
}

function createProgress(stream: Stream): { progress: Progress; end: () => Promise<void> } {
  const started = performance.now();
  let long = false;
  let shown = false;
  const stage = async (name: string, share: number): Promise<void> => {
    if (!stream.interactive || (!long && performance.now() - started < QUIET_MS)) return;
    shown = true;
    await stream.write(`${CLEAR_LINE}  ${stream.paint("accent", track(share, BAR_COLUMNS))}  ${name} …`);
  };
  const expect = (inputChars: number): void => {
    long ||= inputChars >= LONG_INPUT_CHARS;
  };
  const end = async (): Promise<void> => {
    if (shown) await stream.write(CLEAR_LINE);
  };
  return { progress: { stage, expect }, end };
}
