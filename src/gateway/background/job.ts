/**
 * A compaction that is due soon as a job that any process on the same store can do. It names the conversation in the store,
 * and has with it what the store does not keep: the system prompt, the tools and what the session knows. A client's
 * credential is never in it: what only that could write stays in the gateway that has it.
 */
import type { Message } from "../../core/transcript/message.ts";
import type { RuntimeState } from "../../session/contract.ts";
import type { HistoryContext } from "../request/context.ts";
import { countsTokens, type ModelRequest, type PreparedRequest } from "../request/model-request.ts";

/** Plain data; survives JSON. */
export interface CompactionJob {
  readonly schemaVersion: number;
  readonly model: string;
  readonly contextLength: number;
  readonly maxOutputTokens: number;
  readonly factor: number;
  readonly state: RuntimeState;
  /** The prefix that the compaction in effect covered, where there was one. */
  readonly standing: string | undefined;
  readonly system: readonly Message[];
  readonly tools?: string;
}

const JOB_SCHEMA_VERSION = 1;

type JobContext = Pick<HistoryContext, "mode" | "store" | "runtime" | "remote">;

/** Whether another process could make this conversation's next compaction as well as this one. */
export function isForAnyProcess(context: JobContext, request: PreparedRequest): boolean {
  const { mode, store, runtime, remote } = context;
  const { withHiddenTurns, reading } = request;
  if (store.jobs === undefined || mode !== "rewrite" || countsTokens(request)) return false;
  // Its model or its provider writes, with its client's credential.
  if (runtime.mainAhead === true || remote?.isFor(request) === true) return false;
  // Files are this machine's, and a system prompt is rewritten in its own bytes.
  if (runtime.readFile !== undefined || runtime.settings?.note !== "handoff") return false;
  // Of turns that are hidden from the client the store's conversation has nothing.
  return withHiddenTurns === reading.decoded;
}

/** What is enqueued when the request is kept; undefined where nothing is due, or nobody else could do it. */
export function jobOf(context: JobContext, request: ModelRequest): CompactionJob | undefined {
  if (request.prepared === undefined || !request.soon || !isForAnyProcess(context, request)) return undefined;
  const { runtime } = request.conversation;
  const { system, tools, maxOutputTokens = 0 } = request.withHiddenTurns.transcript;
  const state = runtime.state();
  return {
    schemaVersion: JOB_SCHEMA_VERSION,
    model: request.model,
    contextLength: state.contextLength,
    maxOutputTokens,
    factor: state.factor,
    state,
    standing: state.lastCovers,
    system: system.map(({ wire: _, ...message }) => message),
    ...(tools === undefined ? {} : { tools }),
  };
}

/** Undefined for one of another version: the gateway that enqueued it compacts when it is due. */
export function jobIn(data: unknown): CompactionJob | undefined {
  const { schemaVersion } = (data ?? {}) as Partial<CompactionJob>;
  return schemaVersion === JOB_SCHEMA_VERSION ? (data as CompactionJob) : undefined;
}
