/** What happens when something of the gateway fails on a request's way: it is reported, and the request goes on as it came. */
import type { EmitEvent, UntouchedReason } from "../contract.ts";
import { PrecisError } from "../../core/errors.ts";
import type { HistoryStore } from "../../store/store.ts";
import { type RequestRecord } from "./record.ts";

export interface StoreHealth {
  /** Whether the store failed to take what it was given last. */
  fails: boolean;
  /** Rejects where it could not be written to. One that failed is given as much as a request brings: it may yet take a little. */
  readonly check: () => Promise<void>;
}

const TRIED_BYTES = 256 * 1024;

export function createStoreHealth(store: Pick<HistoryStore, "checkWritable" | "putState">): StoreHealth {
  const health: StoreHealth = {
    fails: false,
    check: async () => {
      await store.checkWritable(health.fails ? TRIED_BYTES : 0);
      if (!health.fails) return;
      for (const text of ["-".repeat(TRIED_BYTES), ""]) await store.putState("", "write check", text);
      health.fails = false;
    },
  };
  return health;
}

export function faultReason(error: unknown): UntouchedReason {
  if (!(error instanceof PrecisError)) return "internal_fault";
  if (error.code.startsWith("store_")) return "store_unavailable";
  if (error.code === "tenant_store_full") return "tenant_store_full";
  if (error.code === "too_many_messages") return "too_large_to_read";
  return UNREADABLE.has(error.code) ? "unreadable" : "internal_fault";
}

const UNREADABLE = new Set(["body_not_json", "body_without_messages", "message_malformed"]);

/** @throws the error itself where faults are to be refused. */
export function passOnFault(
  context: { readonly onFault: "pass" | "refuse"; readonly onEvent: EmitEvent },
  record: RequestRecord,
  { because, error }: { readonly because: UntouchedReason; readonly error: unknown },
): void {
  record.treatment = { kind: "untouched", because };
  if (!isFault(because)) return;
  reportFault(context, record, because, error);
  if (context.onFault === "refuse") throw error;
}

/** What is wrong with a request is for its provider to say, and a limit is no fault. */
function isFault(because: UntouchedReason): boolean {
  return because !== "unreadable" && because !== "too_large_to_read" && because !== "tenant_store_full";
}

export function reportFault(
  { onEvent }: { readonly onEvent: EmitEvent },
  { tenant }: Pick<RequestRecord, "tenant">,
  because: UntouchedReason,
  error: unknown,
): void {
  if (!isFault(because)) return;
  // The message of an error that is not ours may quote what it worked on.
  const message =
    error instanceof PrecisError ? `${error.code}: ${error.message}` : ((error as Error).name ?? "a fault");
  const code = because === "store_unavailable" ? "store_unavailable" : "internal_fault";
  onEvent({ kind: "notice", code, tenant, message });
}
