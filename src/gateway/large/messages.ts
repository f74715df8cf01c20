/** What the event loop and the thread for large requests say to each other. */
import type { GatewayEvent, HeaderLines, RequestEvent } from "../contract.ts";

/** A module that can be imported in any thread and makes the gateway's options there, from data that can be copied. */
export interface ThreadSource {
  /** The address of a module that exports a `ThreadModule`. */
  readonly module: string;
  readonly data: unknown;
}

/** A request whose body has come whole, as it was sent. */
interface LargeRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
  readonly loopback: boolean;
}

export type ToThread =
  | (LargeRequest & { readonly kind: "request"; readonly id: number })
  | { readonly kind: "abort"; readonly id: number }
  /** So many pieces of the answer's body were taken: as many more can be. */
  | { readonly kind: "taken"; readonly id: number; readonly pieces: number }
  /** No more of the body is wanted. */
  | { readonly kind: "cancel"; readonly id: number }
  /** It is to answer as soon as it hears this. */
  | { readonly kind: "ping" }
  | { readonly kind: "close" };

/** Pieces of an answer's body that may be on their way. */
export const PIECES_AHEAD_MAX = 4;

export type FromThread =
  | {
      readonly kind: "reply";
      readonly id: number;
      readonly status: number;
      readonly headers: HeaderLines;
      readonly body: Uint8Array | undefined | "pulled";
    }
  /** It is read and compacted, and waits for its provider from now on. */
  | { readonly kind: "prepared"; readonly id: number }
  | { readonly kind: "chunk"; readonly id: number; readonly chunk: Uint8Array | undefined }
  | { readonly kind: "broken"; readonly id: number }
  | { readonly kind: "over"; readonly id: number; readonly event: RequestEvent }
  | { readonly kind: "pong" }
  | { readonly kind: "event"; readonly event: Exclude<GatewayEvent, RequestEvent> };
