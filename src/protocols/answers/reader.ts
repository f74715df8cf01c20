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
import { splitFrames, type Frame } from "./frames.ts";
import { memberTexts, type AnswerDialect, type AnswerSignal, type StreamedEvent } from "./own-answer.ts";

function nothingRead() {
  return {
    /** Everything reported until now, cached and written tokens included. */
    usage: undefined as Usage | undefined,
    /** What the provider took beside that and does not count in it: a compaction of its own. */
    besides: undefined as Usage | undefined,
    /** The name by which a later request may refer to the answer, in protocols that have threads. */
    id: undefined as string | undefined,
    /** The request was too large, by the answer's own word. */
    overflow: undefined as Overflow | undefined,
    /** An error was said, of whatever kind. */
    failed: false,
    /** Content was seen, or anything after which the answer cannot be taken back. */
    began: false,
    /** The protocol's own end was seen: nothing is missing. */
    complete: false,
    /** Reasoning was seen. */
    reasons: false,
    /** Ids of calls that the provider returned behind reasoning. */
    reasonedCalls: [] as readonly string[],
  };
}

type AnswerProgress = ReturnType<typeof nothingRead>;
export type AnswerState = Readonly<AnswerProgress>;

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
  const state = nothingRead();
  const heard = (saying: AnswerSignal): void => readEvent(state, saying);
  const source =
    streamed && status < FIRST_ERROR_STATUS
      ? splitEvents(eventBytesMax, (event) => heard(dialect.event(event, state.began)))
      : gather(bodyBytesMax, (text) => heard(readWhole(dialect, status, text)));
  return { ...source, state };
}

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

function splitEvents(eventCharsMax: number, tell: (event: StreamedEvent) => void): EventSplitter {
  const splitter = splitFrames(eventCharsMax);
  const hear = (frames: readonly (Frame | string)[]): void => {
    for (const frame of frames) if (typeof frame !== "string" && frame.data !== "") tell(frame);
  };
  return { push: (chunk) => hear(splitter.push(chunk)), end: () => hear(splitter.end()) };
}
