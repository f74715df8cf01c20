/** What an engine instance remembers of messages between compactions, so that a new one costs only what is new. */
import { createRedactors, type Redactor } from "../../redaction/redactor.ts";
import { type Message, callsOf, contentText } from "../../transcript/message.ts";
import type { CompactRequest } from "../../engines/contract.ts";
import { createShownKeeper, type ShownKeeper } from "./already-visible.ts";
import { createPieceHider } from "../../redaction/pieces.ts";
import { secretsIn } from "../../redaction/redact.ts";

/** Hides in what we wrote the pieces of secrets that a conversation holds. A message is looked through once. */
type RedactorFactory = (messages: readonly Message[]) => Redactor;

function createHiding(): RedactorFactory {
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

export interface ConversationMemory {
  readonly redact: (text: string) => string;
  /** Hides the secrets of the whole conversation and pieces of them, for what a model wrote. */
  readonly hide: (text: string) => string;
  readonly shown: ShownKeeper;
}

/** What is remembered, for one conversation and the secrets that a request names. */
export type MemoryFactory = (messages: readonly Message[], request: CompactRequest) => ConversationMemory;

export function createMemories(): MemoryFactory {
  const redactorFor = createRedactors();
  const shown = createShownKeeper();
  const hiding = createHiding();
  return (messages, { secrets }) => ({
    redact: redactorFor(secrets),
    hide: hiding(messages),
    shown,
  });
}
