/** The settings of models: the one that reads the transcript, the one that writes handoffs, and what is known of any. */
import { z } from "zod";
import { ENGINE_NAMES } from "../core/engines/names.ts";
import { ASK_TIMEOUT_MS_MAX } from "../models/settings.ts";
import { PROVIDER_NAMES } from "../models/providers.ts";
import { DEFAULTS } from "./defaults.ts";

const { model, auxiliary, models } = DEFAULTS;

function address() {
  return z.url({ protocol: /^https?$/ }).nullable();
}

/** Keys come from the environment alone; a file may say from which variable. */
function keyVariable() {
  return z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .nullable()
    .default(null)
    .meta({
      description: "The environment variable with its API key, instead of the provider's usual one.",
      examples: ["MY_API_KEY"],
    });
}

export const modelSection = z
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
    provider: z
      .enum(["auto", ...PROVIDER_NAMES])
      .default(model.provider)
      .meta({
        description:
          "The provider of that model when it writes a handoff itself; `auto` derives it from the name or `base_url`.",
      }),
    base_url: address()
      .default(model.base_url)
      .meta({ description: "Its endpoint, if not the provider's own.", examples: ["http://127.0.0.1:8080/v1"] }),
    api_key_env: keyVariable(),
    context_length: z
      .int()
      .min(1)
      .nullable()
      .default(model.context_length)
      .meta({
        description:
          "The model's context window in tokens. By default the known window of `name`, or 128,000 if it is unknown, or 200,000 without a name.",
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
  .meta({ description: "The main model, which reads the transcript." });

const auxiliaryCompression = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .nullable()
      .default(auxiliary.compression.model)
      .meta({
        description:
          "The model that writes handoffs. If nothing in this section is set, handoffs are written by code alone.",
        examples: ["claude-haiku-4-5"],
      }),
    provider: z
      .enum(["auto", "main", ...PROVIDER_NAMES])
      .default(auxiliary.compression.provider)
      .meta({
        description:
          "The provider of that model. `auto` derives it from the name or `base_url`; the main model, if it is another one, is used when this one fails. `main` is the main model's provider, and without a `model` the main model itself: in the gateway the model of each conversation, with its client's key.",
      }),
    base_url: address()
      .default(auxiliary.compression.base_url)
      .meta({
        description:
          "Its endpoint; with `auto`, one that speaks OpenAI's chat protocol. By default the provider's own.",
        examples: ["http://127.0.0.1:8080/v1"],
      }),
    api_key_env: keyVariable(),
    thinking_tokens: z
      .int()
      .min(0)
      .nullable()
      .default(auxiliary.compression.thinking_tokens)
      .meta({
        description:
          "Output tokens for its reasoning, in addition to the handoff. By default 8,000 for reasoning models, else none.",
        examples: [8_000],
      }),
    timeout_seconds: z
      .number()
      .min(1)
      .max(ASK_TIMEOUT_MS_MAX / 1_000)
      .default(auxiliary.compression.timeout_seconds)
      .meta({ description: "Maximum time for one answer, including retries.", examples: [60] }),
  })
  .prefault({})
  .meta({ description: "The model that writes handoffs." });

export const auxiliarySection = z
  .strictObject({ compression: auxiliaryCompression })
  .prefault({})
  .meta({ description: "Models that assist the main one." });

const tokens = z.int().min(1).optional();
const usdPerMtok = z.number().min(0).optional();

const statedFacts = z.strictObject({
  context_length: tokens,
  max_output_tokens: tokens,
  input_usd_per_mtok: usdPerMtok,
  output_usd_per_mtok: usdPerMtok,
  cache_read_usd_per_mtok: usdPerMtok,
  cache_write_5m_usd_per_mtok: usdPerMtok,
  cache_write_1h_usd_per_mtok: usdPerMtok,
  cache_minimum_tokens: tokens,
  image_tokens: tokens,
  threshold: z.number().gt(0).lt(1).optional(),
  keep_recent_tokens: tokens,
  engine: z.enum(ENGINE_NAMES as readonly [string, ...string[]]).optional(),
});

export const FIGURES: readonly string[] = Object.keys(statedFacts.shape);

export const modelsSetting = z
  .record(z.string().min(1), statedFacts)
  .default(models)
  .meta({
    description: `What is known of a model, by its name, and how its conversations are compacted: ${FIGURES.map((key) => `\`${key}\``).join(", ")}. Everything else stays as known and as set for all models.`,
    examples: [{ "my-model": { context_length: 32_768 } }],
    "x-expects": "a mapping of model names to figures",
  });
