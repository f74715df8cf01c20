/**
 * The strict provider: a local server of all protocols that takes what their vendors take, refuses what they refuse in
 * their words, and accounts for prompt caching by their rules. A test double for agents and for whatever is between.
 */
import { createAccountBook, type Account } from "./account.ts";
import { answererOf, type Script } from "./answers.ts";
import { createApp } from "./app.ts";
import { createRecentMap } from "../../src/store/recent-map.ts";
import { cacheEntries } from "./caches/entries.ts";
import type { FaultRates } from "./faults.ts";
import { LIMITS, type Limits } from "./limits.ts";
import { listen, type Listening, type ListenOptions } from "../../src/cli/gateway/port.ts";
import { createMemory, type Memory } from "./memory.ts";
import { createDraw } from "./random.ts";
import { createRecorder, type RequestRecord } from "./record.ts";
import { replayAnswerer } from "./replay.ts";
import { createSealer } from "./seals.ts";
import type { Message } from "../../src/core/transcript/message.ts";
import { createModelBook, type ModelTraits } from "./traits.ts";

export interface ProviderOptions {
  /** Models beside those known, or other figures for these. */
  readonly models?: Readonly<Record<string, Partial<ModelTraits>>>;
  /** Figures laid over every model: a window, prices, a token factor. */
  readonly every?: Partial<ModelTraits>;
  /** An answer, answers in order (the last one for ever), or a function. An echo by default. */
  readonly script?: Script;
  /** A recorded session to answer from, in place of a script. */
  readonly replay?: readonly Message[];
  /** Tokens a second; as fast as it is read by default. */
  readonly pace?: number;
  /** The share of requests that each kind of fault befalls. */
  readonly faults?: FaultRates;
  /** Of faults, ids and signatures: the same seed and requests give the same answers. */
  readonly seed?: number;
  /** Milliseconds; what caches go by. The real clock by default. */
  readonly now?: () => number;
  readonly limits?: Partial<Limits>;
  /** Called with each request when it is done with. */
  readonly onRequest?: (record: RequestRecord) => void;
}

export interface Provider {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly listen: (options?: ListenOptions) => Promise<Listening>;
  readonly account: () => Account;
  /** The newest requests, oldest first. */
  readonly requests: readonly RequestRecord[];
}

/** Keys whose stored answers are kept. */
const KEYS_MAX = 1_000;

/** A strict provider on this machine that refuses what the real ones refuse, for tests (provider/README.md). */
export function createProvider(options: ProviderOptions = {}): Provider {
  const { seed = 1, now = Date.now, pace, faults = {}, onRequest = () => undefined } = options;
  const limits = { ...LIMITS, ...options.limits };
  const books = createAccountBook();
  const recorder = createRecorder(limits);
  const memories = createRecentMap<Memory>({ entries: KEYS_MAX });
  const memoryOf = (key: string): Memory => {
    const known = memories.get(key) ?? createMemory(limits.storedResponses);
    memories.set(key, known);
    return known;
  };
  const app = createApp({
    models: createModelBook({ models: options.models, all: options.every }),
    answerer: options.replay === undefined ? answererOf(options.script) : replayAnswerer(options.replay),
    entries: cacheEntries(limits.cacheEntries),
    sealer: createSealer(`precis provider ${seed}`),
    draw: createDraw(seed),
    memoryOf,
    books,
    recorder,
    limits,
    faults,
    seed,
    now,
    pace,
    onRequest,
  });
  return {
    fetch: async (request) => app.fetch(request),
    listen: (where) => listen(app.fetch, { connections: limits.connections, ...where }),
    account: books.account,
    requests: recorder.requests,
  };
}
