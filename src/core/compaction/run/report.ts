/** The record of a compaction, with the account of it in figures that every door shows. */
import { COMPACTION_SCHEMA_VERSION, type Compaction, type CompactionReport, type Irreducible } from "../compaction.ts";
import type { Message } from "../../transcript/message.ts";
import { sizeOf, type CompactionRun } from "./draft.ts";
import type { WrittenDraft } from "./model-handoff.ts";

export interface Account extends WrittenDraft {
  /** Name of the engine. */
  readonly engine: string;
  /** It begins the session anew. */
  readonly restarts?: boolean;
  readonly irreducible: Irreducible | undefined;
}

/** The record, but for the engine's next state. */
export function recordOf(run: CompactionRun, account: Account): Omit<Compaction, "state"> {
  const { assembled, evicted } = account.draft;
  const { messages } = run.original;
  return {
    schemaVersion: COMPACTION_SCHEMA_VERSION,
    after: assembled.placed.slice(0, assembled.replaced).map(({ message }) => message),
    covered: assembled.covered,
    covers: run.request.chain.linksOf(messages.slice(0, assembled.covered)).at(-1) ?? "",
    ...(run.system === run.original.system ? {} : { system: run.system }),
    map: assembled.map,
    evicted,
    report: reportOf(run, account),
  };
}

function reportOf(run: CompactionRun, { draft, irreducible, summary: written, ...account }: Account): CompactionReport {
  const { original, request, before } = run;
  const { measure } = request;
  const { map, placed } = draft.assembled;
  const count = (kind: string): number => map.filter((destination) => destination.kind === kind).length;
  const weigh = (belongs: (message: Message, at: number) => boolean): number =>
    measure.messages(placed.map(({ message }) => message).filter(belongs));
  const summary = placed.findIndex(({ message }) => message.origin === "summary");
  return {
    engine: account.engine,
    reason: request.reason,
    tokens: { before, after: sizeOf(run, draft) },
    messages: {
      before: original.messages.length,
      after: placed.length,
      kept: original.messages.length - map.length + count("kept"),
      edited: count("edited"),
      summarised: count("summarised"),
      ...(count("removed") === 0 ? {} : { removed: count("removed") }),
    },
    parts: {
      system: measure.messages(run.system),
      tools: original.tools === undefined ? 0 : measure.text(original.tools),
      head: weigh((message, at) => at < summary && !isOurs(message)),
      handoff: weigh(({ origin }) => origin === "summary" || origin === "note"),
      anchor: weigh((message) => message.origin === "anchor"),
      tail: weigh((message, at) => at > summary && !isOurs(message)),
    },
    rung: draft.shape.rung,
    ...(account.restarts === true ? { restarted: true } : {}),
    ...(irreducible === undefined ? {} : { irreducible }),
    degraded: account.remarks,
    recall: [...new Set(draft.evicted.map(({ id }) => id))],
    ...(written === undefined ? {} : { summary: written }),
    modelCalls: (written?.steps ?? []).reduce((sum, { calls }) => sum + calls, 0),
    costUsd: (written?.steps ?? []).reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
  };
}

function isOurs({ origin }: Message): boolean {
  return origin === "summary" || origin === "note" || origin === "anchor";
}
