/** What was read of messages and texts: a growing session shows mostly the same ones in one compaction after another. */
import { described } from "../digest/call.ts";
import type { AlreadyVisible } from "../handoff/items.ts";
import { secretShownBy } from "../events/shown-secret.ts";
import { gramsIn, mayBeIn } from "../events/text.ts";
import { createPieceHider } from "../redaction/pieces.ts";
import { secretsIn } from "../redaction/redact.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { keptWith } from "../kept.ts";
import { callsOf, contentText, type Message } from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";

/** Hides in a text of ours the secrets of these messages, and pieces of them. */
export function createSecretHider(messages: readonly Message[]): Redactor {
  return createPieceHider(() => [...messages.flatMap(secretsOf), ...findShown(messages)]);
}

function findShown(messages: readonly Message[]): readonly string[] {
  return pairingOf(messages).answers.flatMap((answered, at) => {
    if (answered === undefined) return [];
    return secretShownBy(described(answered.call), contentText(messages[at]!.parts)) ?? [];
  });
}

const secretsOf = keptWith((message: Message) =>
  [contentText(message.parts), ...callsOf(message).map((call) => call.arguments)].flatMap(secretsIn),
);

const readableText = keptWith((message: Message) => {
  const calls = callsOf(message).map((call) => `${call.name} ${described(call).values.join("\n")}`);
  return [contentText(message.parts), ...calls].join("\n");
});

/** What a handoff need not say again, because these messages are next to it. */
export function visibleIn(messages: readonly Message[]): AlreadyVisible {
  const answers = new Map<string, boolean>();
  let mayInclude: ReturnType<typeof mayBeIn> | undefined;
  const isIn = (text: string): boolean =>
    (mayInclude ??= mayBeIn(messages.map(gramsOf)))(text) &&
    messages.some((message) => readableText(message).includes(text));
  return {
    includes: (text) => {
      let is = answers.get(text);
      if (is === undefined) answers.set(text, (is = isIn(text)));
      return is;
    },
  };
}

const gramsOf = keptWith((message: Message) => Uint16Array.from(new Set(gramsIn(readableText(message)))));
