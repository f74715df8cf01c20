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
  /** What has come of the event that has not ended, in pieces: joined once, however small they are. */
  let pieces: string[] = [];
  let chars = 0;
  let skipping = false;
  let begun = "";

  const takePending = (): string => {
    const text = pieces.join("");
    [pieces, chars] = [[], 0];
    return text;
  };
  const keep = (text: string): void => {
    pieces.push(text);
    chars += text.length;
  };
  const emit = (raw: string): Frame | string => {
    const frame = skipping || raw.length > frameCharsMax ? raw : parseFrame(raw);
    skipping = false;
    return frame;
  };
  const take = (text: string): readonly (Frame | string)[] => {
    const found: (Frame | string)[] = [];
    let from = 0;
    BLANK_LINE.lastIndex = 0;
    const searched = begun + text;
    while (BLANK_LINE.exec(searched) !== null) {
      const end = BLANK_LINE.lastIndex - begun.length;
      found.push(emit(takePending() + text.slice(from, end)));
      from = end;
    }
    keep(text.slice(from));
    begun = (from > 0 ? text.slice(from) : searched).slice(-BLANK_LINE_BEGUN_CHARS);
    if (chars > frameCharsMax) {
      skipping = true;
      const pending = takePending();
      found.push(pending.slice(0, -BLANK_LINE_BEGUN_CHARS));
      keep(pending.slice(-BLANK_LINE_BEGUN_CHARS));
    }
    return found;
  };
  return {
    push: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end: () => {
      const rest = take(decoder.decode());
      return chars === 0 ? rest : [...rest, emit(takePending())];
    },
  };
}

const LINE_END = /\r\n|\n|\r/;

function parseFrame(raw: string): Frame {
  let name: string | undefined;
  const data: string[] = [];
  for (const line of raw.replace(/^\uFEFF/, "").split(LINE_END)) {
    if (line.startsWith("data:")) data.push(fieldValue(line, "data:"));
    else if (line.startsWith("event:")) name = fieldValue(line, "event:") || undefined;
    else if (line.startsWith("error:")) {
      // Older llama.cpp servers send an error as a field of its own.
      name = "error";
      data.push(fieldValue(line, "error:"));
    }
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
