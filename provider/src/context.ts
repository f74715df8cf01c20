/** What a provider is made of; every request goes through the same parts. */
import type { AccountBook } from "./account.ts";
import type { Answerer } from "./answers.ts";
import type { CacheEntries } from "./caches/entries.ts";
import type { FaultRates } from "./faults.ts";
import type { Limits } from "./limits.ts";
import type { Memory } from "./memory.ts";
import type { Recorder, RequestRecord } from "./record.ts";
import type { Sealer } from "./seals.ts";
import type { Incoming } from "./contract.ts";
import type { IncomingRequest, RequestContext } from "./request-context.ts";
import type { ModelBook, ModelTraits } from "./traits.ts";
import type { AcceptedRequest, Wire } from "./wire.ts";

export interface ProviderContext {
  readonly models: ModelBook;
  readonly answerer: Answerer;
  readonly entries: CacheEntries;
  readonly sealer: Sealer;
  /** Numbers in [0, 1), for faults. */
  readonly draw: () => number;
  readonly memoryOf: (key: string) => Memory;
  readonly books: AccountBook;
  readonly recorder: Recorder;
  readonly limits: Limits;
  readonly faults: FaultRates;
  readonly seed: number;
  readonly now: () => number;
  readonly pace: number | undefined;
  readonly onRequest: (record: RequestRecord) => void;
}

/** A request that passed every rule, with all that its answer needs. */
export interface Admitted {
  readonly provider: ProviderContext;
  readonly wire: Wire;
  readonly context: RequestContext;
  readonly received: IncomingRequest;
  readonly incoming: Incoming;
  readonly model: string;
  readonly traits: ModelTraits;
  readonly accepted: AcceptedRequest;
}
