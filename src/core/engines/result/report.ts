/** What a compaction did, in figures: the account that every door shows. */
import type { CompactionReport, Evicted, Irreducible, SummaryAccount } from "../../compaction/compaction.ts";
import type { Evidence } from "../../excerpts/excerpts.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Handoff } from "../../handoff/write.ts";
import type { Message, Transcript } from "../../transcript/message.ts";
import type { CompactRequest } from "../contract.ts";
import type { Assembled } from "./assemble.ts";
import { lossesOf } from "./losses.ts";

export interface Account {
  readonly original: Transcript;
  readonly system: readonly Message[];
  readonly request: CompactRequest;
  readonly assembled: Assembled;
  readonly evicted: readonly Evicted[];
  readonly handoff: Handoff | undefined;
  readonly textOf: (message: Message) => string;
  /** Name of the engine. */
  readonly engine: string;
  readonly rung: number;
  /** Tokens of what was sent before and what is sent now. */
  readonly before: number;
  readonly after: number;
  readonly irreducible: Irreducible | undefined;
  readonly evidence: Evidence;
  readonly ledger: Ledger;
  readonly redact: (text: string) => string;
  /** How the handoff was written; absent where there is none. */
  readonly summary: SummaryAccount | undefined;
  /** Why the result is poorer than it should be. */
  readonly remarks: readonly string[];
}

export function reportOf(account: Account): CompactionReport {
  const { original, request, assembled, rung, before, after, irreducible, summary: written } = account;
  const { measure } = request;
  const { map, placed } = assembled;
  const count = (kind: string): number => map.filter((destination) => destination.kind === kind).length;
  const weigh = (belongs: (message: Message, at: number) => boolean): number =>
    measure.messages(placed.map(({ message }) => message).filter(belongs));
  const summary = placed.findIndex(({ message }) => message.origin === "summary");
  return {
    engine: account.engine,
    reason: request.reason,
    tokens: { before, after },
    messages: {
      before: original.messages.length,
      after: placed.length,
      kept: original.messages.length - map.length + count("kept"),
      edited: count("edited"),
      summarised: count("summarised"),
      ...(count("removed") === 0 ? {} : { removed: count("removed") }),
    },
    parts: {
      system: measure.messages(account.system),
      tools: original.tools === undefined ? 0 : measure.text(original.tools),
      head: weigh((message, at) => at < summary && !isOurs(message)),
      handoff: weigh(({ origin }) => origin === "summary" || origin === "note"),
      anchor: weigh((message) => message.origin === "anchor"),
      tail: weigh((message, at) => at > summary && !isOurs(message)),
    },
    rung,
    ...(irreducible === undefined ? {} : { irreducible }),
    degraded: account.remarks,
    recall: [...new Set(account.evicted.map(({ id }) => id))],
    lost: lossesOf({ ...account, messages: original.messages, placed }),
    ...(written === undefined ? {} : { summary: written }),
    modelCalls: (written?.steps ?? []).reduce((sum, { calls }) => sum + calls, 0),
    costUsd: (written?.steps ?? []).reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
  };
}

function isOurs({ origin }: Message): boolean {
  return origin === "summary" || origin === "note" || origin === "anchor";
}
