/** The requests a provider remembers: enough to see what was sent and what became of it, within bounds. */
import type { ProtocolName } from "../../src/core/protocols.ts";
import type { TokenUse } from "./contract.ts";
import type { Reason } from "../../src/protocols/request-form/openai-refusals.ts";
import type { FaultKind } from "./faults.ts";
import type { Limits } from "./limits.ts";

export type Outcome = "open" | "answered" | "refused" | "cut" | "aborted";

export interface RequestRecord {
  /** Counted from 0 over the provider's life. */
  readonly index: number;
  /** Of the provider's clock. */
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly protocol: ProtocolName | undefined;
  readonly key: string;
  model: string;
  stream: boolean;
  /** The body as it came, decompressed; empty where bodies are not kept. */
  body: string;
  status: number;
  outcome: Outcome;
  reason?: Reason;
  /** The vendor's sentence of a refusal. */
  message?: string;
  fault?: FaultKind;
  use?: TokenUse;
  outputTokens?: number;
  usd?: number;
  /** From its arrival until it was done with. */
  tookMs?: number;
  /** When the connection closed before the answer was whole, and when that was noticed (`performance.now()`). */
  abort?: { readonly closedMs: number; readonly noticedMs: number };
}

export interface Recorder {
  readonly requests: readonly RequestRecord[];
  readonly add: (record: Omit<RequestRecord, "index">) => RequestRecord;
  readonly keepBody: (record: RequestRecord, text: string) => void;
}

/** Keeps the newest; bodies of the oldest go first. */
export function createRecorder({ recordedRequests, recordedBytes }: Limits): Recorder {
  const requests: RequestRecord[] = [];
  let count = 0;
  let bytes = 0;
  const forget = (record: RequestRecord): void => {
    bytes -= record.body.length;
    record.body = "";
  };
  return {
    requests,
    add: (record) => {
      const added = { ...record, index: count++ };
      requests.push(added);
      if (requests.length > recordedRequests) forget(requests.shift()!);
      return added;
    },
    keepBody: (record, text) => {
      if (recordedRequests === 0 || text.length > recordedBytes) return;
      record.body = text;
      bytes += text.length;
      for (const one of requests) {
        if (bytes <= recordedBytes) return;
        if (one !== record && one.body !== "") forget(one);
      }
    },
  };
}
