/**
 * A screen is between an answer and its client: calls of some tools are not shown, and answers that follow one another
 * on one turn, because such calls were answered in between, look like one. Everything else goes on as the bytes that came.
 */
import { isFields, type Fields } from "../fields.ts";
import type { Frame } from "./frames.ts";

/** Of a streamed passage this much is kept, to be sent again; of a longer one no hidden call is answered. */
const KEPT_CHARS_MAX = 32 * 1024 * 1024;

export interface KeptEvents {
  readonly texts: string[];
  chars: number;
}

export function keep(kept: KeptEvents, text: string): void {
  kept.chars += text.length;
  if (kept.chars <= KEPT_CHARS_MAX) kept.texts.push(text);
}

export function isWhole({ chars }: Pick<KeptEvents, "chars">): boolean {
  return chars <= KEPT_CHARS_MAX;
}

export type HiddenTools = ReadonlySet<unknown>;

/** A call that its client does not see. */
export interface HiddenCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What the model said between two requests. */
export interface Passage {
  /** Hidden calls that wait for an answer. */
  readonly calls: readonly HiddenCall[];
  /** Nothing else waits for an answer, so the turn goes on without the client. */
  readonly asks: boolean;
  /** The protocol's own end was seen, and no error. */
  readonly complete: boolean;
  /** The end or an error was seen. */
  readonly ended: boolean;
  /** All of it, hidden calls included, as elements of a request's list; undefined where it cannot be sent again. */
  readonly said: () => readonly string[] | undefined;
}

export interface StreamFailure {
  readonly code: string;
  readonly message: string;
}

export interface Screen {
  /** What goes on to the client for one event. From the first hidden call on, the end of an answer is held back. */
  readonly take: (frame: Frame) => string;
  /** The passage that just came. */
  readonly passage: () => Passage;
  readonly release: () => string;
  /** A further passage comes, in place of the end that was held back. */
  readonly goOn: () => void;
  /** How this protocol's stream says that something failed. */
  readonly failure: (failure: StreamFailure) => string;
}

export interface WholePassage extends Passage {
  readonly text: string;
}

export interface WholeScreen {
  /** Undefined where it is no answer that could be read. */
  readonly read: (text: string) => WholePassage | undefined;
  /** One answer of all passages, as the client sees it. */
  readonly join: (passages: readonly WholePassage[]) => string;
}

/**
 * Tokens of several passages as one answer reports them. Output is all that was written. Input is what the last passage read:
 * it holds everything before it, and clients take it for how full their window is.
 */
export function joinedUsage(passages: readonly unknown[], outputKeys: readonly string[]): Fields | undefined {
  const usages = passages.filter(isFields);
  const last = usages.at(-1);
  if (last === undefined || usages.length === 1) return last;
  const summed = Object.fromEntries(
    outputKeys.flatMap((key) => {
      const [first, ...others] = usages
        .map((usage) => usage[key])
        .filter((value) => value !== undefined && value !== null);
      return first === undefined ? [] : [[key, others.reduce(added, first)] as const];
    }),
  );
  return { ...last, ...summed };
}

/** Numbers are added, also inside of objects; of anything else the later one counts. */
function added(one: unknown, other: unknown): unknown {
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (!isFields(one) || !isFields(other)) return other;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    Array.from(keys, (key) => [
      key,
      key in one && key in other ? added(one[key], other[key]) : (other[key] ?? one[key]),
    ]),
  );
}
