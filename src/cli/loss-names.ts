/** What a person calls the kinds of things that a compaction may leave out. */
import type { LossKind } from "../core/compaction/compaction.ts";

export const LOSS_NAMES: Readonly<Record<LossKind, string>> = {
  requests: "user messages",
  constraints: "project rules",
  paths: "changed files",
  errors: "failures",
};
