/** A figure that follows from the settings of an engine, for a person who wants to know what will happen. */
export interface Figure {
  /** Short and in snake case; `threshold` where it says from when on the engine compacts. */
  readonly name: string;
  readonly tokens: number;
  readonly meaning: string;
  /** The engine's own settings that it follows from, beside the window. */
  readonly from: readonly string[];
}
