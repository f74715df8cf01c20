/** What the options of sessions and of their calls may be. Whatever the configuration file has too is its own schema. */
import { z } from "zod";
import {
  createOptionsCheck,
  engineSettings,
  functionOption,
  isObject,
  objectOption,
  objectWith,
  valueOf,
} from "../config/options.ts";
import { schema } from "../config/schema.ts";
import { protocols, type ProtocolName } from "../protocols/index.ts";
import { FACTOR_MAX, FACTOR_MIN } from "./calibration.ts";
import type {
  BeforeExpiry,
  MakingAhead,
  CompactOptions,
  Runtime,
  RuntimeOptions,
  SessionCaching,
  SessionOptions,
  WaitingForMain,
} from "./contract.ts";
import type { PinRequest } from "./pins.ts";
import { checkSavedState } from "./saved-state.ts";
import { summarizeOption } from "./summarize.ts";

/** A schema for each option, none forgotten. */
export type Options<Given> = Record<keyof Given, z.ZodType>;

const { compression, prompt_caching: caching, redaction } = schema.shape;
const { shape: marked } = caching.unwrap();
const yesOrNo = z.boolean();
const name = z.string().min(1);

const engineOption = valueOf(
  "the name of an engine, or an engine",
  (value) => (typeof value === "string" && value !== "") || (isObject(value) && typeof value["name"] === "string"),
);

/** What runtimes, sessions and gateways have in common. */
export const sharedOptions = {
  engine: engineOption,
  settings: engineSettings,
  writers: objectOption,
  secrets: objectOption,
  redactOutgoing: redaction.unwrap().shape.outgoing,
  ingestLimitTokens: compression.unwrap().shape.ingest_limit_tokens,
  compactTool: z.strictObject({ tool: z.enum(["on", "off"]), fromShare: z.number().min(0).max(1).optional() }),
  now: functionOption,
};

const runtimeOptions = {
  ...sharedOptions,
  enabled: yesOrNo,
  store: objectWith("a store", "findCompaction", "putCompaction", "putOriginals"),
  tenant: name,
  model: z.string(),
  factor: z.number().min(FACTOR_MIN).max(FACTOR_MAX),
  imageTokens: z.int().min(1),
  chain: objectWith("a chain", "linksOf", "hash"),
  hooks: z.strictObject({ beforeCompact: functionOption, afterCompact: functionOption }),
  remote: functionOption,
  spendLimit: z.strictObject({ calls: z.int().min(0), costUsd: z.number().min(0) }),
  sharedBudget: objectWith("a budget", "withheld", "spent"),
  handoffWaitMs: z.number().min(0),
  readFile: functionOption,
  recall: z.strictObject({ tool: z.enum(["on", "off"]) }),
  modelsAhead: yesOrNo,
  mainAhead: yesOrNo,
  sharedAhead: objectWith("a place for compactions", "put", "find", "drop"),
  economy: functionOption,
  amend: functionOption,
  state: objectOption,
} satisfies Options<RuntimeOptions>;

const PROTOCOLS = Object.keys(protocols) as [ProtocolName, ...ProtocolName[]];

const sessionCaching = {
  layout: z.enum(["native", "openrouter", "openai"]),
  strategy: marked.strategy,
  ttl: marked.cache_ttl,
  minimumTokens: z.int().min(0),
} satisfies Options<SessionCaching>;

const sessionOptions = {
  ...runtimeOptions,
  protocol: z.enum(PROTOCOLS),
  summarize: summarizeOption,
  caching: z.strictObject(sessionCaching),
} satisfies Options<SessionOptions>;

export const checkRuntimeOptions = withCheckedState("createRuntime", runtimeOptions);
export const checkSessionOptions = withCheckedState("createSession", sessionOptions);

function withCheckedState(call: string, options: Readonly<Record<string, z.ZodType>>): (given: RuntimeOptions) => void {
  const check = createOptionsCheck(call, options);
  return (given) => {
    check(given);
    checkSavedState(given.state, call);
  };
}

const writerOption = objectWith("a writer", "ask");

const compactOptions = {
  signal: valueOf("an AbortSignal", (value) => value instanceof AbortSignal),
  focus: z.string(),
  messages: z.string().min(1),
  budget: z.int().min(1),
  reason: z.enum(["threshold", "hygiene", "overflow", "payload", "explicit", "budget", "cost"]),
  because: z.string(),
  force: yesOrNo,
  main: writerOption,
  remote: functionOption,
} satisfies Options<CompactOptions & WaitingForMain>;

const checkCompactOptions = createOptionsCheck("compact", compactOptions);

/** As `checkWaiting`. */
export function checkCompact(options: CompactOptions & WaitingForMain = {}): void {
  checkCompactOptions(options);
  options.signal?.throwIfAborted();
}

const checkPin = createOptionsCheck("pin", {
  messages: z.string().min(1),
  fact: z.string().min(1),
} satisfies Options<PinRequest>);

const checkDrop = createOptionsCheck("drop", {
  messages: z.string().min(1),
  signal: compactOptions.signal,
} satisfies Options<Parameters<Runtime["drop"]>[1]>);

const checkModel = createOptionsCheck("modelChanged", {
  model: z.string(),
  contextLength: engineSettings.shape.contextLength,
  maxOutputTokens: engineSettings.shape.maxOutputTokens,
});

const waitingOptions = {
  signal: compactOptions.signal,
  main: writerOption,
  remote: functionOption,
} satisfies Options<WaitingForMain>;
const WAITING_CHECKS = {
  prepare: createOptionsCheck("prepare", waitingOptions),
  recover: createOptionsCheck("recover", waitingOptions),
  ahead: createOptionsCheck("ahead", { ...waitingOptions, decided: yesOrNo } satisfies Options<MakingAhead>),
  beforeExpiry: createOptionsCheck("beforeExpiry", {
    ...waitingOptions,
    notifyOnly: yesOrNo,
  } satisfies Options<BeforeExpiry>),
};

/** Throws the signal's reason where the call is over before it begins. */
export function checkWaiting(call: keyof typeof WAITING_CHECKS, waiting: WaitingForMain = {}): void {
  WAITING_CHECKS[call](waiting);
  waiting.signal?.throwIfAborted();
}

/** The same runtime, with what its calls are given checked. */
export function withCheckedCalls(runtime: Runtime): Runtime {
  return {
    ...runtime,
    prepare: async (transcript, waiting) => {
      checkWaiting("prepare", waiting);
      return runtime.prepare(transcript, waiting);
    },
    recover: async (error, transcript, waiting) => {
      checkWaiting("recover", waiting);
      return runtime.recover(error, transcript, waiting);
    },
    ahead: async (transcript, how) => {
      checkWaiting("ahead", how);
      return runtime.ahead(transcript, how);
    },
    beforeExpiry: async (transcript, how) => {
      checkWaiting("beforeExpiry", how);
      return runtime.beforeExpiry(transcript, how);
    },
    compact: async (transcript, options) => {
      checkCompact(options);
      return runtime.compact(transcript, options);
    },
    pin: async (transcript, what) => {
      checkPin(what);
      return runtime.pin(transcript, what);
    },
    drop: async (transcript, what) => {
      checkDrop(what);
      what.signal?.throwIfAborted();
      return runtime.drop(transcript, what);
    },
    restore: (before) => {
      checkSavedState(before, "restore");
      runtime.restore(before);
    },
    modelChanged: (model) => {
      checkModel(model);
      runtime.modelChanged(model);
    },
  };
}
