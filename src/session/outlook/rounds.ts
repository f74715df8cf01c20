/** A recording as rounds: what was said to the model, and what it answered. */
import { createMeasure } from "../../core/transcript/measure.ts";
import type { Message } from "../../core/transcript/message.ts";

/** Left over the longest answer, because each server counts in its own way. */
const OUTPUT_ROOM = 1.5;
const MAX_OUTPUT_TOKENS_MIN = 1_000;

export interface Round {
  readonly said: readonly Message[];
  readonly answer: readonly Message[];
}

/** What was said before each turn of the model, and the turn. What comes after the last is never sent. */
export function roundsOf(messages: readonly Message[]): readonly Round[] {
  const rounds: { said: Message[]; answer: Message[] }[] = [];
  let said: Message[] = [];
  for (const message of messages) {
    if (message.role !== "assistant") said.push(message);
    else if (said.length === 0 && rounds.length > 0) rounds.at(-1)!.answer.push(message);
    else {
      rounds.push({ said, answer: [message] });
      said = [];
    }
  }
  return rounds;
}

/** Tokens that a request reserves for its answer: what the longest recorded one needs, with room. */
export function outputNeeded(rounds: readonly Round[]): number {
  const measure = createMeasure();
  const largest = rounds.reduce((most, { answer }) => Math.max(most, measure.messages(answer)), 0);
  return Math.max(MAX_OUTPUT_TOKENS_MIN, Math.ceil(largest * OUTPUT_ROOM));
}
