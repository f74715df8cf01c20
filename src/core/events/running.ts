/** What was started in the background and has not ended since, as far as results and reports say. */
import type { CallEvent, Events } from "./events.ts";

const ID =
  /\b(?:(?:agent|task|shell|session|process)[ _-]?)?id(?:(?: is)?:? |"\s*:\s*")([\w-]*\d[\w-]*)|\(session ([\w-]+), pid \d/gi;
const ENDED = /\b(?:completed|finished|exited|failed|killed|stopped|terminated|exit code)\b/i;
const AROUND_CHARS = 600;

export function stillRunning({ calls, all }: Events): readonly CallEvent[] {
  const started = new Set<string>();
  const running = calls.filter((event) => {
    if (event.ending.status !== "running") return false;
    const ids = runningIds(event);
    // Who asks after what runs already has started nothing.
    const isAsked = ids.some((id) => started.has(id));
    for (const id of ids) started.add(id);
    return !isAsked;
  });
  return running.filter((event) => {
    const ids = runningIds(event);
    return !all.some((later) => later.message > event.message && tellsEnd(later, ids));
  });
}

/** The ids by which what a call started is reached. */
export function runningIds({ text }: Pick<CallEvent, "text">): readonly string[] {
  return Array.from(text.slice(0, AROUND_CHARS).matchAll(ID), ([, id, name]) => id ?? name!);
}

function tellsEnd(event: Events["all"][number], ids: readonly string[]): boolean {
  if (event.kind === "said") return false;
  if (event.kind === "heard") {
    const { speaker } = event;
    if (speaker.by === "report") return ids.some((id) => speaker.text.includes(id));
    const { ended = [] } = speaker.by === "person" || speaker.by === "harness" ? speaker : {};
    return ended.some(({ session }) => ids.some((id) => id.startsWith(session)));
  }
  if (!ids.some((id) => event.call.arguments.includes(id))) return false;
  return (
    event.ending.exit !== undefined ||
    ENDED.test(event.text.slice(0, AROUND_CHARS)) ||
    ENDED.test(event.text.slice(-AROUND_CHARS))
  );
}
