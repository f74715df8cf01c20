/** A request that passed every rule, with all that its answer needs. */
import type { Incoming } from "./contract.ts";
import type { ProviderContext } from "./context.ts";
import type { ModelTraits } from "./traits.ts";
import type { IncomingRequest, RequestContext } from "./request-context.ts";
import type { AcceptedRequest, Wire } from "./wire.ts";

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
