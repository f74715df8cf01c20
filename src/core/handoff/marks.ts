/** The lines by which a handoff is known again: stable, ours alone, and cheap to look for. They depend on nothing. */

/** Version of the handoff's format; a parser of another version leaves the text alone. */
const HANDOFF_VERSION = 1;
export const HANDOFF_START = `[precis handoff ${HANDOFF_VERSION}]`;
export const HANDOFF_END = `[end of precis handoff ${HANDOFF_VERSION}]`;
/** Opens the sentence about handoffs in the system prompt. */
export const NOTE_START = "[precis note]";

/** However it is spelled: a reader takes it for one. */
const MARK = /[[［](?=[\s\p{Cf}]{0,8}(?:end[\s\p{Cf}]{1,8}of[\s\p{Cf}]{1,8})?precis[\s\p{Cf}]{1,8}(?:handoff|note))/giu;

/** The words of others within a handoff: none reads as a mark of ours. */
export function withQuotedMarks(text: string): string {
  return text.replace(MARK, "[quoted: ");
}

/** Whether a text opens with a handoff, of this version: with its mark on a line of its own. */
export function opensWithHandoff(text: string): boolean {
  const first = text.charCodeAt(0);
  // Nearly every message opens with a letter, and every one is asked.
  if (first > SPACE && first <= LAST_OF_ASCII && first !== OPENING_BRACKET) return false;
  return text.trimStart().startsWith(`${HANDOFF_START}\n`);
}

const SPACE = 0x20;
const LAST_OF_ASCII = 0x7f;
const OPENING_BRACKET = 0x5b;
