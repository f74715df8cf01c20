/**
 * What is kept: compaction records by the link of the prefix they cover, and the originals behind recall ids.
 * Append-only: undo adds a tombstone. Every key is scoped to a tenant, and records never cross tenants.
 */
import type { Compaction } from "../core/compaction/compaction.ts";

/** What a recall id leads to. */
export interface Original {
  readonly id: string;
  readonly kind: "result" | "arguments" | "media" | "text" | "span";
  /** The tool and target, for a person. */
  readonly label: string;
  /** The original bytes; for a span one JSON text per message, each on a line of its own. */
  readonly text: string;
}

export interface Standing {
  /** The record of the longest covered prefix that is not undone. */
  readonly compaction?: Compaction;
  /** True where a longer one was undone: the person did not want it, so nothing automatic replaces it. */
  readonly undone: boolean;
}

export interface SearchHit {
  readonly id: string;
  readonly label: string;
  /** The first line that holds the query. */
  readonly line: string;
}

export interface Store {
  /** Records a compaction under the link it covers. The first record of a link wins; the standing one is returned. */
  readonly putCompaction: (tenant: string, compaction: Compaction) => Promise<Compaction>;
  /** What stands for a conversation, given its links (one a message, in order). */
  readonly findCompaction: (tenant: string, links: readonly string[]) => Promise<Standing>;
  /** Marks the record of this link as undone. */
  readonly undoCompaction: (tenant: string, link: string) => Promise<void>;
  readonly putOriginals: (tenant: string, originals: readonly Original[]) => Promise<void>;
  readonly getOriginal: (tenant: string, id: string) => Promise<Original | undefined>;
  /** Originals that hold every word of the query, newest first, at most `limit`. */
  readonly search: (tenant: string, query: string, limit: number) => Promise<readonly SearchHit[]>;
}
