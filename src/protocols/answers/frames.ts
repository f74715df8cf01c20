/**
 * The events of a stream with the text they came in, so that what nobody changes goes on as it came. What is kept of an
 * event that has not ended is bounded: a larger one is passed on in pieces, unread.
 */
import type { StreamedEvent } from "./own-answer.ts";

/** One event, its blank line included; a comment has no data. */
export interface Frame extends StreamedEvent {
  readonly raw: string;
}

export interface FrameSplitter {
  /** A text is a piece of an event too large to be read. */
  readonly push: (chunk: Uint8Array) => readonly (Frame | string)[];
  readonly end: () => readonly (Frame | string)[];
}

/** `\r\n\r\n` ends where its last three characters do. */
const BLANK_LINE = /\n\r?\n|\r\r/g;
/** A blank line may have begun with this many characters of the text before. */
const BLANK_LINE_BEGUN_CHARS = 2;

export function splitFrames(frameCharsMax: number): FrameSplitter {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let pending = "";
  let searched = 0;
  let skipping = false;
  const take = (text: string): readonly (Frame | string)[] => {
    const found: (Frame | string)[] = [];
    pending += text;
    let from = 0;
    BLANK_LINE.lastIndex = Math.max(0, searched - BLANK_LINE_BEGUN_CHARS);
    while (BLANK_LINE.exec(pending) !== null) {
      const raw = pending.slice(from, BLANK_LINE.lastIndex);
      found.push(skipping ? raw : parseFrame(raw));
      skipping = false;
      from = BLANK_LINE.lastIndex;
    }
    pending = pending.slice(from);
    if (pending.length > frameCharsMax) {
      skipping = true;
      found.push(pending.slice(0, -BLANK_LINE_BEGUN_CHARS));
      pending = pending.slice(-BLANK_LINE_BEGUN_CHARS);
    }
    searched = pending.length;
    return found;
  };
  return {
    push: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end: () => {
      const rest = take(decoder.decode());
      return pending === "" ? rest : [...rest, skipping ? pending : parseFrame(pending)];
    },
  };
}

const LINE_END = /\r\n|\n|\r/;

function parseFrame(raw: string): Frame {
  let name: string | undefined;
  const data: string[] = [];
  for (const line of raw.split(LINE_END)) {
    if (line.startsWith("data:")) data.push(fieldValue(line, "data:"));
    else if (line.startsWith("event:")) name = fieldValue(line, "event:");
  }
  return { raw, name, data: data.join("\n") };
}

function fieldValue(line: string, field: string): string {
  return line.slice(line[field.length] === " " ? field.length + 1 : field.length);
}

export function reframed({ name }: Pick<Frame, "name">, data: string): string {
  const lines = data.split("\n").map((line) => `data: ${line}\n`);
  return `${name === undefined ? "" : `event: ${name}\n`}${lines.join("")}\n`;
}
