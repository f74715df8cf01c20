/** How a conversation reaches a database: only its end is handed over, from the last message that is known to be stored. */
import { bodyOf, memberOf } from "../body.ts";
import { createRecentMap } from "../recent-map.ts";
import { checkChain } from "../refusals.ts";
import type { Appended, ChainAppend, HistoryStore } from "../store.ts";
import type { ChainEnd, ChainEntry } from "./chains.ts";
import type { Keeping } from "./compactions.ts";
import type { Ask } from "./operations.ts";

/** Ends of chains known to be stored, so that only what came since is handed over. */
const ENDS_REMEMBERED_MAX = 2_048;

const NOTHING_ADDED: Appended = { added: 0, session: "" };

export function createAppendChain(
  ask: Ask,
  { now, during }: Pick<Keeping, "now" | "during">,
): HistoryStore["appendChain"] {
  const ends = createRecentMap<true>({ entries: ENDS_REMEMBERED_MAX });
  /** What need not be handed over: up to an end that is known, or what is stored. */
  const countKnown = async (tenant: string, links: readonly string[]): Promise<number> => {
    const remembered = links.findLastIndex((link) => ends.get(endKey(tenant, link)) === true) + 1;
    return remembered > 0 ? remembered : ask("countStored", tenant, links);
  };
  const append = async (tenant: string, chain: ChainAppend): Promise<Appended> => {
    const { links } = checkChain(chain);
    if (links.length === 0) return NOTHING_ADDED;
    const end = endFrom(chain, await countKnown(tenant, links), now());
    let done = await ask("append", tenant, end, sizeOf(end));
    if (done === undefined) {
      // Retention deleted what it is on since.
      const whole = endFrom(chain, 0, now());
      done = (await ask("append", tenant, whole, sizeOf(whole)))!;
    }
    ends.set(endKey(tenant, links.at(-1)!), true);
    return done;
  };
  return (tenant, chain) => during(() => append(tenant, chain));
}

function endFrom({ links, messages, session, job }: ChainAppend, from: number, now: number): ChainEnd {
  const entries = messages.slice(from).map((message, at): ChainEntry => {
    const protocol = message.wire?.protocol;
    const entry = { link: links[from + at]!, role: message.role, member: memberOf(message), body: bodyOf(message) };
    return protocol === undefined ? entry : { ...entry, protocol };
  });
  return {
    root: links[0]!,
    entries,
    now,
    ...(from === 0 ? {} : { after: links[from - 1]! }),
    ...(session === undefined ? {} : { session }),
    ...(job === undefined ? {} : { job }),
  };
}

function endKey(tenant: string, link: string): string {
  return `${tenant}\n${link}`;
}

function sizeOf({ entries }: ChainEnd): number {
  return entries.reduce((total, { body }) => total + body.length, 0);
}
