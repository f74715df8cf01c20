/** One compaction as the command line makes it: configured, on originals held in memory, measured by our own estimator. */
import { toEngineSettings } from "../../config/engine-settings.ts";
import type { Configuration } from "../../config/schema.ts";
import type { Outcome, Remote } from "../../core/engines/contract.ts";
import { withoutOriginals } from "../../core/receipt/counts.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import type { Transcript } from "../../core/transcript/message.ts";
import type { Writer, Writers } from "../../core/handoff/model/writer.ts";
import { policyOf } from "../../gateway/gateway-options.ts";
import { createWriters, findPrices } from "../../models/writers.ts";
import type { ProtocolName } from "../../core/protocols.ts";
import { loadSecretRules } from "../../secrets/rules.ts";
import { overflowOf } from "../../session/provider-error.ts";
import type { Runtime, RuntimeOptions } from "../../session/contract.ts";
import type { HookFailure, OperatorHookSettings } from "../../session/operator-hooks/operator-hooks.ts";
import { createOperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import { createRuntime } from "../../session/runtime.ts";
import { originalsOf } from "../../session/make-compaction.ts";
import type { Original } from "../../store/store.ts";
import type { PluginSource } from "../../plugins/load.ts";
import type { DisabledEngine } from "../../session/events.ts";
import { parseBudget } from "../screen/amounts.ts";
import { readImageTokens } from "../settings/flags.ts";
import type { Input } from "../files/input.ts";
import { outwardFetch } from "../gateway/options.ts";
import { builtInName } from "../../core/engines/names.ts";
import { chooseMain, type Choice } from "../../models/choice.ts";
import { registryOf } from "../../models/settings.ts";
import {
  notCompacted,
  responsesCompaction,
  unavailableRemote,
  withinTime,
} from "../../session/responses-compaction.ts";
import type { Environment } from "../../config/environment.ts";

export interface CompactionRequest {
  /** As given: tokens, or a share of the input. */
  readonly budget?: string | undefined;
  readonly focus?: string | undefined;
  readonly force: boolean;
  /** False: no recall id leads anywhere, and what only one leads to is lost. */
  readonly keepsOriginals?: boolean;
  readonly to?: ProtocolName | undefined;
  /** Messages that stay, messages that go, as numbers and ranges with commas between; and a fact for the handoff. */
  readonly pin?: string | undefined;
  readonly drop?: string | undefined;
  readonly fact?: string | undefined;
  readonly engine: PluginSource | string;
  readonly hooks?: OperatorHookSettings;
  readonly readFile?: NonNullable<RuntimeOptions["readFile"]>;
}

export type CompactionOutcome = Outcome & {
  readonly transcript: Transcript;
  readonly before: number;
  readonly budget: number | undefined;
  readonly originals: readonly Original[];
  readonly disabledEngine?: DisabledEngine;
  readonly hookFailures: readonly HookFailure[];
};

export type ForcedCompaction = CompactionOutcome & {
  /** Why it was made by other figures than the documented ones. */
  readonly because?: string;
  readonly exhausted?: true;
};

/** As a session without a gateway has it. */
const LOCAL_TENANT = "local";
/** What is aimed for where a compaction is forced and the documented figures would keep everything. */
const FORCED_BUDGET = "20%";
const FORCED_BECAUSE = `with the documented figures everything would be kept at this window, so --budget ${FORCED_BUDGET} was used`;

/** As `--force` has it: by the documented figures, and where these gain nothing, by a budget that keeps less word for word. */
export async function compactForced(
  ...[input, configuration, request]: Parameters<typeof compactInput>
): Promise<ForcedCompaction> {
  const documented = await compactInput(input, configuration, request);
  if (documented.kind === "compacted" || input.decoded?.locked !== undefined) return documented;
  // It is one attempt for whoever is told before it.
  const hooks = { ...request.hooks, beforeCompact: [] };
  const second = await compactInput(input, configuration, { ...request, hooks, budget: FORCED_BUDGET });
  const smaller = { ...second, hookFailures: [...documented.hookFailures, ...second.hookFailures] };
  if (smaller.kind === "unchanged") return { ...documented, exhausted: true };
  // Nobody asked for that budget: a result above it is still a gain.
  const { irreducible: _, ...report } = smaller.compaction.report;
  return { ...smaller, compaction: { ...smaller.compaction, report }, because: FORCED_BECAUSE };
}

/** Without `asking` code writes the handoff, whatever is configured. */
export async function compactInput(
  input: Input,
  configuration: Configuration,
  request: CompactionRequest & { readonly asking?: WriterAccess },
): Promise<CompactionOutcome> {
  const { transcript, decoded } = input;
  const images = readImageTokens(transcript, configuration);
  const before = createMeasure(images).transcript(transcript);
  const budget = request.budget === undefined ? undefined : parseBudget(request.budget, before);
  const asIs = { transcript, before, budget, originals: [], hookFailures: [] };
  if (decoded?.locked !== undefined) return { kind: "unchanged", because: decoded.locked, ...asIs };
  const asked = request.force || budget !== undefined;
  if (!configuration.compression.enabled && !asked)
    return { kind: "unchanged", because: "compression.enabled is false; --force compacts anyway", ...asIs };
  const secrets = await loadSecretRules(configuration.redaction);
  const hooks = createOperatorHooks(request.hooks, secrets);
  const hookFailures: HookFailure[] = [];
  const hooked = {
    tenant: LOCAL_TENANT,
    model: transcript.model ?? "",
    onFailure: (one: HookFailure) => void hookFailures.push(one),
  };
  const runtime = createRuntime({
    engine: request.engine,
    settings: settingsFor(transcript, configuration),
    // The model's name would correct the estimates, and a budget is in plain ones.
    perModel: () => policyOf(registryOf(configuration), transcript.model ?? ""),
    ...images,
    secrets,
    ...(request.readFile === undefined ? {} : { readFile: request.readFile }),
    ...(hooks === undefined ? {} : { hooks: hooks.forSession(hooked) }),
    redactOutgoing: configuration.redaction.outgoing,
    ...(request.asking === undefined ? {} : modelsFor(input, configuration, { ...request, asking: request.asking })),
  });
  const shorter = await markByHand(runtime, transcript, request);
  const made = await runtime.compact(transcript, {
    force: request.force,
    reason: budget === undefined ? "explicit" : "budget",
    ...(budget === undefined ? {} : { budget }),
    ...(request.focus === undefined ? {} : { focus: request.focus }),
  });
  await hooks?.settled();
  const whole = shorter === undefined ? made : afterDrop(shorter, made, before);
  const outcome = request.keepsOriginals === false ? withLosses(whole) : whole;
  const originals = outcome.kind === "compacted" ? originalsOf(outcome.compaction, transcript) : [];
  const { disabledEngine } = runtime.report();
  return {
    ...outcome,
    before,
    budget,
    originals,
    hookFailures,
    ...(disabledEngine === undefined ? {} : { disabledEngine }),
  };
}

function withLosses(outcome: RuntimeOutcome): RuntimeOutcome {
  if (outcome.kind === "unchanged") return outcome;
  const { compaction } = outcome;
  const { receipt, ...report } = compaction.report;
  if (receipt === undefined) return outcome;
  return { ...outcome, compaction: { ...compaction, report: { ...report, receipt: withoutOriginals(receipt) } } };
}

function modelsFor(
  { transcript, protocol: own }: Input,
  configuration: Configuration,
  { to: protocol = own, asking }: CompactionRequest & { readonly asking: WriterAccess },
): Pick<RuntimeOptions, "writers" | "remote"> {
  const remote = remoteFor(configuration, { ...asking, protocol, named: transcript.model });
  return { writers: writersFor(configuration, asking), ...(remote === undefined ? {} : { remote }) };
}

type RuntimeOutcome = Awaited<ReturnType<Runtime["compact"]>>;

async function markByHand(
  runtime: Runtime,
  transcript: Transcript,
  { pin, drop, fact }: Pick<CompactionRequest, "pin" | "drop" | "fact">,
): Promise<RuntimeOutcome | undefined> {
  for (const messages of splitRanges(pin)) await runtime.pin(transcript, { messages });
  if (fact !== undefined) await runtime.pin(transcript, { fact });
  let last: RuntimeOutcome | undefined;
  for (const messages of splitRanges(drop)) {
    const outcome = await runtime.drop(transcript, { messages });
    if (outcome.kind === "compacted") last = outcome;
  }
  return last;
}

function splitRanges(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(",");
}

/** What was dropped is dropped, also where nothing more was to be done. */
function afterDrop(dropped: RuntimeOutcome, made: RuntimeOutcome, before: number): RuntimeOutcome {
  const outcome = made.kind === "compacted" ? made : dropped;
  if (outcome.kind === "unchanged") return outcome;
  const { compaction } = outcome;
  const { report } = compaction;
  return { ...outcome, compaction: { ...compaction, report: { ...report, tokens: { ...report.tokens, before } } } };
}

function overflow(status: number, body: string): ReturnType<typeof overflowOf> {
  return overflowOf({ status, body });
}

function writersFor(configuration: Configuration, { environment, before }: WriterAccess): Writers {
  const { auxiliary, main, ...writers } = createWriters(configuration, {
    environment,
    overflow,
    fetch: outwardFetch(environment),
  });
  const withBefore = ({ ask, ...writer }: Writer): Writer => ({
    ...writer,
    ask: async (prompt, signal) => {
      await before(writer.model);
      return ask(prompt, signal);
    },
  });
  return {
    ...writers,
    ...(auxiliary === undefined ? {} : { auxiliary: withBefore(auxiliary) }),
    ...(main === undefined ? {} : { main: withBefore(main) }),
  };
}

/** Where there is no system prompt the note goes into the handoff: it must not become a system prompt of its own. */
function settingsFor(transcript: Transcript, configuration: Configuration): ReturnType<typeof toEngineSettings> {
  const settings = toEngineSettings(configuration, transcript.model);
  return transcript.system.length === 0 ? { ...settings, note: "handoff" } : settings;
}

/**
 * The provider's own compaction from the command line: the provider of the main model, asked with the person's own key. Where
 * it cannot be asked, the report says why, and the handoff is written as without it.
 */
interface RemoteRequest extends WriterAccess {
  /** The protocol of the result: the item can stand in no other than its own. */
  readonly protocol: ProtocolName;
  readonly named: string | undefined;
}

const SECOND_MS = 1_000;
const OFFERED_BY: readonly string[] = ["openai", "openai-compatible"];

function remoteFor(configuration: Configuration, request: RemoteRequest): Remote | undefined {
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
    prices: findPrices(choice, registryOf(configuration)),
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

function choiceFor(
  { model }: Configuration,
  { protocol, named, environment }: RemoteRequest,
): Choice | { readonly problem: string } {
  if (protocol !== "openai-responses")
    return { problem: `the item of the provider can only stand in openai-responses, and the result is ${protocol}` };
  const choice = chooseMain({ model: { ...model, name: model.name ?? named ?? null } });
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

interface WriterAccess {
  readonly environment: Environment;
  readonly before: (model: string) => Promise<void>;
}
