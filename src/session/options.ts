/** What the options of sessions and of their calls may be. */
import type { SessionCaching } from "./markers.ts";
import { DEFAULTS } from "../config/defaults.ts";
import {
  engineSettings,
  oneOf,
  functionOption,
  isObject,
  nonEmptyText,
  number,
  objectOption,
  objectWith,
  section,
  text,
  makeOption,
  whole,
  withDefault,
  yesOrNo,
  type OptionKinds,
  type Options,
  createOptionsCheck,
} from "../config/options.ts";
import { protocols } from "../protocols/index.ts";
import { FACTOR_MAX, FACTOR_MIN } from "./state.ts";
import type {
  MakingAhead,
  CompactOptions,
  Runtime,
  RuntimeOptions,
  SessionOptions,
  WaitingForMain,
} from "./contract.ts";
import type { PinRequest } from "./pins.ts";
import { checkSavedState, isWindowOrigin } from "./saved-state.ts";
import { summarizeOption } from "./summarize.ts";

const engineOption = makeOption(
  "the name of an engine, or an engine",
  (value) => (typeof value === "string" && value !== "") || (isObject(value) && typeof value["name"] === "string"),
);

/** What runtimes, sessions and gateways have in common. */
export const sharedOptions = {
  engine: engineOption,
  settings: engineSettings,
  writers: objectOption,
  secrets: objectOption,
  redactOutgoing: withDefault(yesOrNo, DEFAULTS.redaction.outgoing),
  ingestLimitTokens: withDefault(whole({ min: 0 }), DEFAULTS.compression.ingest_limit_tokens),
  roomTool: section({ tool: oneOf("on", "off") }),
  compactTool: section({ tool: oneOf("on", "off"), fromShare: number({ min: 0, max: 1 }) }),
  now: functionOption,
};

const runtimeOptions = {
  ...sharedOptions,
  enabled: yesOrNo,
  store: objectWith("a store", "findCompaction", "putCompaction", "putOriginals"),
  tenant: nonEmptyText,
  model: text,
  factor: number({ min: FACTOR_MIN, max: FACTOR_MAX }),
  imageTokens: whole({ min: 1 }),
  chain: objectWith("a chain", "linksOf", "hash"),
  hooks: section({ beforeCompact: functionOption, afterCompact: functionOption }),
  remote: functionOption,
  spendLimit: section({ calls: whole({ min: 0 }), costUsd: number({ min: 0 }) }),
  sharedBudget: objectWith("a budget", "withheld", "spent"),
  handoffWaitMs: number({ min: 0 }),
  readFile: functionOption,
  recall: section({ tool: oneOf("on", "off") }),
  modelsAhead: yesOrNo,
  mainAhead: yesOrNo,
  sharedAhead: objectWith("a place for compactions", "put", "find", "drop"),
  economy: functionOption,
  perModel: functionOption,
  amend: functionOption,
  state: objectOption,
} satisfies Options<RuntimeOptions>;

const sessionCaching = {
  layout: oneOf("native", "openrouter", "openai"),
  strategy: withDefault(oneOf("spaced", "system_and_3"), DEFAULTS.prompt_caching.strategy),
  ttl: withDefault(oneOf("5m", "1h"), DEFAULTS.prompt_caching.cache_ttl),
  minimumTokens: whole({ min: 0 }),
} satisfies Options<SessionCaching>;

const sessionOptions = {
  ...runtimeOptions,
  protocol: oneOf(...Object.keys(protocols)),
  summarize: summarizeOption,
  caching: section(sessionCaching),
} satisfies Options<SessionOptions>;

export const checkRuntimeOptions = withCheckedState("createRuntime", runtimeOptions);
export const checkSessionOptions = withCheckedState("createSession", sessionOptions);

function withCheckedState(call: string, options: OptionKinds): (given: RuntimeOptions) => void {
  const check = createOptionsCheck(call, options);
  return (given) => {
    check(given);
    checkSavedState(given.state, call);
  };
}

const writerOption = objectWith("a writer", "ask");

const compactOptions = {
  signal: makeOption("an AbortSignal", (value) => value instanceof AbortSignal),
  focus: text,
  messages: nonEmptyText,
  budget: whole({ min: 1 }),
  reason: oneOf("threshold", "hygiene", "overflow", "payload", "explicit", "host", "budget", "cost"),
  because: text,
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
  messages: nonEmptyText,
  fact: nonEmptyText,
} satisfies Options<PinRequest>);

const checkDrop = createOptionsCheck("drop", {
  messages: nonEmptyText,
  signal: compactOptions.signal,
} satisfies Options<Parameters<Runtime["drop"]>[1]>);

const checkModel = createOptionsCheck("modelChanged", {
  model: text,
  contextLength: engineSettings.options.contextLength,
  maxOutputTokens: engineSettings.options.maxOutputTokens,
  window: makeOption("where a window comes from, as `report().window` says it", isWindowOrigin),
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
