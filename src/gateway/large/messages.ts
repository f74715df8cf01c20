/** What the event loop and the thread for large requests say to each other. */
import type { GatewayEvent, HeaderLines, RequestEvent } from "../contract.ts";

/** A module that can be imported in any thread and makes the gateway's options there, from data that can be copied. */
export interface ThreadSource {
  /** The address of a module that exports a `ThreadModule`. */
  readonly module: string;
  readonly data: unknown;
}

/** A request whose body has come whole, as it was sent. */
export interface LargeRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
  /** Whether only this machine can reach the gateway. */
  readonly loopback: boolean;
}

export type ToThread =
  | (LargeRequest & { readonly kind: "request"; readonly id: number })
  /** The client is gone. */
  | { readonly kind: "abort"; readonly id: number }
  /** The next piece of the answer's body can be taken. */
  | { readonly kind: "pull"; readonly id: number }
  /** No more of the body is wanted. */
  | { readonly kind: "cancel"; readonly id: number }
  /** It is to answer as soon as it hears this. */
  | { readonly kind: "ping" }
  | { readonly kind: "close" };

export type FromThread =
  | {
      readonly kind: "reply";
      readonly id: number;
      readonly status: number;
      readonly headers: HeaderLines;
      /** Whole, none, or to be pulled. */
      readonly body: Uint8Array | undefined | "pulled";
    }
  /** It is read and compacted, and waits for its provider from now on. */
  | { readonly kind: "prepared"; readonly id: number }
  /** Undefined at the end of the body. */
  | { readonly kind: "chunk"; readonly id: number; readonly chunk: Uint8Array | undefined }
  /** The body broke off. */
  | { readonly kind: "broken"; readonly id: number }
  /** The last that is said of a request. */
  | { readonly kind: "over"; readonly id: number; readonly event: RequestEvent }
  | { readonly kind: "pong" }
  | { readonly kind: "event"; readonly event: Exclude<GatewayEvent, RequestEvent> };
