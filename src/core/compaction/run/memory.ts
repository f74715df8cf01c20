/** What an engine instance remembers of messages between compactions, so that a new one costs only what is new. */
import { createRedactors } from "../../redaction/redactor.ts";
import type { Message } from "../../transcript/message.ts";
import type { CompactRequest } from "../../engines/contract.ts";
import { createHiding } from "./hiding.ts";
import { createShownKeeper, type ShownKeeper } from "./already-visible.ts";

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
