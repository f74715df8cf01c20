/**
 * The loss report: which requests and answers of a person, rules of the project, changed files and standing failures a result does
 * not hold, and which of these no recall id in it leads to. Taken from the events, which have read everything already.
 */
import type { Loss, Losses } from "../compaction.ts";
import { inOneLine, WIDE_SPACE } from "../../digest/cut.ts";
import { eventsOf, type Events } from "../../events/events.ts";
import { openFailures } from "../../events/failures.ts";
import { answersOf } from "../../events/questions.ts";
import { clipped } from "../../handoff/items.ts";
import type { Message } from "../../transcript/message.ts";
import type { CompactionRun, CompactionDraft } from "./draft.ts";
import { RECALL_IDS } from "../../transcript/links.ts";

const EXAMPLES_MAX = 5;
const EXAMPLE_CHARS_MAX = 80;
/** A longer text is held when its opening is: a handoff cuts what is long, visibly. */
const OPENING_CHARS = 80;
const OPENING_READ_CHARS = 300;
/** What of a text is redacted for an example: far more than is shown, so that no secret is cut in two there. */
const READ_CHARS_MAX = 1_000;

/** What the result holds of the original. */
interface KeptRequests {
  readonly stands: ReadonlySet<number>;
  /** All that is not the original's own. */
  readonly text: string;
  /** The same in one line. */
  readonly line: () => string;
  readonly recallable: (message: number) => boolean;
}

/** What is asked of a result, whoever made it. */
type LossRun = Pick<CompactionRun, "memory"> & { readonly original: Pick<CompactionRun["original"], "messages"> };
type Result = Pick<CompactionDraft, "evicted"> & {
  readonly assembled: Pick<CompactionDraft["assembled"], "placed">;
};

export function lossesOf({ original: { messages }, memory }: LossRun, draft: Result): Losses {
  const { redact, shown } = memory;
  const events = eventsOf(messages);
  const kept = keptOf(messages, draft, shown.textOf);
  const gone = (list: readonly StatedRequest[]): Loss => lossOf(list.filter(isGone(kept, redact)), kept, redact);
  return {
    requests: gone([
      ...events.requests.map(stated),
      ...answersOf(events).map(({ answer, message }) => ({ text: answer, messages: [message] })),
    ]),
    constraints: gone(events.rules.map(stated)),
    paths: gone(changedFiles(events)),
    errors: gone(openFailures(events).map(({ ending, message }) => ({ text: ending.line ?? "", messages: [message] }))),
  };
}

/** By what stands in a handoff, which names files below the session's folder. */
function changedFiles({ files, root }: Events): readonly StatedRequest[] {
  const below = (path: string): string =>
    root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return files.flatMap(({ path, changed }) =>
    changed === undefined ? [] : [{ text: below(path), messages: [changed] }],
  );
}

/** Something with words, and the messages that hold them. */
interface StatedRequest {
  readonly text: string;
  readonly messages: readonly number[];
}

function stated({ text, message }: { readonly text: string; readonly message: number }): StatedRequest {
  return { text, messages: [message] };
}

/** What a model reads of a message. */
type TextOf = (message: Message) => string;

function keptOf(
  messages: readonly Message[],
  { assembled: { placed }, evicted }: Result,
  textOf: TextOf,
): KeptRequests {
  const texts = placed.filter(({ message, from }) => message !== messages[from]).map(({ message }) => textOf(message));
  const isShown = evicted.length <= SEARCHES_MAX ? searcher(texts) : finder(texts);
  const text = texts.join("\n");
  let line: string | undefined;
  const reached = evicted.filter(({ id }) => isShown(id));
  return {
    stands: new Set(placed.filter(({ message, from }) => message === messages[from]).map(({ from }) => from)),
    text,
    line: () => (line ??= inOneLine(text)),
    recallable: (at) => reached.some(({ message, end = message + 1 }) => at >= message && at < end),
  };
}

/** So few ids are searched for, one by one; for more the texts are read. */
const SEARCHES_MAX = 8;

function searcher(texts: readonly string[]): (id: string) => boolean {
  return (id) => {
    const alone = new RegExp(`\\b${id}\\b`);
    return texts.some((text) => text.includes(id) && alone.test(text));
  };
}

function finder(texts: readonly string[]): (id: string) => boolean {
  const shown = new Set(texts.flatMap((text) => text.match(RECALL_IDS) ?? []));
  return (id) => shown.has(id);
}

/** Redaction wins over verbatim: what is there masked is held. */
function isGone(kept: KeptRequests, redact: (text: string) => string): (one: StatedRequest) => boolean {
  return (one) => {
    if (one.text === "" || one.messages.some((message) => kept.stands.has(message))) return false;
    const opening = one.text.slice(0, OPENING_READ_CHARS);
    if (holds(kept, opening)) return false;
    const safe = redact(opening);
    return safe === opening || !holds(kept, safe);
  };
}

/**
 * The lines of a text are indented where it is quoted. All that is kept is put in one line only where it holds the longest
 * of those lines, as few texts that are gone have it.
 */
function holds({ text, line }: KeptRequests, opening: string): boolean {
  const start = inOneLine(opening).slice(0, OPENING_CHARS);
  if (text.includes(start)) return true;
  const longest = longestOf(opening.trim().slice(0, OPENING_CHARS).split(WIDE_SPACE));
  return longest.length < start.length && text.includes(longest) && line().includes(start);
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, one) => (one.length > longest.length ? one : longest), "");
}

function lossOf(gone: readonly StatedRequest[], { recallable }: KeptRequests, redact: (text: string) => string): Loss {
  return {
    absent: gone.length,
    unrecallable: gone.filter(({ messages }) => !messages.some(recallable)).length,
    examples: gone
      .slice(0, EXAMPLES_MAX)
      .map(({ text }) => clipped(redact(text.slice(0, READ_CHARS_MAX)).replace(/\s+/g, " "), EXAMPLE_CHARS_MAX)),
  };
}
