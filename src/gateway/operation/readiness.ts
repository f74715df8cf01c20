/** Whether a process can do its work now: its store can be written within a short time, and it was not told to stop. */
import { PrecisError } from "../../core/errors.ts";
import { withTimeLimit } from "../../session/time-limit.ts";

export interface ReadinessChecks {
  /** Rejects, or does not resolve in time, where requests cannot be kept. */
  readonly checkStore: () => Promise<unknown>;
  /** True from the moment it is to stop. */
  readonly stopping: () => boolean;
}

const STORE_ANSWERS_WITHIN_MS = 2_000;

/** Why it is not ready, as a code; undefined where it is. */
export async function unreadiness({ stopping, checkStore }: ReadinessChecks): Promise<string | undefined> {
  if (stopping()) return "stopping";
  try {
    const checked = checkStore().then(() => undefined);
    return await withTimeLimit(STORE_ANSWERS_WITHIN_MS, checked, () => "store_slow");
  } catch (cause) {
    return cause instanceof PrecisError && cause.code.startsWith("store_") ? cause.code : "store_unavailable";
  }
}
