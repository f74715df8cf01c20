/** What is kept of a request, and when: once its provider takes it, and before its answer ends. */
import { PrecisError } from "../core/errors.ts";
import type { Tell } from "./contract.ts";
import type { Entry } from "./entry.ts";
import { refusesSender } from "./knowledge/refused-key.ts";
import type { GatewayLimits } from "./limits.ts";
import { isTaken, type Opened } from "./opening.ts";
import type { Conversation } from "./conversations.ts";
import type { Visit, VisitDesk } from "./visit.ts";
import { within } from "./within.ts";

/** Whether the store took what it was given last. */
export interface Keeping {
  fails: boolean;
}

interface KeepingDesk {
  readonly keeping: Keeping;
  readonly limits: Pick<GatewayLimits, "commitWaitMs">;
  readonly visits: Pick<VisitDesk, "store" | "conversations">;
  readonly tell: Tell;
}

export const DONE = Promise.resolve();

/**
 * Keeps what a request brought once it is seen to be taken; its answer's end waits for it, within a bound. Of one that is
 * refused nothing is kept. What is answered asks for it too: where nothing was seen before the end, that decides.
 */
export function keeper(desk: KeepingDesk, entry: Entry, { brought, opened }: Keepable): () => Promise<void> {
  let keeping: Promise<void> | undefined;
  const keep = (): Promise<void> => (keeping ??= commit(desk, entry, brought, opened));
  void opened.begun.then(keep);
  return keep;
}

interface Keepable {
  readonly brought: Brought;
  readonly opened: Opened;
}

/** What a request brought, and how it is kept. */
export interface Brought {
  readonly visited: Visit;
  /** Undefined where all of it is kept already. */
  readonly append: (() => Promise<unknown>) | undefined;
}

/** While its provider works on a request, what it brought is made ready to be kept. */
export function bringing({ visits: { store } }: KeepingDesk, visited: Visit): Brought {
  const { reading, conversation, session, tenant } = visited;
  const { links, decoded } = reading;
  // A request that is sent once more brings nothing that is not kept.
  const repeated = links.length === 0 || (session === undefined && links.length <= (conversation.kept ?? 0));
  if (repeated) return { visited, append: undefined };
  const chain = { links, messages: decoded.transcript.messages, ...(session === undefined ? {} : { session }) };
  return { visited, append: store.prepareChain?.(tenant, chain) ?? (() => store.appendChain(tenant, chain)) };
}

/** Requests of one conversation that were not taken and whose compactions wait in memory. */
const WAITING_REQUESTS_MAX = 4;

/** What a request brought that was not taken goes on waiting for one that is, within a bound. */
export function leaveWaiting(desk: KeepingDesk, conversation: Conversation): void {
  if (conversation.pending.waiting() > WAITING_REQUESTS_MAX) desk.visits.conversations.forget(conversation);
}

function commit(desk: KeepingDesk, entry: Entry, { visited, append }: Brought, opened: Opened): Promise<void> {
  const { conversation } = visited;
  const { links } = visited.reading;
  if (!isTaken(opened)) {
    const isStranger = refusesSender(opened.incoming.status, opened.error);
    const bringsSomething = conversation.kept === undefined || conversation.pending.waiting() > 0;
    if (isStranger && bringsSomething) desk.visits.conversations.forget(conversation);
    leaveWaiting(desk, conversation);
    return DONE;
  }
  if (append === undefined && conversation.pending.waiting() === 0) return DONE;
  const keep = async (): Promise<void> => {
    try {
      await conversation.pending.keep(links);
      await append?.();
      desk.keeping.fails = false;
      conversation.kept = Math.max(conversation.kept ?? 0, links.length);
    } catch (failure) {
      desk.keeping.fails = true;
      tellFault(desk, entry, "store_unavailable", failure);
    }
  };
  return within(desk.limits.commitWaitMs, keep());
}

export function tellFault({ tell }: { readonly tell: Tell }, { tenant }: Entry, because: string, error: unknown): void {
  // The message of an error that is not ours may quote what it worked on.
  const message =
    error instanceof PrecisError ? `${error.code}: ${error.message}` : ((error as Error).name ?? "a fault");
  const code = because === "store_unavailable" ? "store_unavailable" : "internal_fault";
  tell({ kind: "notice", code, tenant, message });
}
