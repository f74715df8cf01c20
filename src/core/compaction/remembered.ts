/** What was read of messages and texts: a growing session shows mostly the same ones in one compaction after another. */
import { described } from "../digest/call.ts";
import type { AlreadyVisible } from "../handoff/items.ts";
import { secretShownBy } from "../events/shown-secret.ts";
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
  let grams: Uint8Array | undefined;
  const mayInclude = (text: string): boolean => {
    if (grams === undefined) {
      grams = new Uint8Array(GRAMS);
      for (const message of messages) for (const gram of gramsOf(message)) grams[gram] = 1;
    }
    let gram = 0;
    for (let at = 0; at < text.length; at++) {
      gram = gramAfter(gram, text, at);
      if (at + 1 >= GRAM_CHARS && grams[gram] === 0) return false;
    }
    return true;
  };
  const isIn = (text: string): boolean =>
    mayInclude(text) && messages.some((message) => readableText(message).includes(text));
  return {
    includes: (text) => {
      let is = answers.get(text);
      if (is === undefined) answers.set(text, (is = isIn(text)));
      return is;
    },
  };
}

/** Four characters in a row, as one of so many figures: a text with one that the messages do not have is not in them. */
const GRAM_CHARS = 4;
const GRAMS = 65_536;

/** The gram that ends at that place: a fifth character shifts the first one out. */
function gramAfter(before: number, text: string, at: number): number {
  return ((before << 4) ^ text.charCodeAt(at)) % GRAMS;
}

const gramsOf = keptWith((message: Message) => {
  const text = readableText(message);
  const grams = new Set<number>();
  for (let at = 0, gram = 0; at < text.length; at++) grams.add((gram = gramAfter(gram, text, at)));
  return Uint16Array.from(grams);
});
