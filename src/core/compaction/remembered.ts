/** What was read of messages and texts: a growing session shows mostly the same ones in one compaction after another. */
import { described } from "../digest/call.ts";
import type { AlreadyVisible } from "../handoff/items.ts";
import { secretShownBy } from "../events/shown-secret.ts";
import { createPieceHider } from "../redaction/pieces.ts";
import { secretsIn } from "../redaction/redact.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { callsOf, contentText, type Message } from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";

const secrets = new WeakMap<Message, readonly string[]>();

/** Hides in a text of ours the secrets of these messages, and pieces of them. */
export function createSecretHider(messages: readonly Message[]): Redactor {
  return createPieceHider(() => [...messages.flatMap(findSecrets), ...findShown(messages)]);
}

function findShown(messages: readonly Message[]): readonly string[] {
  return pairingOf(messages).answers.flatMap((answered, at) => {
    if (answered === undefined) return [];
    return secretShownBy(described(answered.call), contentText(messages[at]!.parts)) ?? [];
  });
}

function findSecrets(message: Message): readonly string[] {
  let found = secrets.get(message);
  if (found === undefined) {
    const texts = [contentText(message.parts), ...callsOf(message).map((call) => call.arguments)];
    secrets.set(message, (found = texts.flatMap(secretsIn)));
  }
  return found;
}

const readable = new WeakMap<Message, string>();

function readableText(message: Message): string {
  let text = readable.get(message);
  if (text === undefined) {
    const calls = callsOf(message).map((call) => `${call.name} ${described(call).values.join("\n")}`);
    readable.set(message, (text = [contentText(message.parts), ...calls].join("\n")));
  }
  return text;
}

/** What a handoff need not say again, because these messages are next to it. */
export function visibleIn(messages: readonly Message[]): AlreadyVisible {
  const answers = new Map<string, boolean>();
  return {
    includes: (text) => {
      let is = answers.get(text);
      if (is === undefined) answers.set(text, (is = messages.some((message) => readableText(message).includes(text))));
      return is;
    },
  };
}
