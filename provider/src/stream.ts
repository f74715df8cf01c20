/**
 * A stream as it goes over the wire: events at a pace, with what goes wrong in their midst, noticing at once when nobody
 * reads any more. What was sent until then is reported, because it was paid for.
 */
import { estimateText } from "../../src/core/transcript/estimate.ts";
import type { StreamEvent } from "./contract.ts";
import type { Fault } from "./faults.ts";

type Frame =
  | { readonly kind: "send"; readonly text: string; readonly tokens: number }
  | { readonly kind: "stall"; readonly ms: number | undefined }
  | { readonly kind: "cut" };

export type StreamEnd = "done" | "cut" | "aborted";

/** Ends the connection; if there is none to reach, the stream itself fails. */
export type BreakOff = (controller: ReadableStreamDefaultController<Uint8Array>) => Promise<void>;

export interface StreamOptions {
  /** Tokens a second; undefined for as fast as it is read. */
  readonly pace: number | undefined;
  readonly signal: AbortSignal;
  readonly fault: Fault | undefined;
  /** Breaks the connection. */
  readonly breakOff: BreakOff;
  /** What a `stream-error` says. */
  readonly errors: () => Iterable<StreamEvent>;
  readonly ended: (end: StreamEnd, sentTokens: number) => void;
}

const HALF_WAY = 0.5;
const BROKEN_CHARS = 12;
const MS = 1_000;

export function sseText({ event, data }: StreamEvent): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}

function send(event: StreamEvent): Frame {
  return { kind: "send", text: sseText(event), tokens: event.tokens };
}

function* framesOf(events: Iterable<StreamEvent>, { fault, errors }: StreamOptions): Generator<Frame> {
  if (fault === undefined) {
    for (const event of events) yield send(event);
    return;
  }
  const all = [...events];
  const place = Math.min(all.length, Math.round(all.length * (fault.at ?? HALF_WAY)));
  for (const event of all.slice(0, place)) yield send(event);
  if (fault.kind === "stall") yield { kind: "stall", ms: fault.ms };
  if (fault.kind === "cut") yield { kind: "cut" };
  if (fault.kind === "malformed")
    yield {
      kind: "send",
      text: `data: ${JSON.stringify(all[place]?.data ?? {}).slice(0, BROKEN_CHARS)}\n\n`,
      tokens: 0,
    };
  if (fault.kind === "stream-error") {
    yield send([...errors()].at(-1)!);
    return;
  }
  for (const event of all.slice(place)) yield send(event);
}

export function streamOf(events: Iterable<StreamEvent>, options: StreamOptions): ReadableStream<Uint8Array> {
  const { pace, signal } = options;
  const frames = framesOf(events, options);
  const encoder = new TextEncoder();
  const over = new AbortController();
  const startedMs = performance.now();
  let sentTokens = 0;
  let upcoming = frames.next();
  const end = (how: StreamEnd): void => {
    if (over.signal.aborted) return;
    over.abort();
    options.ended(how, sentTokens);
  };
  signal.addEventListener("abort", () => end("aborted"), { once: true });
  if (signal.aborted) end("aborted");
  /** Everything before the next piece of text: waits, or the end that was ordered. */
  const nextText = async (): Promise<string | undefined> => {
    while (!over.signal.aborted && upcoming.done !== true) {
      const frame = upcoming.value;
      upcoming = frames.next();
      if (frame.kind === "cut") return undefined;
      if (frame.kind === "stall") {
        await pause(frame.ms, over.signal);
        continue;
      }
      sentTokens += frame.tokens;
      if (pace !== undefined) await pause(startedMs + (sentTokens / pace) * MS - performance.now(), over.signal);
      return frame.text;
    }
    return undefined;
  };
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const text = await nextText();
      if (over.signal.aborted) return;
      if (text === undefined) {
        end("cut");
        await options.breakOff(controller);
        return;
      }
      controller.enqueue(encoder.encode(text));
      if (upcoming.done !== true) return;
      end("done");
      controller.close();
    },
    cancel: () => end("aborted"),
  });
}

/** A piece of a text as it comes in a stream. */
interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** About four tokens, as providers send them. */
const PIECE_CHARS = 16;

/** Pieces of a few characters, none of them half a character. */
export function* piecesOf(text: string): Generator<Piece> {
  for (let from = 0; from < text.length;) {
    let end = Math.min(text.length, from + PIECE_CHARS);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    const piece = text.slice(from, end);
    yield { text: piece, tokens: estimateText(piece) };
    from = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Without a time, until the signal comes. */
export function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if ((ms !== undefined && ms <= 0) || signal.aborted) return Promise.resolve();
  return new Promise((done) => {
    const timer = ms === undefined ? undefined : setTimeout(finish, ms);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      done();
    }
    signal.addEventListener("abort", finish, { once: true });
  });
}
