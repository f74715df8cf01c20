/** What a person pins in a stored conversation. A running gateway on the same store keeps to it from the next compaction on. */
import { PrecisError } from "../../core/errors.ts";
import { addPin, listPins, removePin, type PinContext, type PinRequest } from "../../session/pins.ts";
import type { SessionPins, Which } from "./contract.ts";
import type { HistoryDependencies } from "./dependencies.ts";
import { findSession } from "./find.ts";

export async function pins(dependencies: HistoryDependencies, which: Which): Promise<SessionPins> {
  return pinned(await pinnedSession(dependencies, which));
}

export async function pin(dependencies: HistoryDependencies, which: Which, what: PinRequest): Promise<SessionPins> {
  const session = await pinnedSession(dependencies, which);
  await addPin(session, what);
  return pinned(session);
}

export async function unpin(dependencies: HistoryDependencies, which: Which, id: string): Promise<SessionPins> {
  const session = await pinnedSession(dependencies, which);
  if (await removePin(session, id)) return pinned(session);
  throw new PrecisError(`the session has no pin ${JSON.stringify(id.slice(0, SHOWN_CHARS))}`, {
    code: "unknown_pin",
    hint: "List its pins: each has an id such as p1a2b3c.",
  });
}

const SHOWN_CHARS = 40;

interface PinnedSession extends PinContext {
  readonly session: string;
}

async function pinned(session: PinnedSession): Promise<SessionPins> {
  return { session: session.session, pins: await listPins(session) };
}

async function pinnedSession({ store, chain }: HistoryDependencies, which: Which): Promise<PinnedSession> {
  const { tenant, entry } = await findSession(store, which);
  return { store, tenant, chain, links: await store.readLinks(tenant, entry.head), session: entry.id };
}
