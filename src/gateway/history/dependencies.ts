/** What every call of the operator works with. */
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { Chain } from "../../core/transcript/links.ts";
import type { OperatorHooks } from "../../session/operator-hooks/contract.ts";
import type { Prices } from "../../models/usage.ts";
import type { HistoryStore } from "../../store/store.ts";
import type { EmitEvent } from "../contract.ts";
import type { createMeasures, ReadRecent } from "./recently-read.ts";
import type { ModelBook } from "../models.ts";
import type { sessionOptions } from "../session-options.ts";

export interface HistoryDependencies {
  readonly store: HistoryStore;
  readonly chain: Chain;
  /** What is known of models by now. */
  readonly models: () => ModelBook;
  /** One window for every model is set. */
  readonly windowIsStated: boolean;
  readonly readRecent: ReadRecent;
  readonly measureOf: ReturnType<typeof createMeasures>;
  /** Undefined where they are not known. */
  readonly pricesOf: (model: string) => Prices | undefined;
  readonly runtime: ReturnType<typeof sessionOptions>;
  readonly redact: Redactor;
  /** The operator's, where there are any. */
  readonly hooks: OperatorHooks | undefined;
  readonly onEvent: EmitEvent;
}
