/** `precis recall`: from a recall id back to the original bytes or to messages of it, or from words to the places that hold them. */
import { PrecisError } from "../../core/errors.ts";
import { numbered, ROLES } from "../../core/recall/messages.ts";
import type { History } from "../../gateway/history/contract.ts";
import { chosenHits, recall, recallMessages, type RecallChoice, type RecallHit } from "../../session/recall/search.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Original } from "../../store/store.ts";
import { clip } from "../bars.ts";
import type { Arguments, Command } from "../command.ts";
import { EXIT, usageError } from "../exit.ts";
import { HISTORY_ARGS, LOCAL_TENANT, withHistory } from "../history.ts";
import { listed } from "../hits.ts";
import { readKeep } from "../keep.ts";
import type { Terminal } from "../terminal.ts";

const SEARCH_HITS_MAX = 20;

export const recallCommand: Command = {
  name: "recall",
  summary: "Print what a compaction removed: by its recall id, by message numbers, or by words in it.",
  about: [
    "A recall id prints the original to standard output, byte for byte and nothing else. With MESSAGES, --role or --outline it prints messages of the original as text, with the numbers that handoffs and `precis search` use; a session's id prints messages of that session. Anything else is searched for in what was removed. Exits with 1 if nothing was found.",
    "Looks in the gateway's store, or with --keep in the file that `precis compact` wrote.",
  ],
  examples: [
    { line: "precis recall r1a2b3c4d5", says: "the original, from the gateway's store" },
    { line: "precis recall r1a2b3c4d5 99-131 --role user", says: "print what the user said in these messages" },
    { line: "precis recall r1a2b3c4d5 --outline", says: "one line a message" },
    { line: "precis recall 'double rounding' --keep originals.json", says: "find where that was said, in a file" },
  ],
  args: {
    wanted: {
      type: "positional",
      valueHint: "ID|QUERY",
      description: "A recall id as the compacted transcript shows it, a session's id with MESSAGES, or words.",
    },
    messages: {
      type: "positional",
      required: false,
      valueHint: "MESSAGES",
      description: "Numbers of messages: 99, 99-131, 99-, or several: 12,99-131.",
    },
    role: { type: "string", valueHint: "ROLE", description: `Only messages of this role: ${ROLES.join(", ")}.` },
    outline: { type: "boolean", description: "One line per message: its number, role, tool and first words." },
    keep: {
      type: "string",
      valueHint: "FILE",
      description: "Look in this file that `precis compact --keep FILE` wrote.",
    },
    ...HISTORY_ARGS,
    json: {
      type: "boolean",
      description: "Print a list of {id, label, text}; messages also have a number and a role.",
    },
  },
  run: async (args, terminal) => {
    const keep = args.text("keep");
    const asked: RecallRequest = { wanted: args.text("wanted")!, choice: choiceIn(args) };
    const recalled = await (keep === undefined ? fromStore(args, asked, terminal) : fromFile(keep, asked, terminal));
    const { hits, place, exact = false, masked = false } = recalled;
    if (args.is("json")) await terminal.out.write(`${JSON.stringify(hits, null, 2)}\n`);
    else if (hits.length === 0)
      await terminal.err.say(`No match for "${clip(asked.wanted, 60)}"; searched ${place}.\n`);
    else if (masked) await terminal.err.say("its secrets were masked before it was kept (redaction.stored)\n");
    if (hits.length > 0 && !args.is("json")) {
      const line = (text: string): string => (asked.choice.outline === true ? `${text}\n` : text);
      if (exact) await terminal.out.write(hits.map(({ text }) => line(text)).join(""));
      else await terminal.out.say(listed(hits, terminal.out));
    }
    return hits.length === 0 ? EXIT.failed : EXIT.done;
  },
};

interface RecallRequest {
  readonly wanted: string;
  readonly choice: RecallChoice;
}

interface Recalled {
  readonly hits: readonly RecallHit[];
  /** Where was looked. */
  readonly place: string;
  /** An id was given: the hits are what was wanted, whole. */
  readonly exact?: boolean;
  /** It is not the very bytes. */
  readonly masked?: boolean;
}

function choiceIn(args: Arguments): RecallChoice {
  const [messages, given] = [args.text("messages"), args.text("role")];
  const role = ROLES.find((one) => one === given);
  if (given !== undefined && role === undefined)
    throw usageError(`--role is "${given}", which is no role`, `Use one of: ${ROLES.join(", ")}.`);
  return {
    ...(messages === undefined ? {} : { messages }),
    ...(role === undefined ? {} : { role }),
    ...(args.is("outline") ? { outline: true } : {}),
  };
}

function choosesMessages(choice: RecallChoice): boolean {
  return Object.keys(choice).length > 0;
}

/** What is meant for an id is one, whatever follows it, and where a digit is missing. */
function isRecallId(wanted: string): boolean {
  return /^r[0-9a-f]{8,}$/.test(wanted);
}

function unknownId(wanted: string, place: string): PrecisError {
  return new PrecisError(`Unknown recall id ${wanted}; searched ${place}.`, {
    code: "unknown_recall_id",
    hint: "`precis search WORDS` finds ids by words; --tenant, --store and --keep say where to look.",
  });
}

async function fromFile(keep: string, { wanted, choice }: RecallRequest, terminal: Terminal): Promise<Recalled> {
  const originals = await readKeep(keep, terminal);
  const store = createMemoryStore();
  await store.putOriginals(LOCAL_TENANT, originals);
  if (!isRecallId(wanted)) {
    if (choosesMessages(choice)) throw noRecallId(wanted);
    return { hits: await recall(store, LOCAL_TENANT, wanted), place: keep };
  }
  return {
    ...exactly(
      originals.find(({ id }) => id === wanted),
      { wanted, choice },
      keep,
    ),
    place: keep,
  };
}

function noRecallId(wanted: string): PrecisError {
  return usageError(`"${clip(wanted, 60)}" is no recall id`, "MESSAGES, --role and --outline go with an id.");
}

function exactly(original: Original | undefined, { wanted, choice }: RecallRequest, place: string): Recalled {
  if (original === undefined) throw unknownId(wanted, place);
  return { hits: recallMessages(original, choice), place, exact: true, masked: original.masked === true };
}

function fromStore(args: Arguments, { wanted, choice }: RecallRequest, terminal: Terminal): Promise<Recalled> {
  return withHistory(args, terminal, { readOnly: true }, async ({ history, tenant, store, redact }) => {
    const place = `${store}, tenant "${tenant}"`;
    if (isRecallId(wanted)) return exactly(await history.recall(tenant, wanted), { wanted, choice }, place);
    if (choosesMessages(choice)) {
      const which = { tenant, id: wanted };
      const { id } = await history.show(which, 0);
      const messages = numbered(await history.messages(which), 1);
      const safe = messages.map((message) => ({ ...message, text: redact(message.text) }));
      return { hits: chosenHits(safe, { id, label: "session" }, choice), place, exact: true };
    }
    const found = await history.search({ tenant, words: wanted, limit: 2 * SEARCH_HITS_MAX });
    return { hits: found.flatMap(hitOf), place };
  });
}

/** Only what was removed: messages that are kept as well under their recall id. */
function hitOf(one: Awaited<ReturnType<History["search"]>>[number]): readonly RecallHit[] {
  const { number, role, text } = one;
  const message = number === undefined || role === undefined ? {} : { number, role };
  if (one.kind === "original") return [{ id: one.id, label: one.label, text, ...message }];
  return one.recall === undefined ? [] : [{ id: one.recall, label: "message", text, ...message }];
}
