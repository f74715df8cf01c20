/**
 * Reads an answer while it is relayed: fed the bytes as they come, it knows at any time what was used, whether the window
 * was too small, whether content has begun and whether the answer is whole. It parses only what can matter, keeps no
 * more than it is told, and never throws: what it cannot read it passes by.
 */
import type { Usage } from "../../core/engines/contract.ts";
import { overflowOf } from "../overflow.ts";
import type { Overflow, ProtocolName } from "../protocol.ts";
import { definitions } from "../registry.ts";
import { mergeUsage } from "../usage.ts";
import { memberTexts, type AnswerDialect, type AnswerSignal, type StreamedEvent } from "./own-answer.ts";
import { createParser } from "eventsource-parser";

export interface AnswerState {
  /** Everything reported until now, cached and written tokens included. */
  readonly usage: Usage | undefined;
  /** What the provider took beside that and does not count in it: a compaction of its own. */
  readonly besides: Usage | undefined;
  /** The name by which a later request may refer to the answer, in protocols that have threads. */
  readonly id: string | undefined;
  /** The request was too large, by the answer's own word. */
  readonly overflow: Overflow | undefined;
  /** An error was said, of whatever kind. */
  readonly failed: boolean;
  /** Content was seen, or anything after which the answer cannot be taken back. */
  readonly began: boolean;
  /** The protocol's own end was seen: nothing is missing. */
  readonly complete: boolean;
  /** Ids of calls that the provider returned behind reasoning. */
  readonly reasonedCalls: readonly string[];
}

export interface AnswerReader {
  /** Bytes as they are without content encoding, cut anywhere. They are not kept once `push` returns, nor changed. */
  readonly push: (chunk: Uint8Array) => void;
  /** The answer's bytes are over, whole or cut. */
  readonly end: () => void;
  /** The same object throughout; it changes with every `push`. */
  readonly state: AnswerState;
}

interface AnswerOptions {
  /** Known from the answer's content type (`isEventStream`). */
  readonly streamed: boolean;
  readonly status: number;
  /** A larger event is skipped. */
  readonly eventBytesMax?: number;
  /** Of a larger answer that is no stream, nothing is known. */
  readonly bodyBytesMax?: number;
}

const MB = 1024 * 1024;
const EVENT_BYTES_MAX = MB;
const BODY_BYTES_MAX = 4 * MB;
const FIRST_ERROR_STATUS = 400;

export function isEventStream(contentType: string | null | undefined): boolean {
  return /^\s*text\/event-stream\b/i.test(contentType ?? "");
}

export function createAnswerReader(protocol: ProtocolName, options: AnswerOptions): AnswerReader {
  const { streamed, status, eventBytesMax = EVENT_BYTES_MAX, bodyBytesMax = BODY_BYTES_MAX } = options;
  const dialect = definitions[protocol].answers;
  const state = { ...BLANK };
  const heard = (saying: AnswerSignal): void => readEvent(state, saying);
  const source =
    streamed && status < FIRST_ERROR_STATUS
      ? splitEvents(eventBytesMax, (event) => heard(dialect.event(event, state.began)))
      : gather(bodyBytesMax, (text) => heard(readWhole(dialect, status, text)));
  return { ...source, state };
}

interface AnswerProgress {
  usage: Usage | undefined;
  besides: Usage | undefined;
  id: string | undefined;
  overflow: Overflow | undefined;
  failed: boolean;
  began: boolean;
  complete: boolean;
  reasons: boolean;
  reasonedCalls: readonly string[];
}

const BLANK: AnswerProgress = {
  usage: undefined,
  besides: undefined,
  id: undefined,
  overflow: undefined,
  failed: false,
  began: false,
  complete: false,
  reasons: false,
  reasonedCalls: [],
};

/** More calls of one answer say nothing new. */
const REASONED_CALLS_MAX = 32;

function readEvent(state: AnswerProgress, signal: AnswerSignal): void {
  const { usage, besides, id, overflow, failed, begins, ends, steps = [] } = signal;
  for (const step of steps)
    if (step.kind === "reasoning") state.reasons = true;
    else if (state.reasons && state.reasonedCalls.length < REASONED_CALLS_MAX)
      state.reasonedCalls = [...state.reasonedCalls, step.id];
  if (besides !== undefined) state.besides = besides;
  if (id !== undefined) state.id = id;
  if (usage !== undefined) state.usage = state.usage === undefined ? usage : mergeUsage(state.usage, usage);
  if (overflow !== undefined) state.overflow ??= overflow;
  if (failed === true) state.failed = true;
  if (begins === true) state.began = true;
  if (ends === true) state.complete = true;
}

/** Collects a body up to a limit and reads it at its end. */
function gather(bytesMax: number, read: (text: string) => void): EventSplitter {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  return {
    push: (chunk) => {
      bytes += chunk.byteLength;
      text = bytes > bytesMax ? "" : text + decoder.decode(chunk, { stream: true });
    },
    end: () => {
      if (bytes > 0 && bytes <= bytesMax) read(text + decoder.decode());
    },
  };
}

function readWhole(dialect: AnswerDialect, status: number, text: string): AnswerSignal {
  if (status >= FIRST_ERROR_STATUS) return { failed: true, overflow: overflowOf(status, text) };
  const members = memberTexts(text);
  return members.size === 0 ? {} : dialect.whole(members);
}

/** What the beginning of an answer has shown. */
type Opening = "undecided" | "content" | "overflow";

/**
 * Whether the beginning of a stream still has to be held back: only while nothing but a prelude came, because an overflow
 * may follow. Each protocol's file says which events are its prelude. An error of another kind is the client's to see.
 */
export function openingOf({ overflow, failed, began, complete }: AnswerState): Opening {
  if (overflow !== undefined && !began) return "overflow";
  return began || failed || complete ? "content" : "undecided";
}

interface EventSplitter {
  readonly push: (chunk: Uint8Array) => void;
  /** The last event counts also without a blank line after it. */
  readonly end: () => void;
}

/** Two line ends in a row, in whichever of the three forms; CR LF is one. */
const BLANK_LINE = /\n[\r\n]|\r\r/;

function splitEvents(eventCharsMax: number, tell: (event: StreamedEvent) => void): EventSplitter {
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
