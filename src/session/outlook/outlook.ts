/** Sessions put together: what precis would have done to all of them, and the settings that follow from it. */
import {
  RECEIPT_KINDS,
  type ReceiptFate,
  type ReceiptKind,
  type ReceiptLine,
  savedLittle,
} from "../../core/compaction/compaction.ts";
import { countIn } from "../../core/receipt/counts.ts";
import { LARGE_RESULT_TOKENS, type OutlookCompaction, type SessionOutlook } from "./session.ts";

/** Below that, another setting is not worth a change. */
const GAIN_SHARE_MIN = 0.02;
/** Large results are worth a limit where they are this share of all that compactions had to deal with. */
const LARGE_SHARE_MIN = 0.1;
const EXAMPLES_PER_KIND_MAX = 4;

export interface NamedOutlook extends SessionOutlook {
  /** The file as a person would name it. */
  readonly name: string;
  readonly format: string;
  readonly model: string | undefined;
  /** Its window is assumed: nothing is known of the model. */
  readonly windowAssumed: boolean;
}

/** What compactions took out of sight, of one kind. */
export interface MissingKind {
  readonly kind: ReceiptKind;
  readonly recallable: number;
  readonly lost: number;
  readonly examples: readonly string[];
}

export interface Advice {
  /** The setting as it would be in the configuration file; absent for advice that is no setting. */
  readonly setting?: string;
  readonly because: string;
}

export interface Outlook {
  readonly sessions: readonly NamedOutlook[];
  readonly requests: number;
  readonly compactions: number;
  /** Sessions with at least one compaction. */
  readonly compacted: number;
  /** Compactions that the agents made themselves. */
  readonly agentCompactions: number;
  readonly tokens: { readonly without: number; readonly with: number };
  /** Of the sessions whose model has known prices; absent where none has. */
  readonly usd?: { readonly without: number; readonly with: number; readonly sessions: number };
  readonly missing: readonly MissingKind[];
  /** Identifiers used again after compactions, and those still there. */
  readonly later: { readonly used: number; readonly held: number };
  readonly advice: readonly Advice[];
}

export function outlookOf(sessions: readonly NamedOutlook[]): Outlook {
  const compactions = sessions.flatMap((one) => one.compactions);
  const sum = (of: (session: NamedOutlook) => number): number => sessions.reduce((so, one) => so + of(one), 0);
  const priced = sessions.filter((one) => one.without.usd !== undefined);
  const usd = {
    without: priced.reduce((so, one) => so + one.without.usd!, 0),
    with: priced.reduce((so, one) => so + one.with.usd!, 0),
    sessions: priced.length,
  };
  return {
    sessions,
    requests: sum((one) => one.requests),
    compactions: compactions.length,
    compacted: sessions.filter((one) => one.compactions.length > 0).length,
    agentCompactions: sum((one) => one.agentCompactions),
    tokens: { without: sum((one) => one.without.inputTokens), with: sum((one) => one.with.inputTokens) },
    ...(priced.length === 0 ? {} : { usd }),
    missing: countMissing(compactions),
    later: {
      used: compactions.reduce((so, { later }) => so + later.used, 0),
      held: compactions.reduce((so, { later }) => so + later.held, 0),
    },
    advice: [
      ...windowAdvice(sessions),
      ...cacheAdvice(sessions),
      ...ingestAdvice(sessions),
      ...compactionAdvice(sessions, compactions),
    ],
  };
}

function countMissing(compactions: readonly OutlookCompaction[]): readonly MissingKind[] {
  const receipts = compactions.map(({ report }) => report.receipt);
  return RECEIPT_KINDS.flatMap((kind) => {
    const sum = (fate: ReceiptFate): number => receipts.reduce((so, one) => so + countIn(one, kind, fate), 0);
    const [recallable, lost] = [sum("recallable"), sum("lost")];
    const gone = receipts.flatMap((one) => one?.lines ?? []).filter((line) => line.kind === kind && isMissing(line));
    const examples = [...new Set(gone.map(({ text }) => text))].slice(0, EXAMPLES_PER_KIND_MAX);
    return recallable + lost === 0 ? [] : [{ kind, recallable, lost, examples }];
  });
}

function isMissing({ fate }: ReceiptLine): boolean {
  return fate === "recallable" || fate === "lost";
}

function windowAdvice(sessions: readonly NamedOutlook[]): readonly Advice[] {
  const unknown = [
    ...new Set(sessions.filter((one) => one.windowAssumed).map((one) => one.model ?? "sessions that name no model")),
  ];
  if (unknown.length === 0) return [];
  return [
    {
      setting: "model.context_length: N",
      because: `the window is not known for ${unknown.slice(0, EXAMPLES_PER_KIND_MAX).join(", ")}, so one was assumed: state it`,
    },
  ];
}

/** Whether a cache that lasts an hour pays for what writing it costs more. */
function cacheAdvice(sessions: readonly NamedOutlook[]): readonly Advice[] {
  const priced = sessions.filter((one) => one.withLongCacheUsd !== undefined && one.with.usd !== undefined);
  const short = priced.reduce((so, one) => so + one.with.usd!, 0);
  const long = priced.reduce((so, one) => so + one.withLongCacheUsd!, 0);
  if (short === 0 || short - long < short * GAIN_SHARE_MIN) return [];
  const saved = Math.round(((short - long) / short) * 100);
  return [
    {
      setting: "prompt_caching.cache_ttl: 1h",
      because: `pauses of five minutes to an hour let caches expire: one that lasts an hour costs ${saved} % less, by estimate`,
    },
  ];
}

function ingestAdvice(sessions: readonly NamedOutlook[]): readonly Advice[] {
  const large = sessions.reduce((so, one) => so + one.largeResults.tokens, 0);
  const count = sessions.reduce((so, one) => so + one.largeResults.count, 0);
  const whole = sessions.reduce(
    (so, one) => so + one.compactions.reduce((sum, { report }) => sum + report.tokens.before, 0),
    0,
  );
  if (whole === 0 || large < whole * LARGE_SHARE_MIN) return [];
  return [
    {
      setting: `compression.ingest_limit_tokens: ${LARGE_RESULT_TOKENS}`,
      because: `${count} tool results have ${LARGE_RESULT_TOKENS.toLocaleString("en-US")} tokens or more: they can be digested as they arrive`,
    },
  ];
}

function compactionAdvice(
  sessions: readonly NamedOutlook[],
  compactions: readonly OutlookCompaction[],
): readonly Advice[] {
  if (sessions.length > 0 && compactions.length === 0)
    return [{ because: "every session stayed below the threshold: precis would have changed no message of them" }];
  const little = compactions.filter(({ report }) => savedLittle(report)).length;
  if (little * 2 <= compactions.length) return [];
  return [
    {
      setting: "compression.threshold: 0.7",
      because: `${little} of ${compactions.length} compactions would have saved less than a tenth: begin later`,
    },
  ];
}
