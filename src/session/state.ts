/** Everything about a session that changes, and how it begins, resumes and is saved. */
import type { Compaction, CompactionReport } from "../core/compaction/compaction.ts";
import { ENGINE_DEFAULTS, type EngineSettings } from "../core/engines/settings.ts";
import { windowLimits, type WindowLimits } from "../core/engines/window.ts";
import type { ExternalEngine } from "../core/engines/contract.ts";
import type { Measure } from "../core/transcript/measure.ts";
import type { RuntimeOptions, RuntimeState } from "./contract.ts";
import type { DisabledEngine } from "./events.ts";
import { selectEngine } from "./select-engine.ts";
import type { CompactionTiming, Postponement, WindowInUse, WindowOrigin } from "./timing.ts";
import { INITIAL_SUMMARIZER_STATE, type SummarizerState } from "./summarizer.ts";

export const STATE_SCHEMA_VERSION = 1;

export interface SessionState {
  model: string | undefined;
  /** With what refusals taught of the window. */
  settings: EngineSettings;
  /** Where the window of `settings` comes from. */
  window: WindowOrigin;
  stated: Pick<EngineSettings, "contextLength" | "maxOutputTokens">;
  statedWindow: WindowOrigin;
  /** System prompt and tools of the conversation that was seen last. */
  fixedTokens: number;
  limits: WindowLimits;
  engine: ExternalEngine;
  /** Not built in, so its answers are checked. */
  isExternal: boolean;
  /** An external engine that failed; it is not used again in this session. */
  disabledEngine: DisabledEngine | undefined;
  /** The host has not been told about it yet. */
  isUnreported: boolean;
  engineState: unknown;
  factor: number;
  /** The measure corrected by the factor it was made for. */
  measure: { readonly factor: number; readonly measure: Measure } | undefined;
  pressed: boolean;
  lastCovers: string | undefined;
  compactions: number;
  savedTokens: number;
  tokens: number;
  last: CompactionReport | undefined;
  /** Recall ids of what left the conversation, as it was sent last. */
  removedIds: readonly string[];
  /** The model called for a compaction; the next request makes it. */
  wish: { readonly focus: string } | undefined;
  /** Made before it is due, and recorded nowhere yet. */
  ahead: Compaction | undefined;
  /** The last attempt at a compaction, where nothing came of it: how many messages there were. */
  futile: { readonly messages: number } | undefined;
  /** The host was told that no compaction frees enough. */
  saidBackOff: boolean;
  /** The host was told that the smallest result is too large. */
  saidIrreducible: boolean;
  summarizer: SummarizerState;
  /** When something was sent last, in milliseconds since the epoch. */
  sentAtMs: number | undefined;
  /** Why a compaction that is due was not made for the last request. */
  postponed: Postponement | undefined;
  /** The provider reported that it read nothing of the last request from its cache, although it had seen what it began with. */
  nothingRead: boolean;
}

/** A fresh start, or the saved state where its schema is ours. */
export function createState(options: RuntimeOptions, saved?: RuntimeState): SessionState {
  const before = saved?.schemaVersion === STATE_SCHEMA_VERSION ? saved : undefined;
  const settings = withModel({ ...ENGINE_DEFAULTS, ...options.settings }, options, options.model);
  const { contextLength, maxOutputTokens } = settings;
  const statedWindow = { from: options.settings?.contextLength === undefined ? "assumed" : "setting" } as const;
  if (before !== undefined) Object.assign(settings, { contextLength: before.contextLength });
  const { firstState, ...selected } = selectEngine(options, settings, { begins: before?.engine == null });
  return {
    model: options.model,
    settings,
    window: before?.window ?? statedWindow,
    stated: { contextLength, maxOutputTokens },
    statedWindow,
    fixedTokens: before?.fixedTokens ?? 0,
    limits: windowLimits(selected.engine, settings, before?.fixedTokens),
    ...selected,
    engineState: before?.engine ?? firstState,
    factor: before?.factor ?? options.factor ?? initialFactor(options.model),
    measure: undefined,
    pressed: before?.pressed ?? false,
    lastCovers: before?.lastCovers,
    compactions: before?.compactions ?? 0,
    savedTokens: before?.savedTokens ?? 0,
    tokens: 0,
    last: undefined,
    removedIds: [],
    wish: undefined,
    ahead: undefined,
    futile: undefined,
    saidBackOff: false,
    saidIrreducible: false,
    summarizer: { ...INITIAL_SUMMARIZER_STATE, ...before?.summarizer },
    sentAtMs: undefined,
    postponed: undefined,
    nothingRead: false,
  };
}

/** The settings as one model has them. */
export function withModel(
  settings: EngineSettings,
  { perModel, settings: given }: RuntimeOptions,
  model: string | undefined,
): EngineSettings {
  if (perModel === undefined) return settings;
  const policy = perModel(model ?? "");
  const sessionThreshold = given?.sessionThreshold ?? policy?.sessionThreshold;
  return { ...settings, sessionThreshold, keepRecentTokens: policy?.keepRecentTokens };
}

export function useSettings(state: SessionState, options: RuntimeOptions, settings: EngineSettings): void {
  state.settings = settings;
  state.ahead = undefined;
  state.futile = undefined;
  state.saidBackOff = false;
  state.saidIrreducible = false;
  const { disabledEngine, isUnreported } = state;
  const { firstState: _, ...selected } = selectEngine(options, settings, { begins: false, disabledEngine });
  Object.assign(state, selected, { isUnreported: isUnreported || selected.isUnreported });
  state.limits = windowLimits(state.engine, settings, state.fixedTokens);
}

/** What a request reserves for its answer holds where the host has not said another figure. */
export function followRequestedOutput(
  state: SessionState,
  options: RuntimeOptions,
  maxOutputTokens: number | undefined,
): void {
  const isSaid = options.settings?.maxOutputTokens !== undefined || maxOutputTokens === undefined;
  if (isSaid || maxOutputTokens === state.settings.maxOutputTokens) return;
  state.stated = { ...state.stated, maxOutputTokens };
  useSettings(state, options, { ...state.settings, maxOutputTokens });
}

/** Estimates of system prompt and tools move a little with every correction; the limits do not move with them. */
const FIXED_CHANGE_SHARE = 0.05;

/** Has the limits follow from what is fixed in the conversation that is asked for now. */
export function followFixedPart(state: SessionState, fixedTokens: number): void {
  if (Math.abs(fixedTokens - state.fixedTokens) <= state.fixedTokens * FIXED_CHANGE_SHARE) return;
  state.fixedTokens = fixedTokens;
  state.limits = windowLimits(state.engine, state.settings, fixedTokens);
}

/** The engine's state lives in the record, so that whoever finds the record goes on from there. */
export function adoptCompaction(state: SessionState, compaction: Compaction): void {
  state.engineState = compaction.state;
  state.lastCovers = compaction.covers;
}

export function saveState(state: SessionState, timing: CompactionTiming): RuntimeState {
  return {
    schemaVersion: STATE_SCHEMA_VERSION,
    engine: state.engineState,
    contextLength: state.settings.contextLength,
    window: windowInUse(state),
    maxOutputTokens: state.settings.maxOutputTokens,
    fixedTokens: state.fixedTokens,
    factor: state.factor,
    pressed: state.pressed,
    lastCovers: state.lastCovers,
    compactions: state.compactions,
    savedTokens: state.savedTokens,
    summarizer: state.summarizer,
    timing,
  };
}

export function windowInUse({ settings, window }: Pick<SessionState, "settings" | "window">): WindowInUse {
  return { ...window, tokens: settings.contextLength };
}

/** Takes back what an attempt changed, except for what models cost and when they failed. */
export function restoreState(state: SessionState, before: RuntimeState): void {
  const { engine, factor, pressed, lastCovers, compactions, savedTokens } = before;
  Object.assign(state, { engineState: engine, factor, pressed, lastCovers, compactions, savedTokens });
}

export const FACTOR_MIN = 0.5;
export const FACTOR_MAX = 2.5;
/** Weight of the newest report. */
const NEWEST_SHARE = 0.5;
/** Small requests say little: the provider's own wrapping dominates them. */
const ESTIMATE_TOKENS_MIN = 1_000;

/** Where no usage is known yet; no public tokenizer counts Claude's tokens (measured starts: 1.18, newest models 1.5). */
export function initialFactor(model: string | undefined): number {
  if (model === undefined || !/claude/i.test(model)) return 1;
  return /claude-(?:[a-z]+-)?5/i.test(model) ? 1.5 : 1.18;
}

/** A count that is known to be right, or too low, taken as it is; within the same bounds. */
export function exactFactor(countedTokens: number, estimate: number): number {
  return Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, countedTokens / Math.max(estimate, ESTIMATE_TOKENS_MIN)));
}

/** `estimate` is the uncorrected estimate of the request whose input was reported; `newest`: what the report weighs beside earlier ones. */
export function learnFactor(factor: number, reportedTokens: number, estimate: number, newest = NEWEST_SHARE): number {
  if (estimate < ESTIMATE_TOKENS_MIN || reportedTokens <= 0) return factor;
  const observed = reportedTokens / estimate;
  const next = factor + (observed - factor) * newest;
  return Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, next));
}

/**
 * What a provider reported for a request, but never less than the estimate corrected by the smallest factor: a count that
 * is far too low would keep a session from ever compacting.
 */
export function plausibleTokens(reportedTokens: number, estimate: number): number {
  return Math.max(reportedTokens, Math.floor(estimate * FACTOR_MIN));
}
