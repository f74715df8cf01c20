/** What was started in the background and has not ended since, as far as results and reports say. */
import type { CallEvent, Events } from "./events.ts";

const ID =
  /\b(?:(?:agent|task|shell|session|process)[ _-]?)?id(?:(?: is)?:? |"\s*:\s*")([\w-]*\d[\w-]*)|\(session ([\w-]+), pid \d/gi;
const ENDED = /\b(?:completed|finished|exited|failed|killed|stopped|terminated|exit code)\b/i;
const AROUND_CHARS = 600;

export function stillRunning({ calls, all }: Events): readonly CallEvent[] {
  const running = calls.filter(({ ending }) => ending.status === "running");
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
    return ended.some((name) => ids.some((id) => id.startsWith(name)));
  }
  if (!ids.some((id) => event.call.arguments.includes(id))) return false;
  return (
    event.ending.exit !== undefined ||
    ENDED.test(event.text.slice(0, AROUND_CHARS)) ||
    ENDED.test(event.text.slice(-AROUND_CHARS))
  );
}
