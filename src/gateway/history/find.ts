/** From what a person types to the session that is meant: an id, or the beginning of one where no other begins so. */
import { PrecisError } from "../../core/errors.ts";
import type { HistoryStore, SessionEntry } from "../../store/store.ts";
import type { Which } from "./contract.ts";

export interface FoundSession {
  readonly tenant: string;
  readonly entry: SessionEntry;
}

/** That many are named where an id could be several. */
const CANDIDATES_MAX = 5;
const TENANTS_NAMED_MAX = 10;

/** @throws PrecisError `unknown_session`, `ambiguous_session`. */
export async function findSession(store: HistoryStore, { tenant, id }: Which): Promise<FoundSession> {
  const tenants = tenant === undefined ? (await store.listTenants()).map((one) => one.tenant) : [tenant];
  const exact = await gather(tenants, async (name) => [await store.getSession(name, id)]);
  const found = exact.length > 0 ? exact : await beginningWith(store, tenants, id);
  const [only] = found;
  if (only === undefined) throw unknown(await store.listTenants(), { tenant, id });
  if (found.length > 1) throw ambiguous(found, id, tenant);
  return only;
}

async function beginningWith(
  store: HistoryStore,
  tenants: readonly string[],
  prefix: string,
): Promise<readonly FoundSession[]> {
  if (prefix === "") return [];
  return gather(tenants, (tenant) => store.listSessions(tenant, { limit: CANDIDATES_MAX + 1, prefix }));
}

async function gather(
  tenants: readonly string[],
  ask: (tenant: string) => Promise<readonly (SessionEntry | undefined)[]>,
): Promise<readonly FoundSession[]> {
  const found: FoundSession[] = [];
  for (const tenant of tenants)
    for (const entry of await ask(tenant)) if (entry !== undefined) found.push({ tenant, entry });
  return found;
}

function unknown(all: Awaited<ReturnType<HistoryStore["listTenants"]>>, { tenant, id }: Which): PrecisError {
  const where = tenant === undefined ? "" : ` of the tenant ${JSON.stringify(tenant)}`;
  return new PrecisError(`there is no session ${JSON.stringify(id)}${where}`, {
    code: "unknown_session",
    hint: tenantsHint(all, tenant),
  });
}

/** Where else to look. */
function tenantsHint(all: Awaited<ReturnType<HistoryStore["listTenants"]>>, tenant: string | undefined): string {
  if (all.length === 0) return "The store is empty; is it the right file?";
  const others = all.filter((one) => one.tenant !== tenant);
  const list = "`precis sessions` lists them";
  if (tenant === undefined || others.length === 0) return `${list}, newest first.`;
  const named = others.slice(0, TENANTS_NAMED_MAX).map((one) => `${one.tenant} (${one.sessions})`);
  const more = others.length > named.length ? ` and ${others.length - named.length} more` : "";
  return `${list}. Other tenants with sessions: ${named.join(", ")}${more}; name one: --tenant NAME, or ?tenant=NAME.`;
}

function ambiguous(found: readonly FoundSession[], id: string, tenant: string | undefined): PrecisError {
  const named = found
    .slice(0, CANDIDATES_MAX)
    .map(({ entry, tenant: owner }) => (tenant === undefined ? `${entry.id} (tenant ${owner})` : entry.id));
  return new PrecisError(`more than one session begins with ${JSON.stringify(id)}`, {
    code: "ambiguous_session",
    hint: `Write more of it: ${named.join(", ")}${found.length > named.length ? ", …" : ""}.`,
  });
}
