/**
 * The provider's own compaction from the command line: the provider of the main model, asked with the person's own key. Where
 * it cannot be asked, the report says why, and the handoff is written as without it.
 */
import type { Configuration } from "../config/schema.ts";
import { builtInName } from "../core/engines/names.ts";
import type { Remote } from "../core/engines/contract.ts";
import { mainChoice, type Choice } from "../models/choice.ts";
import { registryOf } from "../models/settings.ts";
import { pricesOf } from "../models/writers.ts";
import type { ProtocolName } from "../protocols/index.ts";
import { notCompacted, responsesCompaction, unavailableRemote, withinTime } from "../session/responses-compaction.ts";
import { outwardFetch } from "./outward-proxies.ts";
import type { WriterAccess } from "./writer-access.ts";

export interface RemoteRequest extends WriterAccess {
  /** The protocol of the result: the item can stand in no other than its own. */
  readonly protocol: ProtocolName;
  /** The model that the transcript names. */
  readonly named: string | undefined;
}

const SECOND_MS = 1_000;
const OFFERED_BY: readonly string[] = ["openai", "openai-compatible"];

/** Undefined where it is not asked for. */
export function remoteFor(configuration: Configuration, request: RemoteRequest): Remote | undefined {
  const { context, auxiliary } = configuration;
  if (context.remote_compaction === "off" || builtInName(context.engine) !== "handoff") return undefined;
  const { environment, before } = request;
  const choice = choiceFor(configuration, request);
  if ("problem" in choice) return unavailableRemote(choice.problem);
  const { model, baseUrl = "", keyVariable } = choice;
  const key = keyIn(environment, keyVariable);
  const remote = responsesCompaction({
    baseUrl,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    model,
    prices: pricesOf(choice, registryOf(configuration)),
    fetch: outwardFetch(environment),
  });
  const timed = withinTime(remote, auxiliary.compression.timeout_seconds * SECOND_MS);
  return async (transcript, signal) => {
    await before(model);
    return timed(transcript, signal).catch((fault: unknown) => {
      throw key === undefined ? withKeyHint(fault) : fault;
    });
  };
}

const DENIED = /answered 40[13]\b/;

/** No provider's own key is sent to another address, so a server that demands one needs its variable named. */
function withKeyHint(fault: unknown): unknown {
  if (!(fault instanceof Error) || !DENIED.test(fault.message)) return fault;
  return notCompacted(`${fault.message}, and no key was sent: name its environment variable in model.api_key_env`);
}

/** Where the main model is reached, or why it cannot be asked. */
function choiceFor(
  { model }: Configuration,
  { protocol, named, environment }: RemoteRequest,
): Choice | { readonly problem: string } {
  if (protocol !== "openai-responses")
    return { problem: `the item of the provider can only stand in openai-responses, and the result is ${protocol}` };
  const choice = mainChoice({ model: { ...model, name: model.name ?? named ?? null } });
  if (choice === undefined) return { problem: "model.name is not set" };
  if ("problem" in choice) return choice;
  const { provider, keyVariable } = choice;
  if (!OFFERED_BY.includes(provider.name)) return { problem: `${provider.title} does not offer /responses/compact` };
  const hasKey = provider.keyOptional === true || keyIn(environment, keyVariable) !== undefined;
  return hasKey ? choice : { problem: `${provider.title} needs a key: set the environment variable ${keyVariable}` };
}

function keyIn(environment: WriterAccess["environment"], variable: string): string | undefined {
  return environment[variable]?.trim() || undefined;
}
