/**
 * The one statement of every setting: its type, range, default and meaning. The validator, the JSON Schema, the
 * reference page, the file that `precis config init` writes and the names of the environment variables all follow from it.
 */
import { z } from "zod";
import { DEFAULTS } from "./defaults.ts";

const { model, context, compression, auxiliary, prompt_caching } = DEFAULTS;

/** Marks a setting that is checked today and read by a later feature; shown wherever the setting is described. */
const LATER = { "x-later": true };

const modelSection = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .nullable()
      .default(model.name)
      .meta({
        description: "The model the transcript is for, by the name its provider uses.",
        examples: ["claude-sonnet-4-5"],
      }),
    context_length: z
      .int()
      .min(1)
      .nullable()
      .default(model.context_length)
      .meta({
        description: "The model's window in tokens. While it is not set, 200,000 is assumed.",
        examples: [200_000],
      }),
    max_output_tokens: z
      .int()
      .min(0)
      .default(model.max_output_tokens)
      .meta({
        description:
          "Tokens of the window that a request reserves for the answer; every limit is a share of what is left.",
        examples: [8_000],
      }),
  })
  .prefault({})
  .meta({ description: "The model that reads the transcript." });

const contextSection = z
  .strictObject({
    engine: z
      .string()
      .min(1)
      .default(context.engine)
      .meta({
        description:
          "The engine that decides when to compact and how. A name that is not built in must be a plugin's; none is ever chosen for you.",
        examples: ["compressor"],
      }),
  })
  .prefault({})
  .meta({ description: "How the context is managed." });

const compressionSection = z
  .strictObject({
    enabled: z.boolean().default(compression.enabled).meta({
      description:
        "Whether compactions happen by themselves. An explicit `precis compact --force` or `--budget` works either way.",
    }),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(compression.threshold)
      .meta({
        description:
          "Compaction triggers at this share of the usable window (window − reserved output), and at 0.85 of it at the latest.",
        examples: [0.5],
      }),
    threshold_floor_tokens: z
      .int()
      .min(0)
      .default(compression.threshold_floor_tokens)
      .meta({
        description: "Never trigger below this many tokens; 0 is off. Agents with large fixed prompts often use 64000.",
        examples: [64_000],
      }),
    target_ratio: z
      .number()
      .min(0.1)
      .max(0.8)
      .default(compression.target_ratio)
      .meta({
        description:
          "Share of the threshold that is kept verbatim at the end, up to 1.5 times that to keep an exchange whole.",
        examples: [0.2],
      }),
    protect_last_n: z
      .int()
      .min(1)
      .default(compression.protect_last_n)
      .meta({
        description: "Newest messages that stay verbatim as long as they fit the tail's ceiling; the last 3 always do.",
        examples: [20],
      }),
    protect_first_n: z
      .int()
      .min(0)
      .default(compression.protect_first_n)
      .meta({
        description: "Messages after the system prompt that stay verbatim: the opening request usually sets the task.",
        examples: [3],
      }),
    note: z.enum(["system", "handoff"]).default(compression.note).meta({
      description:
        "Where the model is told that earlier turns were compacted: once in the system prompt, or in the handoff, which leaves a cached system prompt alone.",
    }),
    template: z.enum(["thirteen", "seven"]).default(compression.template).meta({
      description: "Sections of the handoff: thirteen, or the seven of a shorter form.",
    }),
    schedule: z
      .enum(["threshold", "cost"])
      .default(compression.schedule)
      .meta({
        description: "What picks the moment: the threshold, or the price of the cache against the tokens saved.",
        ...LATER,
      }),
    ingest_limit_tokens: z
      .int()
      .min(0)
      .default(compression.ingest_limit_tokens)
      .meta({
        description: "Tool results above this many tokens are digested as they arrive; 0 is off.",
        examples: [8_000],
        ...LATER,
      }),
  })
  .prefault({})
  .meta({ description: "When a transcript is compacted, and how much of it stays." });

const auxiliaryCompression = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .nullable()
      .default(auxiliary.compression.model)
      .meta({
        description:
          "The model that writes handoffs. While it is not set, handoffs are written from the ledger, by code alone.",
        examples: ["claude-haiku-4-5"],
        ...LATER,
      }),
    provider: z
      .string()
      .min(1)
      .default(auxiliary.compression.provider)
      .meta({
        description: "Where that model is reached: `auto` goes by the model's name.",
        examples: ["auto"],
        ...LATER,
      }),
    base_url: z
      .url({ protocol: /^https?$/ })
      .nullable()
      .default(auxiliary.compression.base_url)
      .meta({
        description: "An OpenAI-compatible endpoint of your own.",
        examples: ["http://127.0.0.1:8080/v1"],
        ...LATER,
      }),
  })
  .prefault({})
  .meta({ description: "The model that writes handoffs." });

const auxiliarySection = z
  .strictObject({ compression: auxiliaryCompression })
  .prefault({})
  .meta({ description: "Models that work beside the main one." });

const cachingSection = z
  .strictObject({
    enabled: z
      .boolean()
      .default(prompt_caching.enabled)
      .meta({
        description: "Whether cache breakpoints are set, where the model and its provider take them.",
        ...LATER,
      }),
    strategy: z
      .enum(["system_and_3"])
      .default(prompt_caching.strategy)
      .meta({ description: "Where breakpoints go: the system prompt and the last three messages.", ...LATER }),
    cache_ttl: z
      .enum(["5m", "1h"])
      .default(prompt_caching.cache_ttl)
      .meta({
        description: "How long a cached prefix lives; 1h costs more to write and suits sessions with pauses.",
        ...LATER,
      }),
  })
  .prefault({})
  .meta({ description: "Prompt-cache breakpoints." });

export const schema = z.strictObject({
  model: modelSection,
  context: contextSection,
  compression: compressionSection,
  auxiliary: auxiliarySection,
  prompt_caching: cachingSection,
});

/** Every setting, each present: what a door reads. */
export type Configuration = z.infer<typeof schema>;
