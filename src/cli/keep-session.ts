/** Takes a session that an agent keeps in a file into the store, under a name that is the same every time. */
import { hash } from "node:crypto";
import { createChain } from "../core/transcript/links.ts";
import type { Message } from "../core/transcript/message.ts";
import type { ReadLog } from "../logs/index.ts";
import { protocols } from "../protocols/index.ts";
import type { OpenedHistory } from "./history.ts";

const NAME_CHARS_MAX = 128;
const { linksOf } = createChain((text) => hash("sha256", text));

export interface KeptSession {
  /** Its name in the store. */
  readonly session: string;
  readonly messages: readonly Message[];
  readonly links: readonly string[];
  /** How many of its messages were new. */
  readonly added: number;
}

export interface SessionPlace extends Pick<OpenedHistory, "kept" | "tenant"> {
  readonly path: string;
}

/** Continues a session that is in the store already; undefined where nothing was said in it. @throws PrecisError of the store. */
export async function keepSession(
  { transcript, speaks, format, id }: ReadLog,
  { kept, tenant, path }: SessionPlace,
): Promise<KeptSession | undefined> {
  // In the form in which the agent sends them, so that a gateway that sees the conversation recognises it.
  const { messages: encoded } = protocols[speaks].encode({ system: [], messages: transcript.messages });
  const { messages } = protocols[speaks].decode(JSON.stringify(encoded)).transcript;
  if (messages.length === 0) return undefined;
  const links = linksOf(messages);
  const name = `${format}:${(id ?? hash("sha256", path)).replaceAll(/[^A-Za-z0-9._:@/-]/g, "-")}`;
  const { session, added } = await kept.appendChain(tenant, {
    links,
    messages,
    session: name.slice(0, NAME_CHARS_MAX),
  });
  return { session, messages, links, added };
}
