/**
 * Lines of a log that nobody waits for: gathered for a moment, because each write is a call of the system, and dropped
 * where their reader does not take them, before they fill the memory.
 */
import type { Stream } from "./terminal.ts";

/** Some ten thousand lines. */
const WAITING_CHARS_MAX = 4_000_000;
/** Soon enough for a person who watches. */
const GATHER_MS = 25;

export interface LineWriter {
  readonly write: (line: string) => void;
  /** Writes what is gathered now. */
  readonly flush: () => void;
}

/** A paused pager or a slow disk costs at most `WAITING_CHARS_MAX`; further lines are lost until it reads on. */
export function lineWriter(stream: Pick<Stream, "write">, waitingCharsMax = WAITING_CHARS_MAX): LineWriter {
  let waiting = 0;
  let gathered = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const { length } = gathered;
    if (length === 0) return;
    const taken = (): void => void (waiting -= length);
    // Lines that a full disk does not take are lost as well.
    void stream.write(gathered).then(taken, taken);
    gathered = "";
  };
  const write = (line: string): void => {
    if (waiting + line.length > waitingCharsMax) return;
    waiting += line.length;
    gathered += line;
    timer ??= setTimeout(flush, GATHER_MS);
  };
  return { write, flush };
}
