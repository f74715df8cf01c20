/** What a session is replayed under: with the cache or without it, with compaction or without it, and whose. */
import type { Schedule } from "../../../src/core/caching/schedule.ts";

export interface Strategy {
  readonly name: string;
  /** Requests are cached, and marked where that takes markers. */
  readonly caching: boolean;
  /** Undefined: nothing is ever compacted. */
  readonly compaction: Compacting | undefined;
}

export interface Compacting {
  readonly engine: string;
  /** Undefined: the engine's own threshold, whatever it costs. */
  readonly schedule: Schedule | undefined;
}

/** Nothing, the cache alone, each engine alone, and both by each schedule. */
export function strategiesOf(engines: readonly string[], schedules: readonly Schedule[]): readonly Strategy[] {
  const [only] = engines;
  const named = (engine: string): string => (engines.length === 1 && engine === only ? "" : ` ${engine}`);
  const compacting = engines.flatMap((engine): readonly Strategy[] => [
    { name: `compaction only${named(engine)}`, caching: false, compaction: { engine, schedule: undefined } },
    ...schedules.map((schedule) => ({
      name: `both, ${schedule}${named(engine)}`,
      caching: true,
      compaction: { engine, schedule },
    })),
  ]);
  return [
    { name: "nothing", caching: false, compaction: undefined },
    { name: "cache only", caching: true, compaction: undefined },
    ...compacting,
  ];
}
