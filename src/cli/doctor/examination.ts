/** What the doctor is given to look at. */
import type { Loaded } from "../../config/load.ts";
import type { Terminal } from "../terminal.ts";

export interface Examination {
  readonly loaded: Loaded;
  readonly terminal: Terminal;
  /** `--store`. */
  readonly store: string | undefined;
  /** Nothing leaves this machine. */
  readonly offline: boolean;
}
