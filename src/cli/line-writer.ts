/** Lines of a log that nobody waits for: where their reader does not take them, they are dropped before they fill the memory. */
import type { Stream } from "./terminal.ts";

/** Some ten thousand lines. */
const WAITING_CHARS_MAX = 4_000_000;

export type WriteLine = (line: string) => void;

/** A paused pager or a slow disk costs at most `WAITING_CHARS_MAX`; further lines are lost until it reads on. */
export function lineWriter(stream: Pick<Stream, "write">, waitingCharsMax = WAITING_CHARS_MAX): WriteLine {
  let waiting = 0;
  return (line) => {
    if (waiting + line.length > waitingCharsMax) return;
    waiting += line.length;
    void stream.write(line).then(() => void (waiting -= line.length));
  };
}
