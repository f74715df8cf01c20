/** What an image of a transcript's model counts, where the configuration states it. */
import type { Configuration } from "../config/schema.ts";
import type { Measure } from "../core/transcript/measure.ts";
import type { Transcript } from "../core/transcript/message.ts";
import { statedImageTokens } from "../models/registry/registry.ts";
import { registryOf } from "../models/settings.ts";

export function imagesOf({ model }: Transcript, configuration: Configuration): Pick<Measure, "imageTokens"> {
  return statedImageTokens(registryOf(configuration), model ?? configuration.model.name ?? "");
}
