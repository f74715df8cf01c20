/** What an engine remembers of a session that a person may want to see: its statistics, and what it has hidden. */
import { sacredZoneStatistics } from "../../core/engines/sacred-zone/sacred-zone.ts";
import { hiddenResults } from "../../core/engines/stepped.ts";
import type { Compaction, Evicted } from "../../core/compaction/compaction.ts";
import { savedEngineState } from "../../session/saved-state.ts";
import type { EngineFigures, HiddenResult } from "./contract.ts";

/** `state`: the session's, as it was saved; `standing`: the compaction that its next request goes out with. */
export function engineFigures(state: unknown, standing: Compaction | undefined): EngineFigures | undefined {
  const engine = savedEngineState(state) ?? standing?.state;
  const name = standing?.report.engine ?? nameIn(engine);
  if (name === undefined) return undefined;
  const hidden = standing === undefined ? [] : hiddenIn(standing);
  return { name, ...(name === "sacred-zone" ? { statistics: sacredZoneStatistics(engine) } : {}), hidden };
}

function nameIn(state: unknown): string | undefined {
  const name = typeof state === "object" && state !== null && "engine" in state ? state.engine : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Results that stand in the conversation in short: a digest, a line with the recall id, a reference. */
function hiddenIn({ map, evicted, state }: Compaction): readonly HiddenResult[] {
  const times = new Map(hiddenResults(state).map(({ id, at }) => [id, at]));
  const stands = ({ kind, message }: Evicted): boolean => kind === "result" && map[message]?.kind === "edited";
  return evicted.filter(stands).map(({ id, message, label }) => {
    const at = times.get(id);
    return { id, number: message + 1, label, ...(at === undefined ? {} : { at }) };
  });
}
