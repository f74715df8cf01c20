/** From what a person types to the session that is meant: an id, or the beginning of one where no other begins so. */
import { PrecisError } from "../../core/errors.ts";
import type { HistoryStore, SessionEntry, StoredMessage } from "../../store/store.ts";
import type { Which } from "../../session/history.ts";
import type { Message } from "../../core/transcript/message.ts";
import { protocols } from "../../protocols/index.ts";
import { type ProtocolName } from "../../core/protocols.ts";

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

export interface StoredConversation {
  readonly messages: readonly Message[];
  /** The protocol of its newest message that came from a wire message. */
  readonly protocol: ProtocolName | undefined;
  readonly locked: string | undefined;
}

export async function readConversation(store: HistoryStore, tenant: string, head: string): Promise<StoredConversation> {
  return conversationOf(await store.readChain(tenant, head));
}

export function conversationOf(stored: readonly StoredMessage[]): StoredConversation {
  const groups = groupByWireMessage(stored).map(readGroup);
  const protocol = stored.findLast((one) => one.protocol !== undefined)?.protocol;
  return {
    messages: groups.flatMap(({ messages }) => messages),
    protocol: protocol === undefined ? undefined : knownProtocol(protocol),
    locked: groups.find(({ locked }) => locked !== undefined)?.locked,
  };
}

/** Messages that came from one wire message are together, counted up. */
function groupByWireMessage(stored: readonly StoredMessage[]): readonly (readonly StoredMessage[])[] {
  const groups: StoredMessage[][] = [];
  for (const one of stored) {
    const before = groups.at(-1)?.at(-1);
    if (before !== undefined && one.member > 0 && one.member === before.member + 1) groups.at(-1)!.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** The last of a group has the bytes that count: a branch may share the first members of a wire message and differ in the rest. */
function readGroup(group: readonly StoredMessage[]): Pick<StoredConversation, "messages" | "locked"> {
  const { protocol, body } = group.at(-1)!;
  if (protocol === undefined) return { messages: [ownMessage(body)], locked: undefined };
  const { transcript, locked } = protocols[knownProtocol(protocol)].decode(
    // The whole input of a Responses request may be one string.
    body.startsWith('"') ? `{"input":${body}}` : `[${body}]`,
  );
  const members = [...transcript.system, ...transcript.messages];
  const messages = group.map(({ member, link }) => members[member] ?? missing(link));
  return { messages, locked };
}

function ownMessage(body: string): Message {
  const message = JSON.parse(body) as Message;
  for (const part of message.parts) Object.freeze(part);
  Object.freeze(message.parts);
  return Object.freeze(message);
}

function knownProtocol(name: string): ProtocolName {
  if (Object.hasOwn(protocols, name)) return name as ProtocolName;
  throw unreadable(`a message of the protocol "${name}"`);
}

function missing(link: string): never {
  throw unreadable(`the message ${link.slice(0, 12)}`);
}

function unreadable(what: string): PrecisError {
  return new PrecisError(`the store holds ${what}, which this version cannot read`, {
    code: "store_damaged",
    hint: "Run `precis store check`; use the version of precis that wrote it.",
  });
}
