/**
 * One line on a terminal that says how far long work is. Work that holds the event loop moves it between stages, work
 * elsewhere lets it tick; nothing is shown while the whole is under a second.
 */
import { clip, track } from "./text.ts";
import type { Stream } from "./terminal.ts";

const QUIET_MS = 1_000;
/** Input of this size takes about a second from reading to writing on two cores. */
const LONG_INPUT_CHARS = 3_000_000;
const BAR_COLUMNS = 20;
/** For the seconds and what is around the text. */
const SECONDS_COLUMNS = 14;
const TICK_MS = 1_000;
const CLEAR_LINE = "\r\u001b[2K";

export interface Progress {
  readonly stage: (name: string, share: number) => Promise<void>;
  /** From here on there is reason to expect that the work is long. */
  readonly expect: (inputChars: number) => void;
}

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

/**
 * Waits for work that goes on elsewhere, in another thread or process: after a second a line says what is being done,
 * and for how long.
 */
export async function whileWaiting<Result>(
  stream: Stream,
  doing: () => string | Promise<string>,
  work: Promise<Result>,
): Promise<Result> {
  if (!stream.interactive) return work;
  const started = performance.now();
  let shown = false;
  const timer = setInterval(async () => {
    const seconds = Math.floor((performance.now() - started) / TICK_MS);
    const text = await doing();
    shown = true;
    const line = `  ${clip(text, stream.columns - SECONDS_COLUMNS)} … ${stream.paint("dim", `${seconds} s`)}`;
    await stream.write(CLEAR_LINE + stream.shown(line));
  }, TICK_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (shown) await stream.write(CLEAR_LINE);
  }
}

function createProgress(stream: Stream): { progress: Progress; end: () => Promise<void> } {
  const started = performance.now();
  let long = false;
  let shown = false;
  const stage = async (name: string, share: number): Promise<void> => {
    if (!stream.interactive || (!long && performance.now() - started < QUIET_MS)) return;
    shown = true;
    const bar = stream.paint("accent", track(share, BAR_COLUMNS));
    await stream.write(CLEAR_LINE + stream.shown(`  ${bar}  ${clip(name, stream.columns - BAR_COLUMNS - 6)} …`));
  };
  const expect = (inputChars: number): void => {
    long ||= inputChars >= LONG_INPUT_CHARS;
  };
  const end = async (): Promise<void> => {
    if (shown) await stream.write(CLEAR_LINE);
  };
  return { progress: { stage, expect }, end };
}
