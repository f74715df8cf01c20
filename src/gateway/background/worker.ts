/**
 * Does the jobs of the store's queue: makes the compaction that is due of a stored conversation, and keeps it where the next
 * request of that conversation finds it, whichever gateway that reaches. What was made already is not made again.
 */
import type { Compaction } from "../../core/compaction/compaction.ts";
import { createRuntime } from "../../session/runtime.ts";
import type { ActiveCompaction, Job, JobQueue, HistoryStore } from "../../store/store.ts";
import type { JobEvent } from "../contract.ts";
import { readConversation } from "../history/find.ts";
import type { HistoryContext } from "../request/context.ts";
import { conversationOptions } from "../conversations/start.ts";
import { jobIn } from "./job.ts";
import { createOperatorHooks } from "../../session/operator-hooks/operator-hooks.ts";
import type { GatewayOptions } from "../gateway-options.ts";
import { createHistoryContext } from "../request/history-context.ts";
import { GATEWAY_LIMITS } from "../limits.ts";
import { safely, withShownNames } from "../operation/log.ts";
import { createTenantDirectory } from "../tenants/directory.ts";

export interface JobWorker {
  readonly stop: () => Promise<void>;
}

function workOnJobs(context: HistoryContext, queue: JobQueue, atOnce: number): Promise<JobWorker> {
  const { onEvent } = context;
  return queue.work((job, signal) => doJob(context, queue, { job, signal }), {
    atOnce,
    onError: (error) =>
      onEvent({ kind: "notice", code: "jobs_failed", tenant: "", message: `the queue of jobs: ${error.name}` }),
  });
}

/** Undefined where the store has no queue, or others are to work on it. */
export async function startOwnWorker(
  context: HistoryContext,
  works: boolean,
  atOnce: number,
): Promise<JobWorker | undefined> {
  const { jobs } = context.store;
  return works && jobs !== undefined ? workOnJobs(context, jobs, atOnce) : undefined;
}

interface Doing {
  readonly job: Job;
  readonly signal: AbortSignal;
}

async function doJob(context: HistoryContext, queue: JobQueue, doing: Doing): Promise<void> {
  const { onEvent } = context;
  const { tenant, data } = doing.job;
  const model = jobIn(data)?.model ?? "";
  const started = performance.now();
  const report = (outcome: JobEvent["outcome"], made?: Compaction): void =>
    onEvent({
      kind: "job",
      tenant,
      model,
      outcome,
      modelCalls: made?.report.modelCalls ?? 0,
      costUsd: made?.report.costUsd ?? 0,
      tookMs: performance.now() - started,
    });
  try {
    const made = await compactStored(context, queue, doing);
    report(made === undefined ? "nothing" : "made", made);
  } catch (error) {
    report("failed");
    throw nameOnly(error as Error);
  }
}

/** The queue keeps all of an error that it is given, causes included; what one says may quote the conversation. */
function nameOnly({ name }: Error): Error {
  return new Error(name);
}

/** Undefined where there is nothing to make any more, or nothing could be made. */
async function compactStored(
  context: HistoryContext,
  queue: JobQueue,
  { job: { tenant, link, data }, signal }: Doing,
): Promise<Compaction | undefined> {
  const due = jobIn(data);
  if (due === undefined) return undefined;
  const { store, chain, models } = context;
  const { messages, locked } = await readConversation(store, tenant, link);
  const links = chain.linksOf(messages);
  // It was deleted meanwhile, or this version reads it in another way.
  if (locked !== undefined || links.at(-1) !== link) return undefined;
  const active = await store.findCompaction(tenant, links);
  const isStillDue = (now: ActiveCompaction): boolean =>
    !now.undone && (now.compaction === undefined || now.compaction.covers === due.standing);
  if (!isStillDue(active)) return undefined;
  const prepared = await queue.findPrepared(tenant, links.slice(active.compaction?.covered ?? 0));
  if (prepared !== undefined) return undefined;
  const { model, contextLength, maxOutputTokens, factor, state, system, tools } = due;
  await models.recalled(tenant, model);
  const known = { ...models.of(tenant, model), factor };
  let made: Compaction | undefined;
  const runtime = createRuntime({
    ...conversationOptions(context, { tenant, model, known, store }),
    mainAhead: false,
    state,
    sharedAhead: {
      put: async (compaction) => {
        // A system prompt is rewritten in its own bytes, which are not here.
        if (compaction.system !== undefined) return;
        // Its gateway may have been faster.
        if (!isStillDue(await store.findCompaction(tenant, links))) return;
        await queue.putPrepared(tenant, compaction);
        made = compaction;
      },
      find: async () => undefined,
      drop: () => undefined,
    },
  });
  runtime.modelChanged({ model, contextLength, maxOutputTokens });
  await runtime.ahead(
    { system, messages, model, ...(tools === undefined ? {} : { tools }) },
    { signal, decided: true },
  );
  return made;
}

interface WorkerOptions {
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
