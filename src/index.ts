/** `precis`: what a program that writes agents imports. */
export { PrecisError, type PrecisErrorDetails } from "./core/errors.ts";
export type * from "./core/transcript/message.ts";
export type * from "./core/compaction/compaction.ts";
export { applyCompaction } from "./core/compaction/compaction.ts";
