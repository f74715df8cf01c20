/** `precis/engines`: the engine contract, the built-in engines and what they are made of. */
import "./platform/refuse-old-node.ts";
export { cacheEffectiveness, type CachedTokens, type CacheEffectiveness } from "./core/caching/effectiveness.ts";
export { stableFirst, type Stability, type PromptPiece } from "./core/caching/effectiveness.ts";
export { createCompressor } from "./core/engines/compressor/compressor.ts";
export { limitsOf, summaryBudget } from "./core/engines/compressor/limits.ts";
export { COMPRESSOR_DEFAULTS } from "./core/engines/settings.ts";
export type { Limits } from "./core/engines/compressor/limits.ts";
export type { CompressorSettings } from "./core/engines/settings.ts";
export type {
  CompactRequest,
  Decision,
  Engine,
  EngineTool,
  Outcome,
  Quote,
  Remote,
  RemoteItem,
  ContextUsage,
  Sources,
  ToolAnswer,
  ToolCall,
  Usage,
  Estimator,
} from "./core/engines/contract.ts";
export { createHandoff } from "./core/engines/codex-handoff/codex-handoff.ts";
export { handoffLimits, type HandoffLimits } from "./core/engines/codex-handoff/codex-handoff.ts";
export { HANDOFF_DEFAULTS, type HandoffSettings } from "./core/engines/settings.ts";
export { createLayered } from "./core/engines/layered/layered.ts";
export { layeredLimits, type LayeredLimits } from "./core/engines/layered/layered.ts";
export { LAYERED_DEFAULTS, type LayeredSettings } from "./core/engines/settings.ts";
export { LOSSLESS_DEFAULTS, type LosslessSettings } from "./core/engines/settings.ts";
export { createLossless } from "./core/engines/lossless/lossless.ts";
export type { LosslessState } from "./core/engines/lossless/lossless.ts";
export { createNone } from "./core/engines/engines.ts";
export { createEngine } from "./core/engines/engines.ts";
export { ENGINE_NAMES } from "./core/engines/names.ts";
export { ENGINE_DEFAULTS, type EngineSettings } from "./core/engines/settings.ts";
export { createChain } from "./core/transcript/links.ts";
export { createMeasure } from "./core/transcript/measure.ts";
export { violationsOf } from "./core/transcript/oracle.ts";
export { SACRED_ZONE_DEFAULTS, type SacredZoneSettings } from "./core/engines/settings.ts";
export { createSacredZone } from "./core/engines/sacred-zone/sacred-zone.ts";
export {
  sacredZoneStatistics,
  type SacredZoneState,
  type SacredZoneStatistics,
} from "./core/engines/sacred-zone/sacred-zone.ts";
export { steppedLimits, type SteppedLimits } from "./core/engines/stepped.ts";
export { STEPPED_DEFAULTS, type SteppedSettings } from "./core/engines/settings.ts";
export { createStepped, hiddenResults, type SteppedState } from "./core/engines/stepped.ts";
export type { HiddenStamp } from "./core/engines/stepped.ts";
export { EngineFault, type CheckName } from "./plugins/suite/fault.ts";
export { sampleTranscripts } from "./plugins/suite/samples.ts";
export { checkEngine, type Subject, type SuiteOptions } from "./plugins/suite/suite.ts";

// What an engine of one's own is made of (docs/engines/plugins.md).
export { applyGivenCompaction as applyCompaction } from "./core/compaction/given.ts";
export type { Compaction, CompactionReport, Destination, Evicted, Irreducible } from "./core/compaction/compaction.ts";
export { composeOutcome, type Composition } from "./core/engines/engines.ts";
export type { ResultShape } from "./core/compaction/plan.ts";
export { liveRequestOf } from "./core/events/live-request.ts";
export { digestResultsWith, type DigestResultsOptions } from "./core/passes/digest-results.ts";
export { evictMedia } from "./core/passes/evict-media.ts";
export type { Pass, PassContext, PassResult } from "./core/passes/pass.ts";
export { inSequence } from "./core/passes/pass.ts";
export { shrinkArguments } from "./core/passes/shrink-arguments.ts";
export { stripReasoning } from "./core/passes/strip-reasoning.ts";
export type { Writer, WriterPrompt, WriterReply, Writers } from "./core/handoff/model/writer.ts";
export { exchangesOf, type Exchange } from "./core/transcript/exchanges.ts";
export { recallId, type Chain, type Hash } from "./core/transcript/links.ts";
export type { Measure } from "./core/transcript/measure.ts";
export { callsOf, contentText, resultOf, textMessage, withParts } from "./core/transcript/message.ts";
export type { Message, Part, Role, Transcript } from "./core/transcript/message.ts";
