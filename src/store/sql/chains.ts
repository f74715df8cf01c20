/** Conversations as they are read: from a message back to the first, along the links. */
import type { Role } from "../../core/transcript/message.ts";
import type { StoredMessage } from "../store.ts";
import { decoded } from "../text-bytes.ts";
import type { Vault } from "../vault.ts";
import { query } from "./query.ts";

/** What is looked for first; most chains end in what was just stored. Then four times as many, and so on. */
const LINKS_AT_ONCE = 128;
const LINKS_AT_ONCE_GROWTH = 4;

export interface ChainRow {
  readonly link: string;
  readonly role: string;
  readonly protocol: string | null;
  readonly member: number;
  readonly encoding: string;
  readonly content: Uint8Array;
}

/** Chains whose links do not count up from their beginning; none unless the file was changed by somebody else. */
export const brokenLinks = query<object, { link: string }>(`
  select links.link from links
  left join links parents on parents.id = links.parent
  where links.position <> coalesce(parents.position + 1, 0)`);

/** Growing batches of a chain, its end first. */
export function* fromTheEnd(
  links: readonly string[],
): Iterable<{ readonly from: number; readonly batch: readonly string[] }> {
  let size = LINKS_AT_ONCE;
  for (let end = links.length; end > 0; size *= LINKS_AT_ONCE_GROWTH) {
    const from = Math.max(0, end - size);
    yield { from, batch: links.slice(from, end) };
    end = from;
  }
}

export function messageOf(vault: Vault, { link, role, protocol, member, encoding, content }: ChainRow): StoredMessage {
  return {
    link,
    role: role as Role,
    body: decoded(vault, { encoding, content }),
    member,
    ...(protocol === null ? {} : { protocol }),
  };
}
