/** What a provider answers to a request that it does not take, in its own words. */
import type { Fields } from "../dialect.ts";

/** What a refusal is about; the account counts by it. */
export type Reason =
  | "authentication"
  | "route"
  | "size"
  | "encoding"
  | "json"
  | "version"
  | "model"
  | "shape"
  | "roles"
  | "pairing"
  | "ids"
  | "arguments"
  | "empty"
  | "markers"
  | "thinking"
  | "reasoning"
  | "state"
  | "thread"
  | "compaction"
  | "window"
  | "fault";

/** An answer other than 2xx, in words that each protocol puts into its own body. */
export interface Refusal {
  readonly status: number;
  readonly reason: Reason;
  /** The vendor's sentence. */
  readonly message: string;
  /** The vendor's name for the error where its status does not tell it. */
  readonly type?: string;
  /** OpenAI's `code` and `param`. */
  readonly code?: string;
  readonly param?: string;
  /** Anthropic's `details`, with the code that clients go by. */
  readonly details?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body, where it is not the protocol's own but another server's. */
  readonly body?: string;
}

/** A 400. */
export function invalid(reason: Reason, message: string, more: Pick<Refusal, "code" | "param"> = {}): Refusal {
  return { status: 400, reason, message, ...more };
}

/** The first of `items` that is refused. */
export function firstRefusal<Item>(
  items: readonly Item[],
  check: (item: Item, at: number) => Refusal | undefined,
): Refusal | undefined {
  for (let at = 0; at < items.length; at++) {
    const refusal = check(items[at]!, at);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
