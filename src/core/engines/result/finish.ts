/** From a draft that is settled to the compaction: the record, its report, and the engine's next state. */
import {
  COMPACTION_SCHEMA_VERSION,
  type Compaction,
  type CompactionReport,
  type Irreducible,
  type SummaryAccount,
} from "../../compaction/compaction.ts";
import { sizeOf, type Draft, type Job, type Memory } from "./draft.ts";
import { reportOf } from "./report.ts";

export interface Settled {
  readonly draft: Draft;
  /** How the handoff was written; absent where there is none. */
  readonly summary: SummaryAccount | undefined;
  /** Why the result is poorer than it should be. */
  readonly remarks: readonly string[];
}

export interface Finishing extends Settled {
  /** Name of the engine. */
  readonly engine: string;
  readonly job: Job;
  readonly memory: Memory;
  /** Tokens of what was sent before. */
  readonly before: number;
  readonly irreducible: Irreducible | undefined;
  readonly stateAfter: (report: CompactionReport) => unknown;
}

export function finished(finishing: Finishing): Compaction {
  const { draft, job, memory, stateAfter, ...account } = finishing;
  const { assembled, evicted, shape } = draft;
  const { messages } = job.original;
  const report = reportOf({
    ...job,
    ...draft,
    ...account,
    rung: shape.rung,
    after: sizeOf(job, draft),
    evidence: memory.evidence,
    ledger: memory.ledger.ledgerOf(messages),
    redact: memory.redact,
    textOf: memory.shown.textOf,
  });
  return {
    schemaVersion: COMPACTION_SCHEMA_VERSION,
    after: assembled.placed.slice(0, assembled.replaced).map(({ message }) => message),
    covered: assembled.covered,
    covers: job.request.chain.linksOf(messages.slice(0, assembled.covered)).at(-1) ?? "",
    ...(job.system === job.original.system ? {} : { system: job.system }),
    map: assembled.map,
    evicted,
    state: stateAfter(report),
    report,
  };
}
