/** How what precis wrote is known again in a transcript that came back from a client or a file, its marks of origin lost. */
import { LEAD_IN } from "../engines/layered/standing-orders.ts";
import { RECALL_LEAD } from "../handoff/framing.ts";
import { NOTE_START, opensWithHandoff } from "../handoff/marks.ts";
import type { Origin } from "../transcript/message.ts";
import { RECALL_ID, RECALL_IDS } from "../transcript/links.ts";

const RESTORED_START = `<system-reminder>\n${LEAD_IN}`;
/** The opening of a handoff is its first lines. */
const OPENING_CHARS_MAX = 4_000;

/** What a text of a message of its own is, where precis wrote it. */
export function textOrigin(text: string): Extract<Origin, "summary" | "note"> | undefined {
  if (opensWithHandoff(text)) return "summary";
  return text.startsWith(RESTORED_START) || text.startsWith(NOTE_START) ? "note" : undefined;
}

/** A system prompt without the note that a protocol wrote at its end. */
export function beforeNote(text: string): string {
  const at = text.lastIndexOf(`\n\n${NOTE_START}`);
  return at < 0 ? text : text.slice(0, at);
}

/** The recall id of the messages that a handoff stands for, and behind it those of handoffs among them. */
export function spansOf(handoff: string): readonly string[] {
  const from = handoff.indexOf(RECALL_LEAD);
  if (from < 0 || from > OPENING_CHARS_MAX) return [];
  const end = handoff.indexOf("\n", from);
  return (end < 0 ? handoff.slice(from) : handoff.slice(from, end)).match(RECALL_IDS) ?? [];
}

/** Digests, and what stands for a cleared result or for media. */
const SHORTENED = new RegExp(`^\\s*\\[(?:digest|precis): [^\\n]{0,2000}?\\brecall (${RECALL_ID})[^\\n]*\\]`);
const SHORTENED_ARGUMENT = new RegExp(`⟪precis: [^⟫]{0,2000}?; recall (${RECALL_ID})`);

/** The recall id of the text that was here before. */
export function shortenedText(text: string): string | undefined {
  return SHORTENED.exec(text)?.[1];
}

/** The recall id of the arguments that were here before. */
export function shortenedArguments(args: string): string | undefined {
  return SHORTENED_ARGUMENT.exec(args)?.[1];
}

/** What precis left where nothing can be put back, because there was nothing. */
export function isStub(text: string): boolean {
  return text.startsWith("[precis: ");
}
