/** Recorded compactions as another format records them, or what is written where it records none. */
import type { Holds } from "./format.ts";
import type { Losses } from "./losses.ts";
import { liveMessages, type RecordedCompaction, type Session, type SessionMessage } from "./session.ts";

export function compactionsFor(session: Session, holds: Holds, losses: Losses): Session {
  const { messages, compactions } = session;
  const recorded = new Set(compactions.map(({ summary }) => summary));
  switch (holds.compactions) {
    case "live": {
      const live = liveMessages(session);
      losses.note("replaced_history", messages.length - live.length);
      return { ...asMessages({ ...session, messages: live }, losses, () => false), compactions: [] };
    }
    case "any": {
      const ordered = holds.summaryFirst ? compactions.map((one) => summaryFirst(one, losses)) : compactions;
      return { ...asMessages(session, losses, (at) => recorded.has(at)), compactions: ordered };
    }
    case "newest":
      return withNewest(
        asMessages(session, losses, (at) => recorded.has(at)),
        losses,
      );
  }
}

/** Summaries that no recorded compaction has are ordinary messages. */
function asMessages(session: Session, losses: Losses, isRecorded: (at: number) => boolean): Session {
  const messages = session.messages.map((one, at): SessionMessage => {
    if (one.message.origin !== "summary" || isRecorded(at)) return one;
    losses.note("summary_as_message");
    const { role, parts } = one.message;
    return { ...one, message: { role, parts } };
  });
  return { ...session, messages };
}

function summaryFirst(compaction: RecordedCompaction, losses: Losses): RecordedCompaction {
  const { summary, context } = compaction;
  if (context[0] === summary) return compaction;
  losses.note("context_order");
  return { ...compaction, context: [summary, ...context.filter((at) => at !== summary)] };
}

/**
 * A format that names the first message that stays can keep no others: those are repeated behind the summary, where the
 * model reads them as before.
 */
function withNewest(session: Session, losses: Losses): Session {
  const messages: SessionMessage[] = [];
  const places: number[] = [];
  const compactions: RecordedCompaction[] = [];
  const due = new Map(session.compactions.map((one) => [one.summary, one]));
  session.messages.forEach((one, at) => {
    places.push(messages.length);
    messages.push(one);
    const compaction = due.get(at);
    if (compaction === undefined) return;
    const { context } = summaryFirst(compaction, losses);
    const kept = context.filter((index) => index < at);
    const isRun = kept.every((index, place) => index === at - kept.length + place);
    const copies = isRun ? [] : kept.map((index) => session.messages[index]!);
    losses.note("kept_copy", copies.length);
    for (const each of copies) messages.push(each);
    const left = isRun ? kept.map((index) => places[index]!) : [];
    compactions.push({ at: places[at]!, summary: places[at]!, context: [places[at]!, ...left] });
  });
  return { ...session, messages, compactions };
}
