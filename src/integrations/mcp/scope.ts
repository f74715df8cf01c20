/** Who may see what: every id that an agent writes is looked up here first, within its tenant and its session. */
import type { Evicted } from "../../core/compaction/compaction.ts";
import { PrecisError } from "../../core/errors.ts";
import type { CompactionEntry, Original, SessionEntry } from "../../store/store.ts";
import type { ToolContext } from "./contract.ts";
import { isRecallId } from "../../core/transcript/links.ts";

const CANDIDATES_MAX = 5;
const SHOWN_ID_CHARS_MAX = 80;

export const UNKNOWN_SESSION_HINT = "`describe` without an id lists everything.";

export interface RemovalPoint {
  readonly session: SessionEntry;
  readonly compaction: CompactionEntry;
  readonly evicted: Evicted;
}

/** The session that is meant: its id, the beginning of one, or without any the last used one. @throws PrecisError. */
export async function findSession(context: ToolContext, wanted: string | undefined): Promise<SessionEntry> {
  const { store, tenant, session: only } = context;
  if (only !== undefined) {
    const entry = wanted === undefined || only.startsWith(wanted) ? await store.getSession(tenant, only) : undefined;
    if (entry === undefined || wanted === "") throw unknownSession(wanted ?? only);
    return entry;
  }
  if (wanted === undefined) {
    const [last] = await store.listSessions(tenant, { limit: 1 });
    if (last === undefined) throw unknownSession("");
    return last;
  }
  const exact = await store.getSession(tenant, wanted);
  if (exact !== undefined) return exact;
  const found = wanted === "" ? [] : await store.listSessions(tenant, { limit: CANDIDATES_MAX + 1, prefix: wanted });
  if (found.length > 1) throw ambiguous(wanted, found);
  const [begun] = found;
  if (begun === undefined) throw unknownSession(wanted);
  return begun;
}

export async function listScopedSessions({
  store,
  tenant,
  session,
  limits,
}: ToolContext): Promise<readonly SessionEntry[]> {
  if (session === undefined) return store.listSessions(tenant, { limit: limits.sessions });
  const only = await store.getSession(tenant, session);
  return only === undefined ? [] : [only];
}

/** An original: of the tenant, and if only one session may be seen, one that was removed from it. */
export async function findOriginal(context: ToolContext, id: string): Promise<Original> {
  const { store, tenant, session } = context;
  const place = session === undefined ? undefined : await findPlace(context, id);
  const reachable = isRecallId(id) && (session === undefined || place !== undefined);
  const original = reachable ? await store.getOriginal(tenant, id) : undefined;
  if (original === undefined)
    throw new PrecisError(`there is nothing under the recall id ${JSON.stringify(shown(id))}`, {
      code: "unknown_original",
      hint: "`search` finds ids by words in the original.",
    });
  // The same text may have left another session under another label.
  return place === undefined ? original : { ...original, label: place.evicted.label };
}

/** Undefined if none of the sessions that are looked through lost it. */
export async function findPlace(context: ToolContext, id: string): Promise<RemovalPoint | undefined> {
  const { store, tenant } = context;
  for (const session of await listScopedSessions(context)) {
    const links = await store.readLinks(tenant, session.head);
    for (const compaction of await store.listCompactions(tenant, links)) {
      const evicted = compaction.compaction.evicted.find((one) => one.id === id);
      if (evicted !== undefined) return { session, compaction, evicted };
    }
  }
  return undefined;
}

function unknownSession(wanted: string): PrecisError {
  const which = wanted === "" ? "" : ` ${JSON.stringify(shown(wanted))}`;
  return new PrecisError(`there is no session${which}`, {
    code: "unknown_session",
    hint: UNKNOWN_SESSION_HINT,
  });
}

function ambiguous(wanted: string, found: readonly SessionEntry[]): PrecisError {
  const named = found.slice(0, CANDIDATES_MAX).map(({ id }) => shown(id));
  return new PrecisError(`more than one session begins with ${JSON.stringify(shown(wanted))}`, {
    code: "ambiguous_session",
    hint: `Write more of it: ${named.join(", ")}${found.length > named.length ? ", …" : ""}.`,
  });
}

function shown(id: string): string {
  return id.slice(0, SHOWN_ID_CHARS_MAX);
}
