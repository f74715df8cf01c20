/** What stays of a conversation beside the handoff: a person's newest messages, and what the session opened with. */
import type { Evicted } from "../../compaction/compaction.ts";
import { byPerson } from "../../events/person.ts";
import { isHandoff } from "../../handoff/write.ts";
import type { Message } from "../../transcript/message.ts";
import type { KeptMessages, PlacedMessage } from "../../compaction/run/assemble.ts";
import type { CompactionDraft, CompactionRun } from "../../compaction/run/draft.ts";
import { trimmedRemarks } from "../../compaction/run/trimmed.ts";
import { cutInTheMiddle } from "./cut.ts";

export interface KeepLimits {
  /** Messages from here on stay where they are. */
  readonly tailStart: number;
  /** For a person's messages. */
  readonly tokens: number;
  /** Whether what the client put before the first request stays. */
  readonly opening: boolean;
}

export interface KeptTail extends KeptMessages {
  /** That many messages of the conversation are first, as they were; they are no part of `placed`. */
  readonly headEnd: number;
}

/** In the order of Codex: older messages of the person, what the session opened with, the last message. */
export function keptOf(run: CompactionRun, keeping: KeepLimits): KeptTail {
  const { live } = run;
  const { messages } = run.original;
  const { tailStart, opening } = keeping;
  const { placed, evicted } = newestOf(run, keeping);
  const first = opening ? openingOf(messages, live, tailStart) : [];
  const isLast = ({ from }: PlacedMessage): boolean => from === live;
  const all = [...placed.filter((one) => !isLast(one)), ...first, ...placed.filter(isLast)];
  let headEnd = 0;
  while (all[headEnd]?.from === headEnd && all[headEnd]!.message === messages[headEnd]) headEnd++;
  return { placed: all.slice(headEnd), evicted, headEnd };
}

/**
 * The newest messages of the person within the budget; the first over it is cut, and none before that stays. The live
 * request stays whole whatever it weighs.
 */
function newestOf(
  { original: { messages }, request, live }: CompactionRun,
  { tailStart, tokens: budget }: KeepLimits,
): { placed: PlacedMessage[]; evicted: Evicted[] } {
  const { measure, chain } = request;
  const placed: PlacedMessage[] = [];
  const evicted: Evicted[] = [];
  let left = budget;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (at !== live && !isPersons(message)) continue;
    const tokens = measure.message(message);
    if (at >= tailStart || at === live || tokens <= left) {
      left -= tokens;
      if (at < tailStart) placed.unshift({ message, from: at });
      continue;
    }
    const cut = cutInTheMiddle(message, { tokens: left, at, measure, hash: chain.hash });
    if (cut !== undefined) {
      placed.unshift({ message: cut.message, from: at });
      evicted.push(cut.evicted);
    }
    break;
  }
  return { placed, evicted };
}

/** What a client says in the user's name before the first request: its environment, its instructions. */
function openingOf(messages: readonly Message[], live: number, tailStart: number): readonly PlacedMessage[] {
  const opening: PlacedMessage[] = [];
  for (let at = 0; at < tailStart && at !== live; at++) {
    const message = messages[at]!;
    if (message.role !== "user" || message.origin !== undefined || byPerson(message) || isHandoff(message)) break;
    opening.push({ message, from: at });
  }
  return opening;
}

/** What a result lacks of the person's words, and of what the session opened with, one line each. */
export function trimmedBy(
  { assembled, kept, shape }: CompactionDraft,
  { original: { messages }, live }: CompactionRun,
): readonly string[] {
  const isGone = (at: number): boolean => assembled.map[at]?.kind === "summarised";
  const persons = messages.flatMap((message, at) => (at === live || isPersons(message) ? at : []));
  const out = persons.filter((at) => at !== live && isGone(at)).length;
  const cut = (kept?.evicted ?? []).length;
  const opening = openingOf(messages, live, shape.tailStart).filter(({ from }) => isGone(from)).length;
  return [
    ...trimmedRemarks({ all: persons.length, out, cut }),
    ...(opening === 0 ? [] : ["what the client wrote before the first request left out to save room"]),
  ];
}

function isPersons(message: Message): boolean {
  return byPerson(message) && !isHandoff(message);
}
