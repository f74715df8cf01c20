/** The engine that never compacts: for hosts that have their own way, and as the floor of a comparison. */
import type { Engine } from "../contract.ts";

const BECAUSE = "the engine is `none`, which never compacts";

/** The engine `none`, which never compacts. */
export function createNone(): Engine<null> {
  return {
    name: "none",
    compacts: false,
    init: () => null,
    observe: () => null,
    decide: () => ({ kind: "none", because: BECAUSE }),
    compact: (_, transcript, { measure, budget, standing = transcript }) => {
      const smallest = measure.transcript(standing);
      const over = budget !== undefined && smallest > budget;
      const irreducible = over ? { irreducible: { limit: budget, smallest, because: BECAUSE } } : {};
      return Promise.resolve({ kind: "unchanged", because: BECAUSE, ...irreducible });
    },
  };
}
