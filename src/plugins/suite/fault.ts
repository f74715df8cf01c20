/** What an engine did that no engine may do, named, so that a reader knows which promise was broken. */
import { ShapeError } from "../../core/shapes.ts";

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

  constructor(check: CheckName, text: string) {
    super(`${check}: ${text}`);
    this.check = check;
  }
}

/** Throws an `EngineFault` unless the condition holds. */
export function demand(holds: boolean, check: CheckName, text: () => string): asserts holds {
  if (!holds) throw new EngineFault(check, text());
}

/** Runs a check of shapes; what it finds is a fault of that promise. */
export function demandAs(check: CheckName, run: () => void): void {
  try {
    run();
  } catch (error) {
    throw error instanceof ShapeError ? new EngineFault(check, error.message) : error;
  }
}
