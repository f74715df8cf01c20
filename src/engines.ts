/** `precis/engines`: the engine contract, the built-in engines and what they are made of. */
export { createCompressor } from "./core/engines/compressor/compressor.ts";
export { COMPRESSOR_DEFAULTS, limitsOf, summaryBudget } from "./core/engines/compressor/limits.ts";
export type { CompressorSettings, Limits } from "./core/engines/compressor/limits.ts";
export type {
  CompactRequest,
  Decision,
  Engine,
  EngineTool,
  Outcome,
  Quote,
  Situation,
  Sources,
  ToolAnswer,
  ToolCall,
  Usage,
  Workbench,
} from "./core/engines/contract.ts";
export { createHandoff } from "./core/engines/handoff/handoff.ts";
export {
  HANDOFF_DEFAULTS,
  handoffLimits,
  type HandoffLimits,
  type HandoffSettings,
} from "./core/engines/handoff/limits.ts";
export { LOSSLESS_DEFAULTS, type LosslessSettings } from "./core/engines/lossless/limits.ts";
export { createLossless } from "./core/engines/lossless/lossless.ts";
export type { LosslessState } from "./core/engines/lossless/state.ts";
export { createNone } from "./core/engines/none/none.ts";
export { createEngine, ENGINE_NAMES } from "./core/engines/engines.ts";
export { createChain } from "./core/transcript/links.ts";
export { createMeasure } from "./core/transcript/measure.ts";
export { violationsOf } from "./core/transcript/oracle.ts";
export { SACRED_ZONE_DEFAULTS, type SacredZoneSettings } from "./core/engines/sacred-zone/limits.ts";
export { createSacredZone } from "./core/engines/sacred-zone/sacred-zone.ts";
export {
  sacredZoneStatistics,
  type SacredZoneState,
  type SacredZoneStatistics,
} from "./core/engines/sacred-zone/statistics.ts";
export { EngineFault, type CheckName } from "./core/engines/suite/fault.ts";
export { sampleTranscripts } from "./core/engines/suite/samples.ts";
export { checkEngine, type Subject, type SuiteOptions } from "./core/engines/suite/suite.ts";
