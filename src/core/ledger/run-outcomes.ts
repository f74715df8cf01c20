/** How the run ended that a message shows, read once: the ledger asks for it, and the lines that report errors do. */
import { outcomeOf, type Outcome } from "../digest/outcome.ts";
import type { Message } from "../transcript/message.ts";
import { remembered } from "../transcript/remembered.ts";

interface Read {
  readonly text: string;
  readonly outcome: Outcome;
}

/** About what may be kept of them, with the texts that they were read from. */
const OUTCOMES_BYTES_MAX = 8_000_000;
const ENTRY_BYTES = 200;

const reads = remembered<Message, Read>({
  bytesOf: ({ text, outcome }) =>
    outcome.errors.reduce((sum, error) => sum + ENTRY_BYTES + error.text.length, ENTRY_BYTES + text.length),
  bytesMax: OUTCOMES_BYTES_MAX,
});

/** `text` is what the message says, or a part of it. */
export function runOutcomeOf(message: Message, text: string): Outcome {
  const read = reads(message, () => ({ text, outcome: outcomeOf(text) }));
  return read.text === text ? read.outcome : outcomeOf(text);
}
