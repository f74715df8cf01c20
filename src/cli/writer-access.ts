/** What a command gives to those who write handoffs: the keys, and a word before each is asked. */
import type { Environment } from "../config/environment.ts";

/** For those who let the configured models write. */
export interface WriterAccess {
  /** Where the models' keys are. */
  readonly environment: Environment;
  /** Called before a model is asked. */
  readonly before: (model: string) => Promise<void>;
}
