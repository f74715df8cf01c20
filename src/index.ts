/** `precis`: sessions that keep an agent working past its context window. */
import "./platform/refuse-old-node.ts";
export { PrecisError } from "./core/errors.ts";
export { applyGivenCompaction as applyCompaction } from "./core/compaction/given.ts";
export type {
  Compaction,
  CompactionReason,
  CompactionReport,
  Evicted,
  HandEdit,
  Irreducible,
  Receipt,
  ReceiptFate,
  ReceiptKind,
  ReceiptLine,
  SummaryAccount,
  SummaryStep,
} from "./core/compaction/compaction.ts";
export type { EngineTool, Remote, RemoteItem, ToolAnswer, ToolCall, Usage } from "./core/engines/contract.ts";
export type { CompressorSettings } from "./core/engines/settings.ts";
export type { EngineSettings } from "./core/engines/settings.ts";
export type { FailureClass, Writer, WriterPrompt, WriterReply, Writers } from "./core/handoff/model/writer.ts";
export type { Message, Part, Transcript } from "./core/transcript/message.ts";
export type {
  CompactOptions,
  Hooks,
  RuntimeOptions,
  RuntimeReport,
  RuntimeState,
  SessionOptions,
  ToolBounds,
  Waiting,
} from "./session/contract.ts";
export type { SendRequest, Summarize, SummaryModel } from "./session/summarize.ts";
export type { Pin, PinRequest } from "./session/pins.ts";
export type { SessionEvents } from "./session/events.ts";
export type { CompactionTiming } from "./session/timing.ts";
export type { ReportedUsage } from "./protocols/index.ts";
export type { ProviderError } from "./session/provider-error.ts";
export { responsesCompaction, type ResponsesCompactionOptions } from "./session/responses-compaction.ts";
export { receiptMatchers } from "./session/receipt.ts";
export { readFilesIn } from "./session/read-files.ts";
export { createRuntime } from "./session/checked-runtime.ts";
export { createSession } from "./session/session.ts";
export type { Session } from "./session/session.ts";
export type { WireBody, WireRequest } from "./session/read-request.ts";
export { createMemoryStore } from "./store/memory.ts";
export type { Store } from "./store/store.ts";
export type { SessionCaching } from "./session/markers.ts";
