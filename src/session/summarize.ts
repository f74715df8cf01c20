/**
 * The one switch of a session: who writes the handoffs. A model by its name is reached as the configuration would reach
 * it; a function sends the question behind the conversation to the main model, with the host's own client and key.
 */
import { DEFAULTS } from "../config/defaults.ts";
import {
  contextLengthOption,
  isName,
  isObject,
  nonEmptyText,
  oneOf,
  makeOption,
  type OptionKind,
} from "../config/options.ts";
import { PrecisError } from "../core/errors.ts";
import type { Writer, Writers } from "../core/handoff/model/writer.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { Answer } from "../models/answers.ts";
import { chooseModels } from "../models/choice.ts";
import { PROVIDER_NAMES, type ProviderName } from "../models/providers.ts";
import { createRegistry } from "../models/registry/registry.ts";
import type { ModelSettings } from "../models/settings.ts";
import { createWriters } from "../models/writers.ts";
import { environmentVariables } from "../platform/builtin.ts";
import type { Decoded } from "../protocols/protocol.ts";
import { createInPlaceWriter } from "./in-place.ts";
import { describedAnswer, overflowOf } from "./provider-error.ts";

/** A model and where it is reached; whatever is left out follows from its name. */
export interface SummaryModel {
  readonly model: string;
  readonly provider?: ProviderName;
  /** Where `/chat/completions`, `/responses` or `/messages` is appended to. */
  readonly baseUrl?: string;
  /** By default the one in the provider's environment variable. */
  readonly apiKey?: string;
  /** Its window in tokens. */
  readonly contextLength?: number;
}

/**
 * Sends a request, in the shape that the session was given, as the host sends its own, and answers with the provider's
 * answer, parsed or as a `Response`. The parameter takes whatever type the host's client wants.
 */
export type SendRequest = (request: never, options: { readonly signal: AbortSignal }) => unknown;

export type Summarize = string | SummaryModel | SendRequest | Writer;

const HTTP = /^https?:$/;

const summaryModel: Readonly<Record<keyof SummaryModel, OptionKind>> = {
  model: nonEmptyText,
  provider: oneOf(...PROVIDER_NAMES),
  baseUrl: makeOption("an http(s) address", (value) => isName(value) && HTTP.test(URL.parse(value)?.protocol ?? "")),
  apiKey: nonEmptyText,
  contextLength: contextLengthOption,
};

function isSummaryModel(value: unknown): boolean {
  if (!isObject(value) || value["model"] === undefined) return false;
  const kinds: Readonly<Record<string, OptionKind>> = summaryModel;
  return Object.entries(value).every(([key, one]) => one === undefined || kinds[key]?.fits(one) === true);
}

export const summarizeOption = makeOption(
  "the name of a model, `{ model, provider?, baseUrl?, apiKey?, contextLength? }`, a function that sends a request, or a writer",
  (value) => isName(value) || typeof value === "function" || isWriter(value) || isSummaryModel(value),
);

function isWriter(value: unknown): value is Writer {
  return typeof (value as Partial<Writer> | null | undefined)?.ask === "function";
}

/**
 * The models that write by themselves; nothing where a function has the main one write.
 *
 * @throws PrecisError `bad_options` where a model's name does not tell where it is reached.
 */
export function summaryWriters(summarize: Summarize | undefined): Pick<Writers, "auxiliary" | "main"> | undefined {
  if (summarize === undefined || typeof summarize === "function") return undefined;
  if (isWriter(summarize)) return { auxiliary: summarize };
  const stated = typeof summarize === "string" ? { model: summarize } : summarize;
  if (stated.model === "main") throw withoutMain();
  const settings = readSettings(stated);
  const choice = chooseModels(settings).auxiliary;
  if (choice !== undefined && "problem" in choice) throw unreachable(stated.model);
  const variables = environmentVariables();
  const environment = stated.apiKey === undefined ? variables : { ...variables, [OWN_KEY]: stated.apiKey };
  const { auxiliary: writer } = createWriters(settings, { environment, overflow: readOverflow });
  return writer === undefined ? {} : { auxiliary: writer };
}

/** Where the key is that a program handed over; no variable of an environment is called so. */
const OWN_KEY = "summarize.apiKey";

function readSettings(stated: SummaryModel): ModelSettings {
  const { auxiliary: defaults, ...others } = DEFAULTS;
  return {
    ...others,
    auxiliary: {
      compression: {
        ...defaults.compression,
        model: stated.model,
        provider: stated.provider ?? "auto",
        base_url: stated.baseUrl ?? null,
        api_key_env: stated.apiKey === undefined ? null : OWN_KEY,
        context_length: stated.contextLength ?? null,
      },
    },
  };
}

function withoutMain(): PrecisError {
  return new PrecisError(
    "createSession: `summarize` is `main`, but a session sends no requests, so it cannot ask the main model.",
    {
      code: "bad_options",
      place: "summarize",
      hint: "Pass a function that sends a request with your client: `summarize: (request) => client.messages.create(request)`.",
    },
  );
}

function unreachable(name: string): PrecisError {
  return new PrecisError(`createSession: the provider of \`${name}\` is not known.`, {
    code: "bad_options",
    place: "summarize",
    hint: "Pass `{ model, provider }` or, for a server of your own, `{ model, baseUrl }`.",
  });
}

function readOverflow(status: number, body: string): ReturnType<typeof overflowOf> {
  return overflowOf({ status, body });
}

/** What a session knows of the conversation that its main model is asked behind. */
export interface InPlaceCall {
  readonly windowTokens: number;
  readonly model: string;
  /** As it would go out now. */
  readonly request: (conversation: Transcript) => Decoded;
  /** Whether the host's requests are JSON texts. */
  readonly asText: boolean;
}

export function mainInPlace(send: SendRequest, { asText, ...call }: InPlaceCall): Writer {
  return createInPlaceWriter({
    ...call,
    registry: createRegistry(),
    quotes: true,
    send: async (body, signal = new AbortController().signal) => {
      try {
        const request = asText ? body : (JSON.parse(body) as unknown);
        return await readAnswer(await send(request as never, { signal }));
      } catch (error) {
        signal.throwIfAborted();
        const described = describedAnswer(error);
        if (described === undefined) throw error;
        return { headers: new Headers(), ...described };
      }
    },
  });
}

async function readAnswer(value: unknown): Promise<Pick<Answer, "status" | "headers" | "body">> {
  if (value instanceof Response) {
    const { status, headers } = value;
    return { status, headers, body: await value.text() };
  }
  const body = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return { status: 200, headers: new Headers(), body };
}
