/** Compactions that were made to be looked at: kept in memory for a few minutes, perhaps edited, and applied exactly as they were shown. */
import { randomBytes } from "node:crypto";
import { PrecisError } from "../../core/errors.ts";
import type { UnkeptCompaction } from "./change.ts";

const PREVIEW_MS = 10 * 60_000;
const PREVIEWS_MAX = 8;
const ID_BYTES = 9;

export interface Previews {
  readonly add: (made: UnkeptCompaction) => string;
  /** @throws PrecisError `unknown_preview`. */
  readonly get: (session: string, id: string) => UnkeptCompaction;
  readonly delete: (id: string) => void;
}

export function createPreviews(now: () => number = Date.now): Previews {
  const previews = new Map<string, { readonly made: UnkeptCompaction; readonly until: number }>();
  const forgetOld = (): void => {
    for (const [id, { until }] of previews) if (until < now() || previews.size > PREVIEWS_MAX) previews.delete(id);
  };
  return {
    add: (made) => {
      const id = randomBytes(ID_BYTES).toString("base64url");
      previews.set(id, { made, until: now() + PREVIEW_MS });
      forgetOld();
      return id;
    },
    get: (session, id) => {
      forgetOld();
      const made = previews.get(id)?.made;
      if (made?.session === session) return made;
      throw new PrecisError("there is no such preview any more", {
        code: "unknown_preview",
        hint: "A preview can be applied once, within ten minutes. Make a new one.",
      });
    },
    delete: (id) => void previews.delete(id),
  };
}
