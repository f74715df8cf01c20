/** Reads chat messages once: text, weight and identifiers, remembered for each message object. */
import { identifiersOf, pointerOf, textOf, tokensOf, type ChatMessage } from "./future-use.ts";

export interface Reader {
  readonly text: (message: ChatMessage) => string;
  readonly tokens: (message: ChatMessage) => number;
  readonly identifiers: (message: ChatMessage) => ReadonlySet<string>;
  /** Identifiers of what the assistant wrote itself. */
  readonly pointed: (message: ChatMessage) => ReadonlySet<string>;
  /** Tokens of a run of messages. */
  readonly size: (messages: readonly ChatMessage[]) => number;
}

export function createReader(): Reader {
  const text = remember(textOf);
  const tokens = remember((message) => tokensOf(text(message)));
  return {
    text,
    tokens,
    identifiers: remember((message) => identifiersOf(text(message))),
    pointed: remember((message) => identifiersOf(pointerOf(message))),
    size: (messages) => messages.reduce((sum, message) => sum + tokens(message), 0),
  };
}

function remember<Value>(read: (message: ChatMessage) => Value): (message: ChatMessage) => Value {
  const known = new WeakMap<ChatMessage, { readonly value: Value }>();
  return (message) => {
    let entry = known.get(message);
    if (entry === undefined) {
      entry = { value: read(message) };
      known.set(message, entry);
    }
    return entry.value;
  };
}
