/** A request that passed every rule, with all that its answer needs. */
import type { Incoming } from "./contract.ts";
import type { House } from "./house.ts";
import type { ModelTraits } from "./traits.ts";
import type { Arrival, Visit } from "./visit.ts";
import type { Accepted, Wire } from "./wire.ts";

export interface Admitted {
  readonly house: House;
  readonly wire: Wire;
  readonly visit: Visit;
  readonly arrival: Arrival;
  readonly incoming: Incoming;
  readonly model: string;
  readonly traits: ModelTraits;
  readonly accepted: Accepted;
}
