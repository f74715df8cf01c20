/** Lists of models as the two vendors give them. */
import type { ProtocolName } from "../protocols/index.ts";
import type { Fields } from "./contract.ts";
import type { ModelBook } from "./traits.ts";

/** Dates of models are not kept: one day for all. */
const CREATED = Date.UTC(2026, 0, 1);
const MS = 1_000;

/** All models, or the one named; undefined where that does not exist. */
export function modelList(models: ModelBook, protocol: ProtocolName, name?: string): Fields | undefined {
  const entry = protocol === "anthropic-messages" ? anthropicModel : openaiModel;
  if (name !== undefined) return models.find(name) === undefined ? undefined : entry(models, name);
  const data = models.names().map((one) => entry(models, one));
  if (protocol !== "anthropic-messages") return { object: "list", data };
  return { data, has_more: false, first_id: data[0]?.["id"] ?? null, last_id: data.at(-1)?.["id"] ?? null };
}

function openaiModel(_: ModelBook, id: string): Fields {
  return { id, object: "model", created: CREATED / MS, owned_by: "precis" };
}

function anthropicModel(models: ModelBook, id: string): Fields {
  const traits = models.find(id);
  return {
    type: "model",
    id,
    display_name: id,
    created_at: new Date(CREATED).toISOString(),
    max_input_tokens: traits?.windowTokens,
    max_tokens: traits?.maxOutputTokens,
  };
}
