/**
 * The one statement of every setting: its type, range, default and meaning. The validator, the JSON Schema, the
 * reference page, the file that `precis config init` writes and the names of the environment variables all follow from it.
 */
import { isAbsolute } from "node:path";
import { z } from "zod";
import { SCHEDULES } from "../core/caching/schedule.ts";
import { DEFAULTS } from "./defaults.ts";
import { gatewaySection } from "./schema-gateway.ts";
import { auxiliarySection, modelSection, modelsSetting, section, setting } from "./schema-models.ts";

const { context, compression, prompt_caching, recall, redaction } = DEFAULTS;

const contextSection = section("How the context is managed.", {
  engine: setting(z.string().min(1), context.engine, {
    description: "The engine that decides when and how to compact: a built-in one, or a plugin.",
    examples: ["compressor"],
  }),
  preset: setting(z.enum(["documented", "current"]), context.preset, {
    description:
      "For `compressor`, `handoff` and `stepped`: the documented policy, or that of the agent it comes from today, which overrides `compression`.",
  }),
  remote_compaction: setting(z.enum(["off", "on"]), context.remote_compaction, {
    description:
      "For `handoff`: whether the provider compacts the conversation itself (OpenAI Responses, `POST /responses/compact`). `precis serve` uses each client's own key for that.",
  }),
  files_folder: setting(z.string().refine(isAbsolute, "an absolute path").nullable(), context.files_folder, {
    description:
      "The folder that an agent on this machine works in. The engine `layered` reads files from it, and nothing outside it, to put them back after a compaction (docs/engines/layered.md). Not with a gateway that other machines can reach.",
    examples: ["/home/me/shop"],
    "x-expects": "the absolute path of a folder, or `null`",
  }),
});

const compressionSection = section(
  "When a transcript is compacted, and how much of it stays. `threshold`, `target_ratio`, `protect_last_n`, `protect_first_n`, `note` and `template` apply only to the default engine, `compressor`.",
  {
    enabled: setting(z.boolean(), compression.enabled, {
      description: "Whether to compact automatically. `precis compact --force` and `--budget` always work.",
    }),
    mode: setting(z.enum(["rewrite", "observe"]), compression.mode, {
      description: "Whether `precis serve` compacts, or only reports what it would have done.",
    }),
    threshold: setting(z.number().min(0).max(1), compression.threshold, {
      description:
        "Compaction starts at this share of the window, or later if system prompt and tools are large (docs/configuration.md).",
      examples: [0.5],
    }),
    target_ratio: setting(z.number().min(0.1).max(0.8), compression.target_ratio, {
      description: "Share of the threshold, less system prompt and tools, that the newest messages keep verbatim.",
      examples: [0.2],
    }),
    protect_last_n: setting(z.int().min(1), compression.protect_last_n, {
      description: "Number of newest messages that are kept verbatim if they fit.",
      examples: [20],
    }),
    protect_first_n: setting(z.int().min(0), compression.protect_first_n, {
      description:
        "Number of messages after the system prompt that are kept verbatim: the first request usually sets the task.",
      examples: [3],
    }),
    note: setting(z.enum(["system", "handoff"]), compression.note, {
      description:
        "Where the model learns that earlier turns were compacted: in the system prompt, or in the handoff (the default of `precis serve`).",
    }),
    template: setting(z.enum(["thirteen", "seven"]), compression.template, {
      description: "Sections of the handoff: thirteen, or seven in the short form.",
    }),
    keep_requests: setting(z.enum(["as_fits", "all"]), compression.keep_requests, {
      description:
        "Whether older requests of the user that do not fit are left out (each can be recalled), or a compaction without room for all is refused.",
    }),
    schedule: setting(z.enum(SCHEDULES), compression.schedule, {
      description:
        "When `precis serve` compacts, if prices are known. `auto`: from the threshold on, as soon as the bill stays within 1.04 times what it would be without compactions. `threshold`: at the threshold. `cost`: when it costs least, also before the threshold (docs/caching.md).",
    }),
    ingest_limit_tokens: setting(z.int().min(0), compression.ingest_limit_tokens, {
      description:
        "`precis serve` shortens tool results above this many tokens before the model has seen them; each can be recalled. 0 is off.",
      examples: [8_000],
    }),
    model_tool: setting(z.enum(["off", "on"]), compression.model_tool, {
      description:
        "Whether models behind `precis serve` get a tool, `precis_compact`, to have their conversation compacted at the end of a phase.",
    }),
    room_tool: setting(z.enum(["off", "on"]), compression.room_tool, {
      description:
        "Whether models behind `precis serve` get a tool, `precis_room`, that says how full the window is, and their clients a header, `x-precis-room`. Models that know this may give up early.",
    }),
  },
);

const cachingSection = section("Prompt-cache breakpoints.", {
  enabled: setting(z.boolean(), prompt_caching.enabled, {
    description:
      "Whether `precis serve` sets cache markers, for Claude on Anthropic's API or through OpenRouter, and for OpenAI's own models.",
  }),
  strategy: setting(z.enum(["spaced", "system_and_3"]), prompt_caching.strategy, {
    description:
      "Where markers are set. `spaced`: on the system prompt, the newest message, and the part that a compaction leaves unchanged. `system_and_3`: on the system prompt and the last three messages. A client's own markers are kept.",
  }),
  cache_ttl: setting(z.enum(["5m", "1h"]), prompt_caching.cache_ttl, {
    description: "How long a cached prefix lives; 1h costs more to write and suits sessions with pauses.",
  }),
});

const recallSection = section("How a model can get back what a compaction removed.", {
  tool: setting(z.enum(["off", "on", "always"]), recall.tool, {
    description:
      "Whether models behind `precis serve` get a tool to recall what compactions removed, from the first compaction on. `on`: if the client has tools of its own. `always`: also if it has none. `off`: never.",
  }),
});

const redactionSection = section(
  "What is masked in handoffs, in the input of a model that writes handoffs, and in logs. The built-in rules cannot be switched off.",
  {
    code: setting(z.boolean(), redaction.code, {
      description: "Keep values that source code assigns to a name like `apiKey`, unless they look generated.",
    }),
    patterns: setting(z.array(z.string()).readonly(), redaction.patterns, {
      description:
        "Patterns of further secrets in RE2 syntax, at most 32 of 512 characters. A match is masked, or only its first group.",
      examples: [["ACME-[0-9]{6}", "ticket (T-[A-Z0-9]{8})"]],
    }),
    stored: setting(z.boolean(), redaction.stored, {
      description: "Mask secrets in conversations and originals before they are stored.",
    }),
    outgoing: setting(z.boolean(), redaction.outgoing, {
      description:
        "Mask secrets also in everything that is sent to the main model, which then cannot use a secret it was given.",
    }),
  },
);

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

const HOOK = z.string().max(HOOK_CHARS_MAX).refine(isHook, "a command, or an address without credentials");
const HOOK_LIST = z.array(HOOK).max(HOOKS_MAX).readonly();

const EXPECTS = `a list of at most ${HOOKS_MAX} commands or http(s) addresses without credentials`;

const hooksSection = section("Commands and addresses that are called at compactions (docs/hooks.md).", {
  before_compact: setting(HOOK_LIST, hooks.before_compact, {
    description:
      "Run before each compaction, which waits for them: shell commands, which get the data on standard input, and http(s) addresses, which get it in a POST.",
    examples: [["save-notes --from-precis"]],
    "x-expects": EXPECTS,
  }),
  after_compact: setting(HOOK_LIST, hooks.after_compact, {
    description: "Run after each compaction, in the same two forms. No request waits for them.",
    examples: [["https://hooks.example.com/compacted"]],
    "x-expects": EXPECTS,
  }),
  timeout_seconds: setting(z.number().min(0.1).max(TIMEOUT_SECONDS_MAX), hooks.timeout_seconds, {
    description: "How long each hook may take.",
    examples: [10],
  }),
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
