/**
 * Threads that providers keep for clients: how many tokens each holds, and from when on its client is asked to send the whole
 * conversation again, because a compaction is due. A `continue` shows only what is new, so nothing of it is taken for a
 * conversation. What is remembered here is lost with the process; an unknown thread is passed on.
 */
import { createRecentMap } from "../../store/recent-map.ts";
import { memberOf, type ThreadForm, type ThreadRefusal, type ThreadUse } from "../../protocols/definition.ts";
import type { Decoded } from "../../protocols/protocol.ts";
import { definitions } from "../../protocols/registry.ts";

/** `replay`: a client is asked to replay where a compaction is due. `refuse`: threads are refused. `pass`: left alone. */
export type ThreadPolicy = "replay" | "refuse" | "pass";

export interface HeldThread {
  /** Of the answer that the next request continues. */
  readonly id: string;
  /** What the provider keeps, the answer included. */
  readonly tokens: number;
  /** From that many on the whole conversation is asked for; undefined where it never is. */
  readonly replayTokens: number | undefined;
  /** The conversation was rewritten, and the provider has to be told to drop the thinking that no longer fits. */
  readonly dropsThinking: boolean;
}

export interface Threads {
  readonly policy: ThreadPolicy;
  readonly find: (tenant: string, id: string) => HeldThread | undefined;
  readonly keep: (tenant: string, thread: HeldThread) => void;
  /** Undefined where the client was refused in each way it may know and still comes: it is passed on. */
  readonly refusal: (tenant: string, id: string, form: ThreadForm) => ThreadRefusal | undefined;
}

/** Of all tenants. */
const THREADS_MAX = 10_000;

export function createThreads(policy: ThreadPolicy): Threads {
  const held = createRecentMap<HeldThread>({ entries: THREADS_MAX });
  const refused = createRecentMap<number>({ entries: THREADS_MAX });
  return {
    policy,
    find: (tenant, id) => held.get(threadKey(tenant, id)),
    keep: (tenant, thread) => held.set(threadKey(tenant, thread.id), thread),
    refusal: (tenant, id, form) => {
      const key = threadKey(tenant, id);
      const times = refused.get(key) ?? 0;
      refused.set(key, times + 1);
      if (times === 0) return form.notFound(id);
      return times === 1 ? form.unsupported() : undefined;
    },
  };
}

export function threadUseOf(decoded: Decoded): ThreadUse | undefined {
  return definitions[decoded.protocol].threads?.useOf(memberOf(decoded));
}

function threadKey(tenant: string, id: string): string {
  return `${tenant}\n${id}`;
}
