/** A store whose changes wait: what a compaction would keep is kept only if the person who sees it wants it so. */
import type { Compaction } from "../../core/compaction/compaction.ts";
import type { HistoryStore } from "../../store/store.ts";

export interface StagedStore {
  readonly store: HistoryStore;
  /** Makes the changes, in the order in which they were asked for; with another compaction in place of the one that was recorded. */
  readonly commit: (edited?: Compaction) => Promise<void>;
}

export function stageStore(store: HistoryStore): StagedStore {
  const changes: ((edited?: Compaction) => Promise<unknown>)[] = [];
  const later = (change: (edited?: Compaction) => Promise<unknown>): void => void changes.push(change);
  return {
    store: {
      ...store,
      putOriginals: async (tenant, originals) => later(() => store.putOriginals(tenant, originals)),
      undoCompaction: async (tenant, link) => later(() => store.undoCompaction(tenant, link)),
      putState: async (tenant, root, state) => later(() => store.putState(tenant, root, state)),
      putCompaction: async (tenant, compaction, root) => {
        later((edited) => store.putCompaction(tenant, edited ?? compaction, root));
        return compaction;
      },
    },
    commit: async (edited) => {
      for (const change of changes) await change(edited);
    },
  };
}
