/** Lists of models, as each vendor gives them. */
import type { Fields } from "../../src/protocols/fields.ts";
import type { ModelBook } from "./traits.ts";
import type { Wire } from "./wire.ts";

/** Dates of models are not kept: one day for all. */
export const MODEL_CREATED_MS = Date.UTC(2026, 0, 1);

/** All models, or the one named; undefined where that does not exist. */
export function modelList(models: ModelBook, { entry, list }: Wire["models"], name?: string): Fields | undefined {
  if (name === undefined) return list(models.names().map((one) => entry(models, one)));
  return models.find(name) === undefined ? undefined : entry(models, name);
}
