/**
 * The events of a stream, from bytes in any pieces. What is kept of an event that has not ended is bounded: one that
 * grows larger is skipped, and the next one is read again.
 */
import { createParser } from "eventsource-parser";
import type { StreamedEvent } from "./signal.ts";

export interface EventSplitter {
  readonly push: (chunk: Uint8Array) => void;
  /** The last event counts also without a blank line after it. */
  readonly end: () => void;
}

/** Two line ends in a row, in whichever of the three forms; CR LF is one. */
const BLANK_LINE = /\n[\r\n]|\r\r/;

export function splitEvents(eventCharsMax: number, tell: (event: StreamedEvent) => void): EventSplitter {
  const parser = createParser({
    onEvent: ({ event, data }) => {
      if (data.length <= eventCharsMax) tell({ name: event, data });
    },
    onError: ({ field, value = "" }) => {
      // Older llama.cpp servers send an error as a field of its own.
      if (field === "error" && value.length <= eventCharsMax) tell({ name: "error", data: value });
    },
  });
  const decoder = new TextDecoder();
  let openChars = 0;
  let skipping = false;
  let last = "";

  /** Feeds what follows the end of a skipped event. */
  const resume = (text: string): void => {
    const end = endOfBlank(last, text);
    if (end === undefined) return;
    skipping = false;
    take(text.slice(end));
  };
  const take = (text: string): void => {
    const rest = charsAfterBlank(last, text);
    openChars = rest ?? openChars + text.length;
    parser.feed(text);
    if (openChars <= eventCharsMax) return;
    parser.reset();
    openChars = 0;
    skipping = true;
  };
  const push = (text: string): void => {
    if (text === "") return;
    if (skipping) resume(text);
    else take(text);
    last = text.at(-1)!;
  };
  return {
    push: (chunk) => push(decoder.decode(chunk, { stream: true })),
    end: () => push(`${decoder.decode()}\n\n`),
  };
}

/** Where the first blank line ends; it may have begun with the last character of the text before. */
function endOfBlank(last: string, text: string): number | undefined {
  if (BLANK_LINE.test(last + text[0]!)) return 1;
  const found = BLANK_LINE.exec(text);
  return found === null ? undefined : found.index + found[0].length;
}

/** How much comes after the last blank line; undefined where there is none. */
function charsAfterBlank(last: string, text: string): number | undefined {
  let at = text.lastIndexOf("\n\n");
  if (text.includes("\r")) at = Math.max(at, text.lastIndexOf("\n\r"), text.lastIndexOf("\r\r"));
  if (at >= 0) return text.length - at - 2;
  return BLANK_LINE.test(last + text[0]!) ? text.length : undefined;
}
