/** What goes wrong at providers, to order: by a script for one request, or at a rate for any. */
import type { Refusal } from "../../src/protocols/request-form/openai-refusals.ts";
import type { FaultWords } from "./wire.ts";

export const FAULT_KINDS = [
  /** 429 with `retry-after`. */
  "rate-limit",
  /** 500. */
  "server-error",
  /** 529; OpenAI says 503. */
  "overloaded",
  /** The answer stops coming, and goes on later or never. */
  "stall",
  /** The connection ends in the middle of the answer. */
  "cut",
  /** An event, or the body, that is not JSON. */
  "malformed",
  /** The window is said to be exceeded: inside of a stream before any content, else as a 400. */
  "overflow",
  /** An error event in the middle of a stream. */
  "stream-error",
  /** 200, without content, because the window was full. */
  "window-stop",
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** Where in the stream, from 0 (before its first event) to 1; half way by default. */
  readonly at?: number;
  /** How long a stall lasts; for ever by default, which is until the client gives up. */
  readonly ms?: number;
  readonly retryAfterSeconds?: number;
}

/** Kinds as people type them. */
const FAULT_ALIASES: Readonly<Record<string, FaultKind>> = {
  "429": "rate-limit",
  "500": "server-error",
  "529": "overloaded",
};

export function faultKind(name: string): FaultKind | undefined {
  return FAULT_ALIASES[name] ?? FAULT_KINDS.find((kind) => kind === name);
}

export type FaultRates = Partial<Readonly<Record<FaultKind, number>>>;

/** One draw a kind, always all of them, so that a request's fate does not depend on the rates of other kinds. */
export function drawFault(rates: FaultRates, draw: () => number): Fault | undefined {
  const hit = FAULT_KINDS.map((kind) => ({ kind, hit: draw() < (rates[kind] ?? 0) })).find((one) => one.hit);
  return hit === undefined ? undefined : { kind: hit.kind };
}

const RETRY_AFTER_SECONDS = 2;

/** The refusal that a fault is; undefined for those that happen to an answer. */
export function refusalOf(fault: Fault, words: FaultWords): Refusal | undefined {
  switch (fault.kind) {
    case "rate-limit":
      return {
        ...words["rate-limit"],
        reason: "fault",
        headers: { "retry-after": String(fault.retryAfterSeconds ?? RETRY_AFTER_SECONDS) },
      };
    case "server-error":
    case "overloaded":
      return { ...words[fault.kind], reason: "fault" };
    default:
      return undefined;
  }
}
