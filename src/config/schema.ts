/**
 * The one statement of every setting: its type, range, default and meaning. The validator, the JSON Schema, the
 * reference page, the file that `precis config init` writes and the names of the environment variables all follow from it.
 */
import { z } from "zod";
import { DEFAULTS } from "./defaults.ts";
import { enginesSection } from "./schema-engines.ts";
import { gatewaySection } from "./schema-gateway.ts";
import { auxiliarySection, modelSection, modelsSetting } from "./schema-models.ts";

const { context, compression, prompt_caching, recall, redaction } = DEFAULTS;

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
    preset: z.enum(["documented", "current"]).default(context.preset).meta({
      description:
        "For `compressor`, `handoff` and `stepped`: the policy as it is documented, or what the agent it comes from does today, whose figures then hold instead of those of `compression`. Other engines have one policy.",
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
    mode: z.enum(["rewrite", "observe"]).default(compression.mode).meta({
      description:
        "What `precis serve` does about a request that is too long: rewrite it, or forward it as it came and only report what would have been done.",
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
    keep_requests: z.enum(["as_fits", "all"]).default(compression.keep_requests).meta({
      description:
        "Whether a compaction may leave out older requests of the user. `as_fits`: yes, where they do not fit; each can be recalled, and how many may be missed is reported. `all`: never; a compaction without room for every one is refused with the reason (`keep_requests`), and the request goes out as it came.",
    }),
    schedule: z.enum(["threshold", "cost"]).default(compression.schedule).meta({
      description:
        "What picks the moment in `precis serve`, where prices of the model's cache are known: the threshold, or what costs least. Either way a compaction that would be a loss waits, at most until the window is 0.85 full (docs/caching.md).",
    }),
    ingest_limit_tokens: z
      .int()
      .min(0)
      .default(compression.ingest_limit_tokens)
      .meta({
        description:
          "`precis serve` digests tool results above this many tokens as they arrive, before the model has seen them; the original is kept under the id that the digest shows. 0 is off.",
        examples: [8_000],
      }),
  })
  .prefault({})
  .meta({
    description:
      "When a transcript is compacted, and how much of it stays. `enabled`, `mode`, `keep_requests`, `schedule` and `ingest_limit_tokens` hold for every engine; the others are the default engine's, `compressor`.",
  });

const cachingSection = z
  .strictObject({
    enabled: z.boolean().default(prompt_caching.enabled).meta({
      description:
        "Whether `precis serve` sets cache markers, where the model and its provider take them: Claude on Anthropic's API or through OpenRouter, and OpenAI's own models.",
    }),
    strategy: z.enum(["spaced", "system_and_3"]).default(prompt_caching.strategy).meta({
      description:
        "Where markers go. `spaced`: the system prompt, the newest message, and what a compaction leaves alone, never further apart than a provider looks back. `system_and_3`: the system prompt and the last three messages. A client's own markers stay and count towards the four.",
    }),
    cache_ttl: z.enum(["5m", "1h"]).default(prompt_caching.cache_ttl).meta({
      description: "How long a cached prefix lives; 1h costs more to write and suits sessions with pauses.",
    }),
  })
  .prefault({})
  .meta({ description: "Prompt-cache breakpoints." });

const recallSection = z
  .strictObject({
    tool: z.enum(["off", "on", "always"]).default(recall.tool).meta({
      description:
        "Whether models behind `precis serve` get a tool with which they recall what left their conversation, from its first compaction on. The gateway answers it, and the client sees nothing of it. `on`: where the client has tools of its own. `always`: also where it has none. `off`: never.",
    }),
  })
  .prefault({})
  .meta({ description: "What a model can do about what a compaction took away." });

const redactionSection = z
  .strictObject({
    code: z.boolean().default(redaction.code).meta({
      description:
        "Spare source code: what a program assigns to a name like `apiKey` stays, unless a machine made it. Known tokens, headers, addresses, keys and environment variables are masked all the same.",
    }),
    patterns: z
      .array(z.string())
      .readonly()
      .default(redaction.patterns)
      .meta({
        description:
          "Further secrets, as RE2 patterns: at most 32 of 512 characters each. What one matches is masked; where it has a group, only what the first group matches.",
        examples: [["ACME-[0-9]{6}", "ticket (T-[A-Z0-9]{8})"]],
      }),
    stored: z.boolean().default(redaction.stored).meta({
      description:
        "Mask secrets in conversations and originals before they are kept. What is recalled, exported or put in a conversation's place is then masked too.",
    }),
    outgoing: z.boolean().default(redaction.outgoing).meta({
      description:
        "Mask secrets in everything that is sent to the main model too, not only in what precis writes. The model then cannot use a secret it was given.",
    }),
  })
  .prefault({})
  .meta({
    description:
      "What is masked in handoffs, in what a summarizing model reads, and in logs. The rules that come with precis are never off.",
  });

export const schema = z.strictObject({
  model: modelSection,
  context: contextSection,
  compression: compressionSection,
  engines: enginesSection,
  auxiliary: auxiliarySection,
  models: modelsSetting,
  prompt_caching: cachingSection,
  recall: recallSection,
  redaction: redactionSection,
  gateway: gatewaySection,
});

/** Every setting, each present: what a door reads. */
export type Configuration = z.infer<typeof schema>;
