/** A request's consultation of the prompt cache, by the rules of its vendor and its model. */
import { fieldsOf, type Fields } from "../../../src/protocols/fields.ts";
import type { CacheKind } from "../traits.ts";
import { consultAutomatic } from "./automatic.ts";
import { consultBreakpoints } from "./breakpoints.ts";
import type { CachePlan, CacheQuery } from "./entries.ts";
import { requestTtlMs } from "./lifetimes.ts";
import { consultMarked } from "./marked.ts";

export function consultCache(kind: CacheKind, query: CacheQuery, body: Fields): CachePlan {
  if (kind === "marked") return consultMarked(query);
  if (kind === "automatic") return consultAutomatic(query);
  const { mode } = fieldsOf(body["prompt_cache_options"]);
  return consultBreakpoints(query, { explicit: mode === "explicit", ttlMs: requestTtlMs(body) });
}
