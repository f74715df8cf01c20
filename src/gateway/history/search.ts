/** Full-text search over all that is kept, and the way back from a recall id to the original bytes. */
import type { Original } from "../../store/store.ts";
import type { Found, SearchQuery } from "./contract.ts";
import { findSession } from "./find.ts";
import type { HistoryDesk } from "./desk.ts";

/** Of one session, so many hits of the whole tenant are looked through. */
const HITS_SEEN_MAX = 5_000;
/** The store shows this much of a longer line, cut anywhere. */
const LINE_CHARACTERS_MAX = 500;

export async function recall(
  { store }: HistoryDesk,
  tenant: string | undefined,
  id: string,
): Promise<Original | undefined> {
  for (const one of await tenantsOf({ store }, tenant)) {
    const original = await store.getOriginal(one, id);
    if (original !== undefined) return original;
  }
  return undefined;
}

export async function search(
  desk: HistoryDesk,
  { tenant, words, session, limit }: SearchQuery,
): Promise<readonly Found[]> {
  if (session !== undefined) return searchSession(desk, { tenant, id: session }, { words, limit });
  const found: Found[] = [];
  for (const one of await tenantsOf(desk, tenant)) found.push(...(await hitsOf(desk, one, { words, limit })));
  return fairly(found, limit);
}

interface Wanted {
  readonly words: string;
  readonly limit: number;
}

async function searchSession(
  desk: HistoryDesk,
  which: { readonly tenant: string | undefined; readonly id: string },
  { words, limit }: Wanted,
): Promise<readonly Found[]> {
  const { store } = desk;
  const { tenant, entry } = await findSession(store, which);
  const links = await store.readLinks(tenant, entry.head);
  const compactions = await store.listCompactions(tenant, links);
  const inChain = new Set(links);
  const removed = new Set(compactions.flatMap(({ compaction }) => compaction.evicted.map(({ id }) => id)));
  const found = await hitsOf(desk, tenant, {
    words,
    limit: HITS_SEEN_MAX,
    messages: (link) => inChain.has(link),
    originals: (id) => removed.has(id),
  });
  return fairly(found, limit);
}

async function hitsOf(
  { store, redact }: HistoryDesk,
  tenant: string,
  {
    words,
    limit,
    messages = () => true,
    originals = () => true,
  }: Wanted & { readonly messages?: (link: string) => boolean; readonly originals?: (id: string) => boolean },
): Promise<readonly Found[]> {
  const [said, removed] = await Promise.all([
    store.searchMessages(tenant, words, limit),
    store.search(tenant, words, limit),
  ]);
  const shown = (line: string): string => redact(line.length < LINE_CHARACTERS_MAX ? line : wholeWords(line));
  return [
    ...said
      .filter(({ link }) => messages(link))
      .map(({ session, position, role, line }): Found => {
        return { kind: "message", tenant, session, number: position + 1, role, line: shown(line) };
      }),
    ...removed
      .filter(({ id }) => originals(id))
      .map(({ id, label, line }): Found => ({ kind: "original", tenant, id, label: redact(label), line: shown(line) })),
  ];
}

/** A secret that was cut in two is recognised by nobody: what stands at a cut goes. */
function wholeWords(line: string): string {
  const [start, end] = [line.search(/\s/), line.lastIndexOf(" ")];
  return start < 0 || end <= start ? "" : line.slice(start + 1, end);
}

/** Both kinds, where there are more than fit. */
function fairly(found: readonly Found[], limit: number): readonly Found[] {
  if (found.length <= limit) return found;
  const messages = found.filter(({ kind }) => kind === "message");
  const originals = found.filter(({ kind }) => kind === "original");
  const half = Math.ceil(limit / 2);
  const fewer = Math.min(originals.length, Math.max(limit - messages.length, limit - half));
  return [...messages.slice(0, limit - fewer), ...originals.slice(0, fewer)];
}

async function tenantsOf(
  { store }: Pick<HistoryDesk, "store">,
  tenant: string | undefined,
): Promise<readonly string[]> {
  return tenant === undefined ? (await store.listTenants()).map((one) => one.tenant) : [tenant];
}
