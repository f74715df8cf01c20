/** `precis recall`: from a recall id back to the original bytes or to messages of it, or from words to where they were said, kept or removed. */
import { loadConfiguration } from "../../config/load.ts";
import { PrecisError } from "../../core/errors.ts";
import { numbered, ROLES } from "../../core/recall/messages.ts";
import { createRedactor } from "../../core/redaction/redactor.ts";
import { chosenHits, recallMessages, searchRemoved, type RecallChoice } from "../../session/recall/search.ts";
import { loadSecretRules } from "../../secrets/rules.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Original } from "../../store/store.ts";
import { parseWhole } from "../screen/amounts.ts";
import { clip } from "../screen/text.ts";
import { option, optional, positional, toggle, writeJson, type Arguments, type Command } from "../program/command.ts";
import { shortIds, listed, type HitShown } from "../screen/sessions.ts";
import { EXIT, usageError } from "../program/exit.ts";
import { HISTORY_ARGS, LOCAL_TENANT, noSessions, withHistory } from "../store/history.ts";
import { configurationRequest } from "../settings/flags.ts";
import { readKeep } from "../files/keep.ts";
import type { Terminal } from "../screen/terminal.ts";

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 1_000;

export const recallCommand: Command = {
  name: "recall",
  summary: "Print what a compaction removed, by its id, or search everything that was kept or removed.",
  about: [
    "A recall id prints the original to standard output, byte for byte and nothing else. With MESSAGES, --role or --outline it prints messages of the original as text, with the numbers that handoffs use; a session's id prints messages of that session.",
    "Anything else is searched for in all kept messages and in everything that compactions removed: English words in any form, parts of camelCase and snake_case names and of paths, and any text in Chinese, Japanese or Korean. Passages with every word come first, then those with most of them, with about 300 characters of context and secrets masked. Each hit has the id of its session or original and the number of the message. Exits with 1 if nothing was found.",
    "Looks in the gateway's store, or with --keep in the file that `precis compact` wrote.",
  ],
  examples: {
    "precis recall r1a2b3c4d5": "the original, from the gateway's store",
    "precis recall r1a2b3c4d5 99-131 --role user": "print what the user said in these messages",
    "precis recall r1a2b3c4d5 --outline": "one line a message",
    "precis recall 'connection refused' --session 3fa94c21": "where that was said, in one session",
    "precis recall 'double rounding' --keep originals.json": "find where that was said, in a file",
    "precis recall ECONNREFUSED --limit 5 --json | jq -r '.[].text'": "for a script",
  },
  args: {
    wanted: positional(
      "ID|QUERY",
      "A recall id as the compacted transcript shows it, a session's id with MESSAGES, or words.",
    ),
    messages: optional(positional("MESSAGES", "Numbers of messages: 99, 99-131, 99-, or several: 12,99-131.")),
    role: option("ROLE", `Only messages of this role: ${ROLES.join(", ")}.`),
    outline: toggle("One line per message: its number, role, tool and first words."),
    session: option("ID", "Search only in this session."),
    limit: option("N", `Maximum number of hits; ${LIMIT_DEFAULT} by default.`),
    keep: option("FILE", "Look in this file that `precis compact --keep FILE` wrote."),
    ...HISTORY_ARGS,
    json: toggle("Print a list of {id, label, text}; messages also have a number and a role."),
  },
  run: async (args, terminal) => {
    const asked: RecallRequest = {
      wanted: args.text("wanted")!,
      choice: choiceIn(args),
      limit: parseWhole(args.text("limit") ?? String(LIMIT_DEFAULT), "--limit", LIMIT_MAX),
    };
    const recalled = await (args.text("keep") === undefined ? fromStore : fromFile)(args, asked, terminal);
    const { hits, place, exact = false, masked = false } = recalled;
    if (args.is("json")) await writeJson(terminal, hits);
    else if (hits.length === 0)
      await terminal.err.say(`No match for "${clip(asked.wanted, 60)}"; searched ${place}.\n`);
    else {
      if (masked) await terminal.err.say("its secrets were masked before it was kept (redaction.stored)\n");
      const line = (text: string): string => (asked.choice.outline === true ? `${text}\n` : text);
      if (exact) await terminal.out.put(hits.map(({ text }) => line(text)).join(""));
      else await terminal.out.say(listed(hits, terminal.out));
    }
    return hits.length === 0 ? EXIT.failed : EXIT.done;
  },
};

interface RecallRequest {
  readonly wanted: string;
  readonly choice: RecallChoice;
  readonly limit: number;
}

interface Recalled {
  readonly hits: readonly HitShown[];
  readonly place: string;
  /** An id was given: the hits are what was wanted, whole. */
  readonly exact?: boolean;
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
    hint: "`precis recall WORDS` finds ids by words; --tenant, --store and --keep say where to look.",
  });
}

async function fromFile(args: Arguments, asked: RecallRequest, terminal: Terminal): Promise<Recalled> {
  const keep = args.text("keep")!;
  const originals = await readKeep(keep, terminal);
  const store = createMemoryStore();
  await store.putOriginals(LOCAL_TENANT, originals);
  const { wanted, choice, limit } = asked;
  if (isRecallId(wanted)) {
    const found = originals.find(({ id }) => id === wanted);
    return { ...exactly(found, asked, keep), place: keep };
  }
  if (choosesMessages(choice))
    throw usageError(`"${clip(wanted, 60)}" is no recall id`, "MESSAGES, --role and --outline go with an id.");
  const { redaction } = await loadConfiguration(configurationRequest(args, terminal));
  const redact = createRedactor(await loadSecretRules(redaction));
  return { hits: await searchRemoved(store, LOCAL_TENANT, wanted, { limit, redact }), place: keep };
}

function exactly(original: Original | undefined, { wanted, choice }: RecallRequest, place: string): Recalled {
  if (original === undefined) throw unknownId(wanted, place);
  return { hits: recallMessages(original, choice), place, exact: true, masked: original.masked === true };
}

function fromStore(args: Arguments, asked: RecallRequest, terminal: Terminal): Promise<Recalled> {
  return withHistory(args, terminal, { readOnly: true }, async (opened) => {
    const { history, tenant, store, redact } = opened;
    const { wanted, choice, limit } = asked;
    const place = `${store}, tenant "${tenant}"`;
    if (isRecallId(wanted)) return exactly(await history.recall(tenant, wanted), asked, place);
    if (choosesMessages(choice)) {
      const which = { tenant, id: wanted };
      const { id } = await history.show(which, 0);
      const messages = numbered(await history.messages(which), 1);
      const safe = messages.map((message) => ({ ...message, text: redact(message.text) }));
      return { hits: chosenHits(safe, { id, label: "session" }, choice), place, exact: true };
    }
    const session = args.text("session");
    const found = await history.search({ tenant, words: wanted, limit, ...(session !== undefined && { session }) });
    const isEmpty = found.length === 0 && (await history.list(tenant, 1)).length === 0;
    const ids = found.map((one) => (one.kind === "message" ? one.session : one.id));
    const shown = args.is("json") ? ids : shortIds(ids);
    return {
      hits: found.map((one, at) => ({ ...one, id: shown[at]! })),
      place: isEmpty ? `${place}; there is ${await noSessions(opened)}` : place,
    };
  });
}
