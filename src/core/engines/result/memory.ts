/** What an engine instance remembers of messages between compactions, so that a new one costs only what is new. */
import { createEvidence } from "../../excerpts/excerpts.ts";
import { createLedgerKeeper } from "../../ledger/ledger.ts";
import { createRedactors } from "../../redaction/redactor.ts";
import type { Message } from "../../transcript/message.ts";
import type { CompactRequest } from "../contract.ts";
import type { Memory } from "./draft.ts";
import { createHiding } from "./hiding.ts";
import { createShownKeeper } from "./shown.ts";

/** What is remembered, for one conversation and the secrets that a request names. */
export type Remembering = (messages: readonly Message[], request: CompactRequest) => Memory;

export function createMemories(evidence = createEvidence()): Remembering {
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
