/**
 * The first step: old tool results are hidden and stamped with the time, none is deleted. What is hidden stays so, word
 * for word the same, until the record is taken back or its stamp is.
 */
import type { Evicted } from "../../compaction/compaction.ts";
import { byPerson } from "../../events/person.ts";
import { clearResults } from "../../passes/clear-results.ts";
import { pairingOf } from "../../transcript/pairing.ts";
import type { PassContext } from "../../passes/pass.ts";
import { resultOf, type Message } from "../../transcript/message.ts";
import { passContext, type RewrittenMessages } from "../../compaction/run/candidates.ts";
import type { CompactionRun } from "../../compaction/run/draft.ts";

/** A result that is hidden. */
export interface HiddenStamp {
  /** Id under which it can be recalled. */
  readonly id: string;
  /** Index of its message in the conversation. */
  readonly message: number;
  /** When it was hidden, in milliseconds since the epoch; absent where nobody told the time. */
  readonly at?: number;
}

export interface HiddenResults extends RewrittenMessages {
  readonly stamps: readonly HiddenStamp[];
  /** Tokens that are hidden now and were not before. */
  readonly gainTokens: number;
}

export interface HideOptions {
  /** The newest results of that many tokens stay. */
  readonly protectedTokens: number;
  /** And what the newest turns of the user brought. */
  readonly protectedTurns: number;
  /** What is hidden already. */
  readonly stamps: readonly HiddenStamp[];
}

/** What a skill says is what the work goes by (IA al Día 2026). */
const TOOL_PROTECTED = "skill";

export function hideOldResults(run: CompactionRun, { stamps, ...protecting }: HideOptions): HiddenResults {
  const { messages } = run.original;
  const { measure, now } = run.request;
  const all = clearResults(messages, { ...passContext(run), protect: (at) => resultOf(messages[at]!) === undefined });
  const before = stampedAmong(all.evicted, stamps);
  const old = oldResults(messages, before, { ...protecting, measure });
  const isHidden = (at: number): boolean => before.has(at) || old.has(at);
  const evicted = all.evicted.filter(({ message }) => isHidden(message));
  const saved = [...old].map((at) => measure.message(messages[at]!) - measure.message(all.messages[at]!));
  const known = new Map(stamps.map((stamp) => [keyOf(stamp), stamp]));
  return {
    messages: messages.map((message, at) => (isHidden(at) ? all.messages[at]! : message)),
    evicted,
    stamps: evicted.map(
      (one) => known.get(keyOf(one)) ?? { id: one.id, message: one.message, ...(now === undefined ? {} : { at: now }) },
    ),
    gainTokens: saved.reduce((sum, tokens) => sum + tokens, 0),
  };
}

function keyOf({ id, message }: Pick<HiddenStamp, "id" | "message">): string {
  return `${message} ${id}`;
}

/** The messages all of whose pieces are stamped: a conversation that was rewound may have others in their places. */
function stampedAmong(evicted: readonly Evicted[], stamps: readonly HiddenStamp[]): ReadonlySet<number> {
  const stamped = new Set(stamps.map(keyOf));
  const whole = new Map<number, boolean>();
  for (const one of evicted) whole.set(one.message, (whole.get(one.message) ?? true) && stamped.has(keyOf(one)));
  return new Set([...whole].flatMap(([message, isWhole]) => (isWhole ? message : [])));
}

/** What may be hidden: not what the newest turns brought, not the newest results, not what a skill says. */
function oldResults(
  messages: readonly Message[],
  hidden: ReadonlySet<number>,
  { protectedTokens, protectedTurns, measure }: Omit<HideOptions, "stamps"> & Pick<PassContext, "measure">,
): ReadonlySet<number> {
  const { answers } = pairingOf(messages);
  const old = new Set<number>();
  let turns = 0;
  let tokens = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (byPerson(message)) turns++;
    if (resultOf(message) === undefined || hidden.has(at) || answers[at]?.call.name === TOOL_PROTECTED) continue;
    tokens += measure.message(message);
    if (turns >= protectedTurns && tokens > protectedTokens) old.add(at);
  }
  return old;
}
