/** The settings of models: the one that reads the transcript, the one that writes handoffs, and what is known of any. */
import { z } from "zod";
import { ENGINE_NAMES } from "../core/engines/names.ts";
import { ASK_TIMEOUT_MS_MAX } from "../models/settings.ts";
import { PROVIDER_NAMES } from "../models/providers.ts";
import { DEFAULTS } from "./defaults.ts";

const { model, auxiliary, models } = DEFAULTS;

/** A setting: what it takes, its default, and what the reference and the file's template say of it. */
export function setting<Kind extends z.ZodType>(
  kind: Kind,
  standard: z.core.util.NoUndefined<z.core.output<Kind>>,
  about: z.core.GlobalMeta,
): z.ZodDefault<Kind> {
  return kind.default(standard).meta(about);
}

export function section<Shape extends z.ZodRawShape>(description: string, settings: Shape) {
  return z
    .strictObject(settings)
    .prefault({} as never)
    .meta({ description });
}

const ADDRESS = z.url({ protocol: /^https?$/ }).nullable();
/** Keys come from the environment alone; a file may say from which variable. */
export const VARIABLE = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
  .nullable();

const keyVariable = setting(VARIABLE, null, {
  description: "The environment variable with its API key, instead of the provider's usual one.",
  examples: ["MY_API_KEY"],
});

export const modelSection = section("The main model, which reads the transcript.", {
  name: setting(z.string().min(1).nullable(), model.name, {
    description: "The model the transcript is for, by the name its provider uses.",
    examples: ["claude-sonnet-4-5"],
  }),
  provider: setting(z.enum(["auto", ...PROVIDER_NAMES]), model.provider, {
    description:
      "The provider of that model when it writes a handoff itself; `auto` derives it from the name or `base_url`.",
  }),
  base_url: setting(ADDRESS, model.base_url, {
    description: "Its endpoint, if not the provider's own.",
    examples: ["http://127.0.0.1:8080/v1"],
  }),
  api_key_env: keyVariable,
  context_length: setting(z.int().min(1).nullable(), model.context_length, {
    description:
      "The model's context window in tokens. By default the known window of `name`, or 128,000 if it is unknown, or 200,000 without a name.",
    examples: [200_000],
  }),
  max_output_tokens: setting(z.int().min(0), model.max_output_tokens, {
    description: "Tokens of the window that a request reserves for the answer; every limit is a share of what is left.",
    examples: [8_000],
  }),
});

const auxiliaryCompression = section("The model that writes handoffs.", {
  model: setting(z.string().min(1).nullable(), auxiliary.compression.model, {
    description:
      "The model that writes handoffs. If nothing in this section is set, handoffs are written by code alone.",
    examples: ["claude-haiku-4-5"],
  }),
  provider: setting(z.enum(["auto", "main", ...PROVIDER_NAMES]), auxiliary.compression.provider, {
    description:
      "The provider of that model. `auto` derives it from the name or `base_url`; the main model, if it is another one, is used when this one fails. `main` is the main model's provider, and without a `model` the main model itself: in the gateway the model of each conversation, with its client's key.",
  }),
  base_url: setting(ADDRESS, auxiliary.compression.base_url, {
    description: "Its endpoint; with `auto`, one that speaks OpenAI's chat protocol. By default the provider's own.",
    examples: ["http://127.0.0.1:8080/v1"],
  }),
  api_key_env: keyVariable,
  thinking_tokens: setting(z.int().min(0).nullable(), auxiliary.compression.thinking_tokens, {
    description:
      "Output tokens for its reasoning, in addition to the handoff. By default 8,000 for reasoning models, else none.",
    examples: [8_000],
  }),
  timeout_seconds: setting(
    z
      .number()
      .min(1)
      .max(ASK_TIMEOUT_MS_MAX / 1_000),
    auxiliary.compression.timeout_seconds,
    { description: "Maximum time for one answer, including retries.", examples: [60] },
  ),
});

export const auxiliarySection = section("Models that assist the main one.", { compression: auxiliaryCompression });

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

export const modelsSetting = setting(z.record(z.string().min(1), statedFacts), models, {
  description: `What is known of a model, by its name, and how its conversations are compacted: ${FIGURES.map((key) => `\`${key}\``).join(", ")}. Everything else stays as known and as set for all models.`,
  examples: [{ "my-model": { context_length: 32_768 } }],
  "x-expects": "a mapping of model names to figures",
});
