/** A gateway without requests: it only works on the compactions that others have enqueued. */
import { createOperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import type { HistoryStore, JobQueue } from "../../store/store.ts";
import type { GatewayOptions } from "../gateway-options.ts";
import { createHistoryContext } from "../history-context.ts";
import { GATEWAY_LIMITS } from "../limits.ts";
import { safely } from "../operation/safely.ts";
import { withShownNames } from "../operation/names.ts";
import { createTenantDirectory } from "../tenants/directory.ts";
import { workOnJobs, type JobWorker } from "./work.ts";

export interface WorkerOptions {
  readonly queue: JobQueue;
  /** Compactions at a time. */
  readonly atOnce: number;
}

/** @throws PrecisError of the store. */
export async function createWorker(
  options: GatewayOptions & { readonly store: HistoryStore },
  { queue, atOnce }: WorkerOptions,
): Promise<JobWorker> {
  const { store } = options;
  const hooks = createOperatorHooks(options.hooks, options.secrets);
  const onEvent = safely((event) => options.onEvent?.(withShownNames(event)));
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const { limitsOf } = createTenantDirectory({ source: options.tenants, limits: options.tenantLimits ?? {}, onEvent });
  const context = createHistoryContext(options, { store, hooks, onEvent, limits, limitsOf, remote: undefined });
  const worker = await workOnJobs(context, queue, atOnce);
  return {
    stop: async () => {
      await worker.stop();
      await hooks?.settled();
    },
  };
}
