/** Originals on their way into a database and out of it. */
import type { Original } from "../store.ts";
import { query } from "./query.ts";

export interface NewOriginals {
  readonly originals: readonly Original[];
  readonly now: number;
}

export const deletePieces = query<{ original: number }>(`delete from original_pieces where original = :original`);
export const deleteOriginal = query<{ original: number }>(`delete from originals where id = :original`);
