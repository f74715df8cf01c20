/**
 * What an engine's answers look like, field by field: types hold what is compiled with us, not what a plugin in plain
 * JavaScript, or one of another version, answers with. The fault names the field.
 */
import { compactionShape, irreducibleShape, reasonShape } from "../../core/compaction/shape.ts";
import { kinds, maybe, oneOf, record, text } from "../../core/shapes.ts";
import type { Decision, Outcome } from "../../core/engines/contract.ts";
import { demandAs } from "./fault.ts";

const outcome = kinds({
  compacted: record({ compaction: compactionShape }),
  unchanged: record({ because: text, irreducible: maybe(irreducibleShape) }),
});

const decision = kinds({
  none: record({ because: maybe(text) }),
  compact: record({ reason: reasonShape, urgency: oneOf("soon", "now"), because: maybe(text) }),
});

export function demandOutcome(value: unknown): asserts value is Outcome {
  demandAs("shape", () => outcome(value, "the outcome"));
}

export function demandDecision(value: unknown): asserts value is Decision {
  demandAs("shape", () => decision(value, "the decision"));
}
