/** A compaction as the pages and the diff show it: every message of both sides with what became of it, secrets masked before anything is cut. */
import type { Compaction, CompactionReport, Destination, Evicted } from "../../core/compaction/compaction.ts";
import { described, labelOf } from "../../core/digest/call.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { Measure } from "../../core/transcript/measure.ts";
import { callsOf, contentText, type Message, type Origin } from "../../core/transcript/message.ts";
import type { MessageShown } from "../../gateway/history/contract.ts";

/** What is shown of one message; its original has the rest. */
const TEXT_CHARS_MAX = 4_000;
/** A handoff is shown whole: the largest ones weigh some 12,000 tokens. */
const HANDOFF_CHARS_MAX = 200_000;

export interface MessageBefore extends MessageShown {
  readonly became: Destination;
  /** The recall id that leads to its original. */
  readonly recall?: string | undefined;
}

export interface MessageAfter extends MessageShown {
  readonly origin?: Origin | undefined;
}

export interface ShownCompaction {
  readonly report: CompactionReport;
  readonly before: readonly MessageBefore[];
  readonly after: readonly MessageAfter[];
}

/** What messages are shown with: a mask for secrets, and what they weigh. */
export interface ShownWith {
  readonly redact: Redactor;
  readonly measure: Measure;
}

/** `messages` is the original conversation; of what came after the covered ones, it has what was there when it was made. */
export function shownCompaction(
  compaction: Compaction,
  messages: readonly Message[],
  shownWith: ShownWith,
): ShownCompaction {
  const { report, after, map, covered, evicted } = compaction;
  const rest = messages.slice(covered, Math.max(covered, report.messages.before));
  const recallable = recallIds(evicted);
  const becameOf = (at: number): Destination =>
    at < covered ? (map[at] ?? { kind: "summarised" }) : { kind: "kept", at: after.length + at - covered };
  return {
    report,
    before: messages.slice(0, covered + rest.length).map((message, at): MessageBefore => {
      return { ...shown(message, at, shownWith), became: becameOf(at), recall: recallable.get(at) };
    }),
    after: [...after, ...rest].map((message, at): MessageAfter => {
      return { ...shown(message, at, shownWith), origin: message.origin };
    }),
  };
}

/** By the index of each message that left. */
function recallIds(evicted: readonly Evicted[]): ReadonlyMap<number, string> {
  const ids = new Map<number, string>();
  for (const { id, message, end = message + 1 } of evicted)
    for (let at = message; at < end; at++) if (!ids.has(at)) ids.set(at, id);
  return ids;
}

function shown(message: Message, at: number, { redact, measure }: ShownWith): MessageShown {
  const most = message.origin === "summary" ? HANDOFF_CHARS_MAX : TEXT_CHARS_MAX;
  const calls = callsOf(message).map((call) => redact(labelOf(described(call))));
  const text = redact(contentText(message.parts)).slice(0, most);
  return { number: at + 1, role: message.role, tokens: measure.message(message), text, calls };
}
