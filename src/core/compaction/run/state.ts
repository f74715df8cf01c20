/**
 * What an engine with one trigger remembers between compactions: when the next one is due, and that the engine rests
 * where the last attempt could do too little. An engine that does not rest compacts without end: OpenCode 1.18 was seen
 * to write 88 summaries in 48 seconds.
 */
import type { CompactionReport } from "../compaction.ts";
import type { Decision } from "../../engines/contract.ts";
import { SAVED_LITTLE_ADVICE, savedLittle } from "../savings.ts";
import type { LastModelHandoff } from "./model-record.ts";

const STATE_SCHEMA_VERSION = 1;
/** What could not be made small enough is tried again when it has grown by as much. */
const GROWTH_BEFORE_RETRY = 1.1;

/** Plain data, as every engine's state is. */
export interface StateBase {
  readonly schemaVersion: number;
  readonly written?: LastModelHandoff;
}

export interface EngineState extends StateBase {
  readonly schemaVersion: typeof STATE_SCHEMA_VERSION;
  /** Name of the engine. */
  readonly engine: string;
  readonly compactions: number;
  /** No attempt is made up to here, in tokens. */
  readonly restsToTokens: number;
}

export function startOf(engine: string): EngineState {
  return { schemaVersion: STATE_SCHEMA_VERSION, engine, compactions: 0, restsToTokens: 0 };
}

/** The given state where it is of the same engine and version as the fresh one; the fresh one where it is not. */
export function stateOf<State extends { readonly engine: string; readonly schemaVersion: number }>(
  fresh: State,
  given: unknown,
): State {
  const { engine, schemaVersion } = (given ?? {}) as Partial<State>;
  return engine === fresh.engine && schemaVersion === fresh.schemaVersion ? (given as State) : fresh;
}

/** What is said where the engine rests. */
const RESTS = `the last compaction could free too little: ${SAVED_LITTLE_ADVICE}`;

/** Due from the trigger on. */
export function dueAt(triggerTokens: number, tokens: number, restsToTokens: number, because = RESTS): Decision {
  if (tokens < triggerTokens) return { kind: "none" };
  if (tokens > restsToTokens) return { kind: "compact", reason: "threshold", urgency: "now" };
  return { kind: "none", because };
}

export function afterCompaction<State extends EngineState>(
  state: State,
  report: Pick<CompactionReport, "tokens" | "parts" | "irreducible">,
  written: LastModelHandoff | undefined,
): State {
  const { written: _, ...rest } = state;
  const poor = report.irreducible !== undefined || savedLittle(report);
  return {
    ...(rest as State),
    compactions: state.compactions + 1,
    restsToTokens: poor ? retryFrom(report.tokens.after) : 0,
    ...(written === undefined ? {} : { written }),
  };
}

/** After an attempt that found nothing smaller. */
export function backOff<State extends { readonly restsToTokens: number }>(state: State, tokens: number): State {
  return { ...state, restsToTokens: retryFrom(tokens) };
}

/** That many tokens are tried again only when they have grown. */
export function retryFrom(tokens: number): number {
  return Math.ceil(tokens * GROWTH_BEFORE_RETRY);
}
