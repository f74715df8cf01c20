/** What stays of a conversation beside the handoff: a person's newest messages, and what the session opened with. */
import type { Evicted } from "../../compaction/compaction.ts";
import { byPerson } from "../../ledger/readers/person.ts";
import { isHandoff } from "../../handoff/write.ts";
import type { Hash } from "../../transcript/links.ts";
import type { Measure } from "../../transcript/measure.ts";
import type { Message } from "../../transcript/message.ts";
import type { Ahead, Placed } from "../result/assemble.ts";
import { cutInTheMiddle } from "./cut.ts";

export interface Keeping {
  /** Index of the live request, which stays whole whatever it weighs. */
  readonly live: number;
  /** Messages from here on stay where they are. */
  readonly tailStart: number;
  /** For a person's messages. */
  readonly tokens: number;
  /** Whether what the client put before the first request stays. */
  readonly opening: boolean;
  readonly measure: Measure;
  readonly hash: Hash;
}

export interface Kept extends Ahead {
  /** So many messages of the conversation stand first, as they were; they are no part of `placed`. */
  readonly headEnd: number;
}

/** In the order of Codex: older messages of the person, what the session opened with, the last message. */
export function keptOf(messages: readonly Message[], keeping: Keeping): Kept {
  const { live, tailStart, opening } = keeping;
  const { placed, evicted } = newestOf(messages, keeping);
  const first = opening ? openingOf(messages, live, tailStart) : [];
  const isLast = ({ from }: Placed): boolean => from === live;
  const all = [...placed.filter((one) => !isLast(one)), ...first, ...placed.filter(isLast)];
  let headEnd = 0;
  while (all[headEnd]?.from === headEnd && all[headEnd]!.message === messages[headEnd]) headEnd++;
  return { placed: all.slice(headEnd), evicted, headEnd };
}

/** The newest messages of the person within the budget; the first over it is cut, and none before that stays. */
function newestOf(messages: readonly Message[], keeping: Keeping): { placed: Placed[]; evicted: Evicted[] } {
  const { live, tailStart, measure, hash } = keeping;
  const placed: Placed[] = [];
  const evicted: Evicted[] = [];
  let left = keeping.tokens;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (at !== live && (!byPerson(message) || isHandoff(message))) continue;
    const tokens = measure.message(message);
    if (at >= tailStart || at === live || tokens <= left) {
      left -= tokens;
      if (at < tailStart) placed.unshift({ message, from: at });
      continue;
    }
    const cut = cutInTheMiddle(message, { tokens: left, at, measure, hash });
    if (cut !== undefined) {
      placed.unshift({ message: cut.message, from: at });
      evicted.push(cut.evicted);
    }
    break;
  }
  return { placed, evicted };
}

/** What a client says in the user's name before the first request: its environment, its instructions. */
function openingOf(messages: readonly Message[], live: number, tailStart: number): readonly Placed[] {
  const opening: Placed[] = [];
  for (let at = 0; at < tailStart && at !== live; at++) {
    const message = messages[at]!;
    if (message.role !== "user" || message.origin !== undefined || byPerson(message) || isHandoff(message)) break;
    opening.push({ message, from: at });
  }
  return opening;
}
