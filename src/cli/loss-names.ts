/** What a person calls the kinds of things that a compaction may leave out. */
import type { LossKind } from "../core/compaction/compaction.ts";

export const LOSS_NAMES: Readonly<Record<LossKind, string>> = {
  requests: "user messages",
  constraints: "constraints",
  paths: "paths",
  ids: "identifiers",
  errors: "errors",
  values: "values",
};
