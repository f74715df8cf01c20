/** A stored conversation as messages again: decoded from the bytes it came in, group by group, so that its links are what they were. */
import { PrecisError } from "../../core/errors.ts";
import type { Message } from "../../core/transcript/message.ts";
import { protocols, type ProtocolName } from "../../protocols/index.ts";
import type { HistoryStore, StoredMessage } from "../../store/store.ts";

export interface StoredConversation {
  readonly messages: readonly Message[];
  /** The protocol of its newest message that came from a wire message. */
  readonly protocol: ProtocolName | undefined;
  /** Why it must stay as it is, where a part of it says so. */
  readonly locked: string | undefined;
}

export async function readConversation(store: HistoryStore, tenant: string, head: string): Promise<StoredConversation> {
  return conversationOf(await store.readChain(tenant, head));
}

export function conversationOf(stored: readonly StoredMessage[]): StoredConversation {
  const groups = groupsOf(stored).map(readGroup);
  const protocol = stored.findLast((one) => one.protocol !== undefined)?.protocol;
  return {
    messages: groups.flatMap(({ messages }) => messages),
    protocol: protocol === undefined ? undefined : knownProtocol(protocol),
    locked: groups.find(({ locked }) => locked !== undefined)?.locked,
  };
}

/** Messages that came from one wire message are together, counted up. */
function groupsOf(stored: readonly StoredMessage[]): readonly (readonly StoredMessage[])[] {
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
