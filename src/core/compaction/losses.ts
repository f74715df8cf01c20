/**
 * The loss report: which requests and answers of a person, rules of the project, changed files and standing failures a result does
 * not hold, and which of these no recall id in it leads to. Taken from the events, which have read everything already.
 */
import type { Evicted, Loss, Losses } from "./compaction.ts";
import { inOneLine } from "../digest/cut.ts";
import { eventsOf, type Events } from "../events/events.ts";
import { openFailures } from "../events/failures.ts";
import { answersOf } from "../events/questions.ts";
import { clipped } from "../handoff/items.ts";
import type { Message } from "../transcript/message.ts";
import type { PlacedMessage } from "./plan.ts";
import { readableText } from "./remembered.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { RECALL_IDS } from "../transcript/links.ts";

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
  readonly line: string;
  readonly recallable: (message: number) => boolean;
}

/** What is asked of a result, whoever made it. */
interface Result {
  readonly placed: readonly PlacedMessage[];
  readonly evicted: readonly Evicted[];
}

export function findLosses(messages: readonly Message[], redact: Redactor, result: Result): Losses {
  const events = eventsOf(messages);
  const kept = readKept(messages, result);
  const gone = (list: readonly StatedRequest[]): Loss => reportLoss(list.filter(isGone(kept, redact)), kept, redact);
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

function readKept(messages: readonly Message[], { placed, evicted }: Result): KeptRequests {
  const texts = placed.flatMap(({ message, from }) => (message === messages[from] ? [] : readableText(message)));
  const text = texts.join("\n");
  const shown = new Set(texts.flatMap((one) => one.match(RECALL_IDS) ?? []));
  const reached = evicted.filter(({ id }) => shown.has(id));
  return {
    stands: new Set(placed.filter(({ message, from }) => message === messages[from]).map(({ from }) => from)),
    text,
    line: inOneLine(text),
    recallable: (at) => reached.some(({ message, end = message + 1 }) => at >= message && at < end),
  };
}

/** Redaction wins over verbatim: what is there masked is held. */
function isGone(kept: KeptRequests, redact: Redactor): (one: StatedRequest) => boolean {
  return (one) => {
    if (one.text === "" || one.messages.some((message) => kept.stands.has(message))) return false;
    const opening = one.text.slice(0, OPENING_READ_CHARS);
    if (holds(kept, opening)) return false;
    const safe = redact(opening);
    return safe === opening || !holds(kept, safe);
  };
}

/** The lines of a text are indented where it is quoted. */
function holds({ text, line }: KeptRequests, opening: string): boolean {
  const start = inOneLine(opening).slice(0, OPENING_CHARS);
  const isOneLine = start === opening.trim().slice(0, OPENING_CHARS);
  return text.includes(start) || (!isOneLine && line.includes(start));
}

function reportLoss(gone: readonly StatedRequest[], { recallable }: KeptRequests, redact: Redactor): Loss {
  return {
    absent: gone.length,
    unrecallable: gone.filter(({ messages }) => !messages.some(recallable)).length,
    examples: gone
      .slice(0, EXAMPLES_MAX)
      .map(({ text }) => clipped(redact(text.slice(0, READ_CHARS_MAX)).replace(/\s+/g, " "), EXAMPLE_CHARS_MAX)),
  };
}

/** What a report says of messages of the user that had to go; where a session puts them back, it is said no more. One line for each that is not 0. */
export function trimmedRemarks({
  all,
  out,
  cut,
}: {
  readonly all: number;
  readonly out: number;
  readonly cut: number;
}) {
  return [
    ...(out === 0 ? [] : [`${out} of the user's ${all} messages left out to save room`]),
    ...(cut === 0 ? [] : [`${cut} of the user's ${all} messages cut in the middle to save room`]),
  ];
}

const TRIMMED = /^\d+ of the user's \d+ messages (?:left out|cut in the middle) to save room$/;

export function isTrimmedRemark(remark: string): boolean {
  return TRIMMED.test(remark);
}
