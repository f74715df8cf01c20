/** `precis sessions delete`: what goes is shown first, and is then gone from the file too. */
import { PrecisError } from "../../core/errors.ts";
import { findSession } from "../../gateway/history/find.ts";
import type { Holdings, SessionEntry } from "../../store/store.ts";
import { age as ageOf, counted, parseDuration } from "../screen/amounts.ts";
import { option, optional, positional, toggle, type Arguments, type Command } from "../program/command.ts";
import { EXIT, usageError } from "../program/exit.ts";
import { HISTORY_ARGS, withHistory, type OpenedHistory } from "../store/history.ts";
import { whileWaiting } from "../screen/progress.ts";
import { findCopies } from "../store/place.ts";
import type { Terminal } from "../screen/terminal.ts";

const SESSIONS_MAX = 1_000_000;
const HITS_MAX = 5_000;
const SHOWN_MAX = 20;

export const deleteCommand: Command = {
  name: "sessions delete",
  summary: "Delete sessions permanently: by id, age, text or tenant.",
  about: [
    "Without --yes it only shows what would be deleted. Deleting a session also deletes its branches, and the compactions, originals, usage and search words that no other session uses; --all also deletes compactions and originals that belong to no session. Then the file is rewritten, so that no data remains in free pages.",
    "If a client continues a deleted conversation, it sends the whole of it, which is then kept again. --text finds messages that hold every word as it is written.",
  ],
  examples: {
    "precis sessions delete 3fa94c21": "what would go",
    "precis sessions delete 3fa94c21 --yes": "delete it",
    "precis sessions delete --text 'project falcon' --yes": "every session that contains these words",
    "precis sessions delete --tenant team --older-than 90d --yes": "what a tenant has not used for 90 days",
  },
  args: {
    session: optional(positional("ID", "The session's id, or its beginning.")),
    "older-than": option("TIME", "Sessions not used for this long: 12h, 30d, 8w."),
    text: option("WORDS", "Sessions with a message that contains every word."),
    all: toggle("All sessions of the tenant, and what belongs to none."),
    yes: toggle("Delete them instead of only showing them."),
    ...HISTORY_ARGS,
    json: toggle("Print JSON."),
  },
  run: (args, terminal) => {
    const yes = args.is("yes");
    checkChoice(args);
    return withHistory(args, terminal, { readOnly: !yes }, async (opened) => {
      const chosen = await choose(args, opened);
      const removed = yes ? await remove(args, opened, chosen, terminal) : undefined;
      const { gone, failure } = removed ?? { gone: chosen };
      const alone = args.is("all") && chosen.length === 0 ? countLoose(await opened.kept.holdings(opened.tenant)) : 0;
      const loose = removed?.loose ?? alone;
      // What went is reported whatever came after it.
      if (args.is("json")) await terminal.out.put(`${JSON.stringify({ deleted: yes, sessions: gone }, null, 2)}\n`);
      else await tell({ gone: gone.length, loose, chosen, yes }, opened, terminal);
      if (failure !== undefined) throw failure;
      return EXIT.done;
    });
  },
};

function checkChoice(args: Arguments): void {
  const one = args.text("session") !== undefined;
  const some = args.text("older-than") !== undefined || args.text("text") !== undefined;
  if (!one && !some && !args.is("all"))
    throw usageError("no session is selected", "Name one, or give --older-than, --text or --all.");
  if (args.is("all") && (one || some)) throw usageError("--all excludes a choice", "Leave one out.");
  if (one && some) throw usageError("an id excludes --older-than and --text", "Leave one out.");
}

/** With all that are on them, the newest first. */
async function choose(args: Arguments, { kept, tenant }: OpenedHistory): Promise<readonly string[]> {
  const id = args.text("session");
  if (id !== undefined) return kept.withBranches(tenant, [(await findSession(kept, { tenant, id })).entry.id]);
  const [age, words] = [args.text("older-than"), args.text("text")];
  const before = age === undefined ? Infinity : Date.now() - parseDuration(age, "--older-than");
  const all = await kept.listSessions(tenant, { limit: SESSIONS_MAX });
  const hits =
    words === undefined
      ? undefined
      : new Set(
          (await kept.searchMessages(tenant, words, HITS_MAX, { literally: true })).map(({ session }) => session),
        );
  const ids = all
    .filter((one) => one.updatedAt < before && (hits === undefined || hits.has(one.id)))
    .map((one) => one.id);
  if (age === undefined) return kept.withBranches(tenant, ids);
  return unused(ids, all, { before, tenant, kept });
}

/** Nothing goes that something younger is on. */
async function unused(
  ids: readonly string[],
  all: readonly SessionEntry[],
  { before, tenant, kept }: { readonly before: number } & Pick<OpenedHistory, "tenant" | "kept">,
): Promise<readonly string[]> {
  const old = new Set(all.filter(({ updatedAt }) => updatedAt < before).map(({ id }) => id));
  const chosen = new Set<string>();
  for (const id of ids) {
    const standing = await kept.withBranches(tenant, [id]);
    if (standing.every((one) => old.has(one))) for (const one of standing) chosen.add(one);
  }
  return [...chosen];
}

interface Removed {
  readonly gone: readonly string[];
  /** Compactions and originals that belonged to no session. */
  readonly loose: number;
  readonly failure?: unknown;
}

async function remove(
  args: Arguments,
  opened: OpenedHistory,
  chosen: readonly string[],
  terminal: Terminal,
): Promise<Removed> {
  const { kept, tenant } = opened;
  const gone: string[] = [];
  let some = chosen;
  let loose = 0;
  const began = Date.now();
  try {
    // A search looks at that many candidates and no more: what it finds when those are gone goes too.
    for (; some.length > 0; some = args.text("text") === undefined ? [] : await choose(args, opened)) {
      const now = await whileWaiting(terminal.err, () => "deleting", kept.deleteSessions(tenant, some));
      if (now.length === 0) break;
      for (const each of now) gone.push(each);
    }
    if (args.is("all")) {
      const before = countLoose(await kept.holdings(tenant));
      loose = before === 0 ? 0 : before - countLoose(await kept.retain({ tenant, before: began, looseOnly: true }));
    }
  } catch (error) {
    // Sessions go some at a time, each whole or not at all.
    const left: string[] = [];
    for (const id of some) ((await kept.getSession(tenant, id)) === undefined ? gone : left).push(id);
    return { gone, loose, failure: cutShort(error, left.length) };
  }
  try {
    if (gone.length + loose > 0) await whileWaiting(terminal.err, () => "rewriting the file", kept.vacuum());
  } catch (error) {
    return { gone, loose, failure: leftInFile(error) };
  }
  return { gone, loose };
}

/** Where no session is left, these belong to none. */
function countLoose({ compactions, originals }: Holdings): number {
  return compactions + originals;
}

function cutShort(error: unknown, left: number): unknown {
  return failedAs(error, {
    what: `${counted(left, "session")} could not be deleted and ${left === 1 ? "is" : "are"} whole`,
    whereFull: "Deleting needs disk space for the write-ahead log: free some on the store's disk",
    next: "Run this again",
  });
}

function leftInFile(error: unknown): unknown {
  return failedAs(error, {
    what: "the file could not be rewritten, and may still contain bytes of what was deleted",
    whereFull: "Free as much room on its disk as the file takes",
    next: "Run `precis store retain --vacuum`",
  });
}

interface FailedStep {
  readonly what: string;
  /** What helps where the disk is full; anything else the store says itself. */
  readonly whereFull: string;
  readonly next: string;
}

/** The store's failure, as what it means here; anything else is a fault of ours, and stays as it is. */
function failedAs(error: unknown, { what, whereFull, next }: FailedStep): unknown {
  if (!(error instanceof PrecisError)) return error;
  const { code, place, retryable, message } = error;
  const hint =
    code === "store_full"
      ? `${whereFull}, then ${next[0]!.toLowerCase()}${next.slice(1)}.`
      : `${error.hint} ${next} then.`;
  const where = place === undefined ? {} : { place };
  return new PrecisError(`${what}: ${message}`, { code, hint, retryable, ...where, cause: error });
}

interface DeletionResult {
  readonly gone: number;
  readonly loose: number;
  readonly chosen: readonly string[];
  readonly yes: boolean;
}

async function tell(
  { gone, loose, chosen, yes }: DeletionResult,
  opened: OpenedHistory,
  { out, err }: Terminal,
): Promise<void> {
  const rest = loose === 0 ? "" : `, and ${counted(loose, "record")} of no session`;
  if (yes) {
    const isNone = gone + loose === 0 && chosen.length > 0;
    await out.say(isNone ? "nothing was deleted\n" : `deleted ${counted(gone, "session")}${rest}\n`);
    const copies = opened.path === undefined ? [] : findCopies(opened.path);
    if (gone + loose > 0 && copies.length > 0)
      await err.say(`copies from before an upgrade hold them still: ${copies.join(", ")}\n`);
    return;
  }
  for (const id of chosen.slice(0, SHOWN_MAX)) {
    const entry = await opened.kept.getSession(opened.tenant, id);
    if (entry !== undefined)
      await out.say(`${id}  ${counted(entry.messages, "message")}, used ${ageOf(Date.now() - entry.updatedAt)} ago\n`);
  }
  if (chosen.length > SHOWN_MAX) await out.say(`and ${counted(chosen.length - SHOWN_MAX, "more session")}\n`);
  await err.say(
    chosen.length + loose === 0
      ? "no session matches\n"
      : `${counted(chosen.length, "session")}${rest} would go: add --yes\n`,
  );
}
