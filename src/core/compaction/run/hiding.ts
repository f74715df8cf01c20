/** Hides in what we wrote the pieces of secrets that a conversation holds. A message is looked through once. */
import { createPieceHider } from "../../redaction/pieces.ts";
import { secretsIn } from "../../redaction/redact.ts";
import type { Redactor } from "../../redaction/redactor.ts";
import { callsOf, contentText, type Message } from "../../transcript/message.ts";

export type RedactorFactory = (messages: readonly Message[]) => Redactor;

export function createHiding(): RedactorFactory {
  const known = new WeakMap<Message, readonly string[]>();
  const secretsOf = (message: Message): readonly string[] => {
    const secrets = known.get(message) ?? textsOf(message).flatMap(secretsIn);
    known.set(message, secrets);
    return secrets;
  };
  return (messages) => createPieceHider(() => messages.flatMap(secretsOf));
}

function textsOf(message: Message): readonly string[] {
  return [contentText(message.parts), ...callsOf(message).map((call) => call.arguments)];
}
