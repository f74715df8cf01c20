/** Everything about a session that changes, and how it begins, resumes and is saved. */
import type { Compaction, CompactionReport } from "../core/compaction/compaction.ts";
import { ENGINE_DEFAULTS, type EngineSettings } from "../core/engines/settings.ts";
import { windowLimits, type WindowLimits } from "../core/engines/window.ts";
import type { GuestEngine } from "../core/engines/contract.ts";
import type { Measure } from "../core/transcript/measure.ts";
import { initialFactor } from "./calibration.ts";
import type { RuntimeOptions, RuntimeState } from "./contract.ts";
import type { Contained } from "./events.ts";
import { seated } from "./seat.ts";
import { FRESH, type SummarizerState } from "./summarizer.ts";

export const STATE_SCHEMA_VERSION = 1;

/** No more than this share of the window is reserved for an answer, whatever a request asks for. */
export const RESERVE_SHARE_MAX = 0.5;

export interface Live {
  model: string | undefined;
  /** With what refusals taught of the window. */
  settings: EngineSettings;
  /** As the host said it. */
  stated: Pick<EngineSettings, "contextLength" | "maxOutputTokens">;
  limits: WindowLimits;
  engine: GuestEngine;
  /** The engine is not built in. */
  guest: boolean;
  /** A guest that was put out of service: it is not asked again in this session. */
  contained: Contained | undefined;
  /** Nobody was told of that yet. */
  untold: boolean;
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
  /** Made before it is due, and recorded nowhere yet. */
  ahead: Compaction | undefined;
  /** What the conversation weighed when nothing came of making one ahead. */
  futileAheadTokens: number;
  summarizer: SummarizerState;
  /** When something was sent last, in milliseconds since the epoch. */
  sentAtMs: number | undefined;
}

/** A fresh start, or the saved state where its schema is ours. */
export function begin(options: RuntimeOptions, state?: RuntimeState): Live {
  const before = state?.schemaVersion === STATE_SCHEMA_VERSION ? state : undefined;
  const settings = { ...ENGINE_DEFAULTS, ...options.settings };
  const { contextLength, maxOutputTokens } = settings;
  if (before !== undefined) Object.assign(settings, { contextLength: before.contextLength });
  const { begun, ...seat } = seated(options, settings, { begins: before?.engine == null });
  return {
    model: options.model,
    settings,
    stated: { contextLength, maxOutputTokens },
    limits: windowLimits(seat.engine, settings),
    ...seat,
    engineState: before?.engine ?? begun,
    factor: before?.factor ?? options.factor ?? initialFactor(options.model),
    measure: undefined,
    pressed: before?.pressed ?? false,
    lastCovers: before?.lastCovers,
    compactions: before?.compactions ?? 0,
    savedTokens: before?.savedTokens ?? 0,
    tokens: 0,
    last: undefined,
    removedIds: [],
    ahead: undefined,
    futileAheadTokens: 0,
    summarizer: { ...FRESH, ...before?.summarizer },
    sentAtMs: undefined,
  };
}

export function useSettings(live: Live, options: RuntimeOptions, settings: EngineSettings): void {
  live.settings = settings;
  live.ahead = undefined;
  live.futileAheadTokens = 0;
  const { contained, untold } = live;
  const { begun: _, ...seat } = seated(options, settings, { begins: false, contained });
  Object.assign(live, seat, { untold: untold || seat.untold });
  live.limits = windowLimits(live.engine, settings);
}

/** The engine's state lives in the record, so that whoever finds the record goes on from there. */
export function resume(live: Live, compaction: Compaction): void {
  live.engineState = compaction.state;
  live.lastCovers = compaction.covers;
}

export function saved(live: Live): RuntimeState {
  return {
    schemaVersion: STATE_SCHEMA_VERSION,
    engine: live.engineState,
    contextLength: live.settings.contextLength,
    factor: live.factor,
    pressed: live.pressed,
    lastCovers: live.lastCovers,
    compactions: live.compactions,
    savedTokens: live.savedTokens,
    summarizer: live.summarizer,
  };
}

/** What turned out to say nothing is gone again; what models cost and when they failed stays known. */
export function restored(live: Live, before: RuntimeState): void {
  const { engine, factor, pressed, lastCovers, compactions, savedTokens } = before;
  Object.assign(live, { engineState: engine, factor, pressed, lastCovers, compactions, savedTokens });
}
