/** What an engine did that no engine may do, named, so that a reader knows which promise was broken. */
import { ShapeError, kinds, maybe, oneOf, record, text } from "../../core/shapes.ts";
import { compactionShape, irreducibleShape, reasonShape } from "../../core/compaction/shape.ts";
import type { Decision, Outcome } from "../../core/engines/contract.ts";
import type { Message, Part, Transcript } from "../../core/transcript/message.ts";

/** The promises of an engine, one a check. */
export type CheckName =
  | "shape"
  | "valid"
  | "honest"
  | "progress"
  | "place"
  | "live-request"
  | "undo"
  | "recall"
  | "state"
  | "restart"
  | "determinism"
  | "bounded"
  | "tools";

export class EngineFault extends Error {
  override readonly name = "EngineFault";
  readonly check: CheckName;

  constructor(check: CheckName, because: string) {
    super(`${check}: ${because}`);
    this.check = check;
  }
}

export function demand(holds: boolean, check: CheckName, because: () => string): asserts holds {
  if (!holds) throw new EngineFault(check, because());
}

export function demandAs(check: CheckName, run: () => void): void {
  try {
    run();
  } catch (error) {
    throw error instanceof ShapeError ? new EngineFault(check, error.message) : error;
  }
}

const outcomeShape = kinds({
  compacted: record({ compaction: compactionShape }),
  unchanged: record({ because: text, irreducible: maybe(irreducibleShape) }),
});

const decision = kinds({
  none: record({ because: maybe(text) }),
  compact: record({ reason: reasonShape, urgency: oneOf("soon", "now"), because: maybe(text) }),
});

export function demandOutcome(value: unknown): asserts value is Outcome {
  demandAs("shape", () => outcomeShape(value, "the outcome"));
}

export function demandDecision(value: unknown): asserts value is Decision {
  demandAs("shape", () => decision(value, "the decision"));
}

/** Everything of a message but what the other messages of its wire slice say. */
export function printMessage({ wire, ...message }: Message): string {
  return JSON.stringify(wire === undefined ? message : { ...message, raw: wire.raw });
}

export function printOfAll({ system, messages, tools }: Transcript): string {
  return JSON.stringify([system.map(printMessage), messages.map(printMessage), tools ?? null]);
}

export function printOfOutcome(outcome: Outcome): string {
  if (outcome.kind === "unchanged") return JSON.stringify(outcome);
  const { after, system = [], ...rest } = outcome.compaction;
  return JSON.stringify([rest, after.map(printMessage), system.map(printMessage)]);
}

/** Whether JSON can hold a value: a `Map`, a `Date`, a function or a NaN would not come back from the store. */
export function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  const isBare = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value) as object);
  return isBare && Object.values(value).every(isPlain);
}

export function joinReadable(messages: readonly Message[]): string {
  return messages.flatMap(({ parts }) => parts.map(readable)).join("\n");
}

function readable(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "tool-call":
      return part.arguments;
    case "tool-result":
      return part.content.map(readable).join("\n");
    default:
      return "";
  }
}
