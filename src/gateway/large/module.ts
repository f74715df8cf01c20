/** What a module has to export that makes the gateway of the thread for large requests. */
import type { HistoryStore } from "../../store/store.ts";
import type { GatewayOptions } from "../gateway-options.ts";

export interface ThreadModule {
  readonly openOptions: (data: never) => Promise<ThreadOptions>;
}

export interface ThreadOptions {
  readonly options: Omit<GatewayOptions, "onEvent" | "largeRequests" | "ownRoutes" | "retention"> & {
    readonly store: HistoryStore;
  };
  /** Closes what was opened for the options: the store, the engine. */
  readonly close: () => Promise<void>;
}
