/** All engines through the session of one setup. */
import { hash } from "node:crypto";
import type { EngineName } from "../../src/core/engines/names.ts";
import { createChain } from "../../src/core/transcript/links.ts";
import { agentSession } from "./agent-session.ts";
import { impossibleBecause, setupFigures, type Setup } from "./grid.ts";
import { modelMeasure, TOKEN_FACTOR } from "./prompt-cost.ts";
import { costOfDoingNothing, runSession, type RunFigures, type Schedule } from "./run.ts";

export interface Row extends Setup, Omit<RunFigures, "usd"> {
  readonly engine: EngineName;
  readonly schedule: Schedule;
  readonly stepTokens: number;
  readonly limitTokens: number;
  readonly fixedTokens: number;
  /** The bill over that of doing nothing; null where requests were lost, which nobody pays for. */
  readonly ofNothing: number | null;
}

/** A setup in which no conversation is possible. */
export interface Impossible extends Setup {
  readonly because: string;
}

export interface SetupResult {
  readonly setup: Setup;
  readonly rows: readonly Row[];
  readonly impossible?: Impossible;
}

export interface Choice {
  readonly engines: readonly EngineName[];
  readonly schedules: readonly Schedule[];
}

/** Any other gives other sessions of the same kind. */
const SEED = 20_261_127;

export async function measureSetup(setup: Setup, { engines, schedules }: Choice, seed = SEED): Promise<SetupResult> {
  const because = impossibleBecause(setup);
  if (because !== undefined) return { setup, rows: [], impossible: { ...setup, because } };
  const measure = modelMeasure();
  const { windowTokens, fixedShare, outputTokens } = setup;
  const wanted = setupFigures(setup, windowTokens * fixedShare);
  const turns = agentSession({
    seed,
    fixedTokens: wanted.fixedTokens / TOKEN_FACTOR,
    roomTokens: wanted.roomTokens / TOKEN_FACTOR,
    outputTokens,
  });
  const figures = setupFigures(setup, measure.transcript({ ...turns[0]!.request, messages: [] }));
  const nothingUsd = costOfDoingNothing(turns, measure);
  const chain = createChain((text) => hash("sha256", text));
  const rows: Row[] = [];
  for (const engine of engines)
    for (const schedule of schedules) {
      const { usd, ...run } = await runSession({ setup, figures, turns, engine, schedule, measure, chain });
      const { stepTokens, limitTokens, fixedTokens } = figures;
      const ofNothing = run.lost > 0 ? null : usd / nothingUsd;
      rows.push({ ...setup, engine, schedule, ...run, stepTokens, limitTokens, fixedTokens, ofNothing });
    }
  return { setup, rows };
}
