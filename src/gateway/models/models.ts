/**
 * What the gateway knows of the models behind it: windows from the registry, corrected by what refusals revealed, and what
 * reported usage taught of each tenant's estimates. Both are kept, so that a restart does not have to be taught again.
 */
import { initialFactor } from "../../session/state.ts";
import {
  isRefuted,
  type AcceptedRequest,
  type LearnedWindow,
  type RememberedWindow,
  type WindowInUse,
} from "../../session/timing.ts";
import { lookUp, statedImageTokens, statedWindow, type Registry } from "../../models/registry/registry.ts";
import { WINDOW_TOKENS_MIN } from "../../protocols/overflow.ts";
import type { HistoryStore } from "../../store/store.ts";
import { createKeptStates, type StateKind } from "./kept-states.ts";
import { createLearnedWindows } from "./learned-windows.ts";

export interface ModelKnowledge {
  readonly window: WindowInUse;
  /** What this model's tokens are to our estimates. */
  readonly factor: number;
  /** What an image is counted as, where the configuration says so. */
  readonly imageTokens?: number;
}

export interface ServedModel {
  readonly tenant: string;
  readonly model: string;
  readonly upstream: string;
}

export interface ModelBook {
  /**
   * Without an upstream: what is known of the model wherever it is served. `onTrial`: a learned window counts although it is
   * being tried again, as for a request that was refused just now.
   */
  readonly of: (tenant: string, model: string, upstream?: string, onTrial?: "counts") => ModelKnowledge;
  /** Loads what was learnt before this process began, and what other gateways have learnt or an operator has forgotten since. */
  readonly recalled: (tenant: string, model: string) => Promise<void> | undefined;
  readonly learnFactor: (tenant: string, model: string, factor: number) => void;
  /** Answers with the window that counts from now on; undefined where this one is no smaller, or cannot be a window. */
  readonly learnWindow: (
    served: ServedModel,
    window: Pick<RememberedWindow, "tokens" | "by" | "refusedTokens" | "countsOutput">,
  ) => WindowInUse | undefined;
  /** A request was answered: answers with the learned window that it refuted, which is forgotten. */
  readonly answered: (served: ServedModel, request: AcceptedRequest) => RememberedWindow | undefined;
  /** The learned window in force that was not learned in this process: once, for whoever should know of it. */
  readonly unannounced: (served: ServedModel) => WindowInUse | undefined;
}

export interface ModelBookOptions {
  readonly store: HistoryStore;
  readonly registry: Registry;
  readonly contextLength: number | undefined;
  readonly unknownTokens: number;
  readonly now?: () => number;
}

/** The window of a model that nothing is known of: what the smaller of today's hosted models have. */
export const UNKNOWN_WINDOW_TOKENS = 128_000;

export function createModelBook(options: ModelBookOptions): ModelBook {
  const { store, registry, now = Date.now } = options;
  const factors = createKeptStates(store, now, FACTORS);
  const windows = createLearnedWindows(store, now);
  const announced = new Set<string>();
  const windowFor = ({ tenant, ...place }: ServedModel, onTrial?: "counts"): WindowInUse => {
    const stated = statedFor(options, place.model);
    const remembered = windows.get(tenant, place);
    const counts = remembered !== undefined && (onTrial === "counts" || now() < remembered.until);
    return counts && remembered.tokens < stated.tokens
      ? { from: "learned", tokens: remembered.tokens, learned: learnedWindow(remembered) }
      : stated;
  };
  return {
    of: (tenant, model, upstream = "", onTrial) => ({
      window: windowFor({ tenant, model, upstream }, onTrial),
      factor: factors.get(tenant, stateName(model)).factor,
      ...statedImageTokens(registry, model),
    }),
    recalled: (tenant, model) => {
      const [factor, learned] = [factors.load(tenant, stateName(model)), windows.load(tenant, model)];
      if (factor === undefined || learned === undefined) return factor ?? learned;
      return Promise.all([factor, learned]).then(() => undefined);
    },
    learnFactor: (tenant, model, factor) => {
      const [name, at] = [stateName(model), now()];
      const { kept } = factors.get(tenant, name);
      const isNews = kept === undefined || (Math.abs(kept.factor - factor) >= FACTOR_STEP && at - kept.at >= FACTOR_MS);
      if (isNews) factors.put(tenant, name, { factor, kept: { factor, at }, at });
      else factors.hold(tenant, name, { factor, kept, at });
    },
    learnWindow: (served, { tokens, by, refusedTokens, countsOutput }) => {
      const { tenant, model, upstream } = served;
      if (tokens < WINDOW_TOKENS_MIN || tokens >= windowFor(served).tokens) return undefined;
      windows.learn(tenant, { model, upstream, tokens, by, refusedTokens, countsOutput });
      const window = windowFor(served);
      announced.add(announcementKey(served, window));
      return window;
    },
    answered: (served, request) => {
      const remembered = windows.get(served.tenant, served);
      if (remembered === undefined || !isRefuted(remembered, request)) return undefined;
      windows.forget(served.tenant, served);
      return remembered;
    },
    unannounced: (served) => {
      const window = windowFor(served);
      const announcement = announcementKey(served, window);
      if (window.from !== "learned" || announced.has(announcement)) return undefined;
      announced.add(announcement);
      return window;
    },
  };
}

interface KeptFactor {
  readonly factor: number;
  readonly at: number;
  /** As it was written last. */
  readonly kept: { readonly factor: number; readonly at: number } | undefined;
}

/** A factor that moved less than this, or was written down less than this ago, is not written down again. */
const FACTOR_STEP = 0.02;
const FACTOR_MS = 10_000;
const NAME_START = "model ";

function stateName(model: string): string {
  return `${NAME_START}${model}`;
}

const FACTORS: StateKind<KeptFactor> = {
  initial: (name) => ({ factor: initialFactor(name.slice(NAME_START.length)), kept: undefined, at: -1 }),
  parse: (state) => {
    const { factor, at: told } = (state ?? {}) as Partial<Record<string, unknown>>;
    const at = typeof told === "number" ? told : 0;
    return typeof factor === "number" ? { factor, kept: { factor, at }, at } : undefined;
  },
  merge: (kept, held) => (held.at >= kept.at ? held : kept),
  serialize: ({ factor, at }) => ({ factor, at }),
};

function announcementKey({ tenant, model, upstream }: ServedModel, { learned }: WindowInUse): string {
  return [tenant, model, upstream, learned?.at].join("\n");
}

function statedFor({ registry, contextLength, unknownTokens }: ModelBookOptions, model: string): WindowInUse {
  const setting = contextLength ?? statedWindow(registry, model);
  if (setting !== undefined) return { tokens: setting, from: "setting" };
  const known = lookUp(registry, model)?.windowTokens;
  return known === undefined ? { tokens: unknownTokens, from: "assumed" } : { tokens: known, from: "registry" };
}

function learnedWindow({ by, refusedTokens, countsOutput, at, until, upstream }: RememberedWindow): LearnedWindow {
  return { by, refusedTokens, countsOutput, at, until, upstream };
}
