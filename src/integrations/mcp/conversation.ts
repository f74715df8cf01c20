/** A conversation as an agent reads it: messages under their numbers, without secrets. */
import { callsOf, contentText, type Message } from "../../core/transcript/message.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import type { Desk } from "./contract.ts";

const MEASURE = createMeasure();

/** What a message says and calls; secrets are masked in each text as a whole. */
export function messageText(message: Message, { redact, limits }: Desk): string {
  const said = contentText(message.parts).slice(0, limits.originalChars);
  const calls = callsOf(message).map(({ name, arguments: given }) => `[calls ${name} ${redact(given)}]`);
  const media = message.parts.filter(({ kind }) => kind === "image" || kind === "file");
  return [said === "" ? "" : redact(said), ...calls, ...media.map(({ kind }) => `[${kind}]`)]
    .filter((piece) => piece !== "")
    .join("\n");
}

/** Messages from one number to another, both in it, each under a line that says which it is. */
export function messagesText(messages: readonly Message[], from: number, desk: Desk): string {
  return messages
    .map(
      (message, at) =>
        `── ${from + at} ${message.role}, ≈ ${MEASURE.message(message)} tokens\n${messageText(message, desk)}\n`,
    )
    .join("");
}
