/** What an engine instance remembers of messages between compactions, so that a new one costs only what is new. */
import { createEvidence, type Evidence } from "../../excerpts/excerpts.ts";
import { createLedgerKeeper, type LedgerKeeper } from "../../ledger/ledger.ts";
import { createRedactors } from "../../redaction/redactor.ts";
import type { Message } from "../../transcript/message.ts";
import type { CompactRequest } from "../../engines/contract.ts";
import { createHiding } from "./hiding.ts";
import { createShownKeeper, type ShownKeeper } from "./already-visible.ts";

export interface ConversationMemory {
  readonly evidence: Evidence;
  readonly ledger: LedgerKeeper;
  readonly redact: (text: string) => string;
  /** Hides the secrets of the whole conversation and pieces of them, for what a model wrote. */
  readonly hide: (text: string) => string;
  readonly shown: ShownKeeper;
}

/** What is remembered, for one conversation and the secrets that a request names. */
export type MemoryFactory = (messages: readonly Message[], request: CompactRequest) => ConversationMemory;

export function createMemories(evidence = createEvidence()): MemoryFactory {
  const ledger = createLedgerKeeper();
  const redactorFor = createRedactors();
  const shown = createShownKeeper();
  const hiding = createHiding();
  return (messages, { secrets }) => ({
    evidence,
    ledger,
    redact: redactorFor(secrets),
    hide: hiding(messages),
    shown,
  });
}
