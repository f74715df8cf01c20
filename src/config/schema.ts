/**
 * The one statement of every setting: its type, range, default and meaning. The validator, the JSON Schema, the
 * reference page, the file that `precis config init` writes and the names of the environment variables all follow from it.
 */
import { isAbsolute } from "node:path";
import { z } from "zod";
import { SCHEDULES } from "../core/caching/schedule.ts";
import { DEFAULTS } from "./defaults.ts";
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
        description: "The engine that decides when and how to compact: a built-in one, or a plugin.",
        examples: ["compressor"],
      }),
    preset: z.enum(["documented", "current"]).default(context.preset).meta({
      description:
        "For `compressor`, `handoff` and `stepped`: the documented policy, or that of the agent it comes from today, which overrides `compression`.",
    }),
    remote_compaction: z.enum(["off", "on"]).default(context.remote_compaction).meta({
      description:
        "For `handoff`: whether the provider compacts the conversation itself (OpenAI Responses, `POST /responses/compact`). `precis serve` uses each client's own key for that.",
    }),
    files_folder: z
      .string()
      .refine(isAbsolute, "an absolute path")
      .nullable()
      .default(context.files_folder)
      .meta({
        description:
          "The folder that an agent on this machine works in. The engine `layered` reads files from it, and nothing outside it, to put them back after a compaction (docs/engines/layered.md). Not with a gateway that other machines can reach.",
        examples: ["/home/me/shop"],
        "x-expects": "the absolute path of a folder, or `null`",
      }),
  })
  .prefault({})
  .meta({ description: "How the context is managed." });

const compressionSection = z
  .strictObject({
    enabled: z.boolean().default(compression.enabled).meta({
      description: "Whether to compact automatically. `precis compact --force` and `--budget` always work.",
    }),
    mode: z.enum(["rewrite", "observe"]).default(compression.mode).meta({
      description: "Whether `precis serve` compacts, or only reports what it would have done.",
    }),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .default(compression.threshold)
      .meta({
        description:
          "Compaction starts at this share of the window, or later if system prompt and tools are large (docs/configuration.md).",
        examples: [0.5],
      }),
    target_ratio: z
      .number()
      .min(0.1)
      .max(0.8)
      .default(compression.target_ratio)
      .meta({
        description: "Share of the threshold, less system prompt and tools, that the newest messages keep verbatim.",
        examples: [0.2],
      }),
    protect_last_n: z
      .int()
      .min(1)
      .default(compression.protect_last_n)
      .meta({
        description: "Number of newest messages that are kept verbatim if they fit.",
        examples: [20],
      }),
    protect_first_n: z
      .int()
      .min(0)
      .default(compression.protect_first_n)
      .meta({
        description:
          "Number of messages after the system prompt that are kept verbatim: the first request usually sets the task.",
        examples: [3],
      }),
    note: z.enum(["system", "handoff"]).default(compression.note).meta({
      description:
        "Where the model learns that earlier turns were compacted: in the system prompt, or in the handoff (the default of `precis serve`).",
    }),
    template: z.enum(["thirteen", "seven"]).default(compression.template).meta({
      description: "Sections of the handoff: thirteen, or seven in the short form.",
    }),
    keep_requests: z.enum(["as_fits", "all"]).default(compression.keep_requests).meta({
      description:
        "Whether older requests of the user that do not fit are left out (each can be recalled), or a compaction without room for all is refused.",
    }),
    schedule: z.enum(SCHEDULES).default(compression.schedule).meta({
      description:
        "When `precis serve` compacts, if prices are known. `auto`: from the threshold on, as soon as the bill stays within 1.04 times what it would be without compactions. `threshold`: at the threshold. `cost`: when it costs least, also before the threshold (docs/caching.md).",
    }),
    ingest_limit_tokens: z
      .int()
      .min(0)
      .default(compression.ingest_limit_tokens)
      .meta({
        description:
          "`precis serve` shortens tool results above this many tokens before the model has seen them; each can be recalled. 0 is off.",
        examples: [8_000],
      }),
    model_tool: z.enum(["off", "on"]).default(compression.model_tool).meta({
      description:
        "Whether models behind `precis serve` get a tool, `precis_compact`, to have their conversation compacted at the end of a phase.",
    }),
    room_tool: z.enum(["off", "on"]).default(compression.room_tool).meta({
      description:
        "Whether models behind `precis serve` get a tool, `precis_room`, that says how full the window is, and their clients a header, `x-precis-room`. Models that know this may give up early.",
    }),
  })
  .prefault({})
  .meta({
    description:
      "When a transcript is compacted, and how much of it stays. `threshold`, `target_ratio`, `protect_last_n`, `protect_first_n`, `note` and `template` apply only to the default engine, `compressor`.",
  });

const cachingSection = z
  .strictObject({
    enabled: z.boolean().default(prompt_caching.enabled).meta({
      description:
        "Whether `precis serve` sets cache markers, for Claude on Anthropic's API or through OpenRouter, and for OpenAI's own models.",
    }),
    strategy: z.enum(["spaced", "system_and_3"]).default(prompt_caching.strategy).meta({
      description:
        "Where markers are set. `spaced`: on the system prompt, the newest message, and the part that a compaction leaves unchanged. `system_and_3`: on the system prompt and the last three messages. A client's own markers are kept.",
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
        "Whether models behind `precis serve` get a tool to recall what compactions removed, from the first compaction on. `on`: if the client has tools of its own. `always`: also if it has none. `off`: never.",
    }),
  })
  .prefault({})
  .meta({ description: "How a model can get back what a compaction removed." });

const redactionSection = z
  .strictObject({
    code: z.boolean().default(redaction.code).meta({
      description: "Keep values that source code assigns to a name like `apiKey`, unless they look generated.",
    }),
    patterns: z
      .array(z.string())
      .readonly()
      .default(redaction.patterns)
      .meta({
        description:
          "Patterns of further secrets in RE2 syntax, at most 32 of 512 characters. A match is masked, or only its first group.",
        examples: [["ACME-[0-9]{6}", "ticket (T-[A-Z0-9]{8})"]],
      }),
    stored: z.boolean().default(redaction.stored).meta({
      description: "Mask secrets in conversations and originals before they are stored.",
    }),
    outgoing: z.boolean().default(redaction.outgoing).meta({
      description:
        "Mask secrets also in everything that is sent to the main model, which then cannot use a secret it was given.",
    }),
  })
  .prefault({})
  .meta({
    description:
      "What is masked in handoffs, in the input of a model that writes handoffs, and in logs. The built-in rules cannot be switched off.",
  });

const { hooks } = DEFAULTS;

const HOOKS_MAX = 8;
const HOOK_CHARS_MAX = 4_096;
const TIMEOUT_SECONDS_MAX = 300;

/** An address with credentials would show them wherever it is shown, and no call takes it. */
function isHook(hook: string): boolean {
  if (!/^https?:/i.test(hook)) return /\S/.test(hook) && !hook.includes("\0");
  const url = URL.parse(hook);
  return url !== null && url.hostname !== "" && url.username === "" && url.password === "";
}

function hookList(standard: readonly string[]) {
  return z
    .array(z.string().max(HOOK_CHARS_MAX).refine(isHook, "a command, or an address without credentials"))
    .max(HOOKS_MAX)
    .readonly()
    .default(standard);
}

const EXPECTS = `a list of at most ${HOOKS_MAX} commands or http(s) addresses without credentials`;

const hooksSection = z
  .strictObject({
    before_compact: hookList(hooks.before_compact).meta({
      description:
        "Run before each compaction, which waits for them: shell commands, which get the data on standard input, and http(s) addresses, which get it in a POST.",
      examples: [["save-notes --from-precis"]],
      "x-expects": EXPECTS,
    }),
    after_compact: hookList(hooks.after_compact).meta({
      description: "Run after each compaction, in the same two forms. No request waits for them.",
      examples: [["https://hooks.example.com/compacted"]],
      "x-expects": EXPECTS,
    }),
    timeout_seconds: z
      .number()
      .min(0.1)
      .max(TIMEOUT_SECONDS_MAX)
      .default(hooks.timeout_seconds)
      .meta({ description: "How long each hook may take.", examples: [10] }),
  })
  .prefault({})
  .meta({
    description: "Commands and addresses that are called at compactions (docs/hooks.md).",
  });

export const schema = z.strictObject({
  model: modelSection,
  context: contextSection,
  compression: compressionSection,
  auxiliary: auxiliarySection,
  models: modelsSetting,
  prompt_caching: cachingSection,
  recall: recallSection,
  redaction: redactionSection,
  hooks: hooksSection,
  gateway: gatewaySection,
});

export type Configuration = z.infer<typeof schema>;
