/** What every store must do, whatever keeps it: one call runs the whole suite. */
import { describe } from "vitest";
import { historyContract } from "./contract/history.ts";
import { recordsContract } from "./contract/records.ts";
import { searchContract } from "./contract/search.ts";
import { sequencesContract } from "./contract/sequences.ts";
import type { OpenStore } from "./contract/things.ts";

/** `open` answers with a new, empty store each time; the caller clears away what it made. */
export function storeContract(name: string, open: OpenStore): void {
  describe(`a store (${name})`, () => {
    recordsContract(open);
    historyContract(open);
    searchContract(open);
    sequencesContract(open);
  });
}
