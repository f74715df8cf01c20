/**
 * What a conversation wants kept before its provider has taken the request that brought it: whoever is refused leaves
 * nothing in the store. It waits in memory, is found there by the conversation itself, and is written when that request,
 * or one that goes on from it, is taken.
 */
import type { Compaction } from "../../core/compaction/compaction.ts";
import type { HistoryStore, Original, Store } from "../../store/store.ts";

/** A store that can be asked whether it would keep something. */
export type CheckedStore = Store &
  Pick<HistoryStore, "getState" | "putState"> & { readonly checkWritable: (bytes?: number) => Promise<void> };

export interface Pending {
  /** For the conversation's runtime. What a person pinned is read where it is kept. */
  readonly store: Store & Pick<HistoryStore, "getState" | "putState">;
  /** What is put from now on was brought by the request that ends in this link; by a refusal of it, where there is a trial. */
  readonly broughtBy: (link: string | undefined, trial?: object) => void;
  /** What refusals of a request brought is like anything else that waits once it was taken, and gone otherwise. */
  readonly tried: (trial: object, isAccepted: boolean) => void;
  /** Further work that waits with it. */
  readonly add: (write: () => Promise<unknown>) => void;
  /** A request with these links was taken: writes what it and those before it brought. @throws PrecisError of the store. */
  readonly keep: (links: readonly string[]) => Promise<void>;
  /** Requests whose writes wait. */
  readonly waiting: () => number;
}

interface Write {
  readonly link: string;
  /** The request whose refusals brought it, as long as none of its smaller forms was taken. */
  readonly trial?: object | undefined;
  readonly run: () => Promise<unknown>;
  readonly compaction?: Compaction;
  readonly originals?: readonly Original[];
}

export function createPending(store: CheckedStore): Pending {
  let writes: readonly Write[] = [];
  let link = "";
  let trial: object | undefined;
  let keeping: Promise<unknown> = Promise.resolve();
  const add = (write: Omit<Write, "link">): void => void (writes = [...writes, { link, trial, ...write }]);
  const writeAll = async (links: ReadonlySet<string>): Promise<void> => {
    for (const write of writes.filter((one) => one.trial === undefined && links.has(one.link))) {
      await write.run();
      writes = writes.filter((one) => one !== write);
    }
  };
  return {
    store: {
      ...overlaid(store, () => writes),
      getState: store.getState,
      putState: store.putState,
      putOriginals: async (tenant, originals) => {
        if (originals.length === 0) return;
        // What could not be kept may not leave the conversation either.
        await store.checkWritable(originals.reduce((bytes, { text }) => bytes + text.length, 0));
        // A later compaction may refer to them too, whatever becomes of this one.
        add({ trial: undefined, originals, run: () => store.putOriginals(tenant, originals) });
      },
      putCompaction: async (tenant, compaction, root) => {
        if (!writes.some((one) => one.link === link)) await store.checkWritable();
        add({ compaction, run: () => store.putCompaction(tenant, compaction, root) });
        return compaction;
      },
      undoCompaction: async (tenant, covers) => add({ run: () => store.undoCompaction(tenant, covers) }),
    },
    broughtBy: (last = "", tried = undefined) => {
      link = last;
      trial = tried;
    },
    tried: (tried, isAccepted) => {
      if (trial === tried) trial = undefined;
      writes = writes.flatMap((one) => {
        if (one.trial !== tried) return [one];
        return isAccepted ? [{ ...one, trial: undefined }] : [];
      });
    },
    add: (run) => add({ run }),
    keep: (links) => {
      if (writes.length === 0) return Promise.resolve();
      const kept = keeping.then(() => writeAll(new Set(links)));
      keeping = kept.catch(() => undefined);
      return kept;
    },
    waiting: () => new Set(writes.map((one) => one.link)).size,
  };
}

/** Reads see what waits as if it were kept; a search by words sees only what is. */
function overlaid(
  store: Store,
  writes: () => readonly Write[],
): Pick<Store, "findCompaction" | "getOriginal" | "search"> {
  return {
    findCompaction: async (tenant, links) => {
      const standing = await store.findCompaction(tenant, links);
      const waiting = writes().flatMap(({ compaction }) => compaction ?? []);
      if (waiting.length === 0) return standing;
      const reach = ({ covers }: Compaction): number => links.lastIndexOf(covers);
      // The newest of those that reach furthest.
      const found = waiting.reduce<Compaction | undefined>(
        (best, one) => (reach(one) >= Math.max(0, best === undefined ? 0 : reach(best)) ? one : best),
        undefined,
      );
      if (found === undefined || reach(found) < 0) return standing;
      const { compaction } = standing;
      return compaction !== undefined && reach(compaction) > reach(found)
        ? standing
        : { compaction: found, undone: false };
    },
    getOriginal: async (tenant, id) => {
      const waiting = writes().flatMap(({ originals = [] }) => originals);
      return waiting.findLast((one) => one.id === id) ?? store.getOriginal(tenant, id);
    },
    search: store.search,
  };
}
