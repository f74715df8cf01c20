/** What many compactions do that one does not: the prefix arrives in parts, and is compacted to the same size after each. */
import type { Engine } from "../../../src/core/engines/contract.ts";
import { exchangesOf } from "../../../src/core/transcript/exchanges.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { keeperOf, measureOfDefinition, type Keeper, type KeptText } from "../recall/compactor.ts";
import { tokensOf } from "../recall/future-use.ts";
import { engineOf, type PreparedCut } from "./contest.ts";
import type { Drift, ExaminedEngine } from "./plan.ts";

/** How often; once is what the others are compared with. */
export const DRIFT_ROUNDS: readonly number[] = [1, 3, 10];

export async function driftOf(stand: PreparedCut, entrant: ExaminedEngine, budget: number): Promise<readonly Drift[]> {
  const { exam, messages } = stand;
  const room = Math.floor(budget * exam.total);
  const found: Drift[] = [];
  for (const rounds of DRIFT_ROUNDS)
    for (const way of ["session", "result"] as const) {
      const engine = engineOf(entrant);
      const { text } = await roundsOf({ engine, way, room }, partsOf(messages, rounds));
      const bound = exam.marks(text).bound.size;
      const counts = { kept: tokensOf(text), total: exam.total, bindable: exam.bindable.length, bound };
      found.push({ contestant: entrant.name, way, rounds, ...counts });
    }
  return found;
}

export interface Rounds {
  readonly engine: Engine;
  readonly way: Drift["way"];
  /** Where not given, the policy decides. */
  readonly room?: number;
}

/** The result after the last part, each put behind what stands, and compacted. */
export async function roundsOf(
  rounds: Rounds,
  parts: readonly (readonly Message[])[],
  after: (kept: KeptText, round: number) => void = () => undefined,
): Promise<KeptText> {
  const keep = keeperOf(rounds.engine);
  let kept: KeptText | undefined;
  let originals: readonly Message[] = [];
  for (const [at, part] of parts.entries()) {
    originals = [...originals, ...part];
    kept = await (rounds.way === "session"
      ? inSession(keep, rounds, { originals, kept })
      : keep({ messages: [...(kept?.transcript.messages ?? []), ...part], ...roomOf(rounds) }));
    after(kept, at + 1);
  }
  if (kept === undefined) throw new RangeError("there is no part to compact");
  return kept;
}

/** As a session does: the originals, with the state of the compaction before. */
function inSession(
  keep: Keeper,
  rounds: Rounds,
  { originals, kept }: { readonly originals: readonly Message[]; readonly kept: KeptText | undefined },
): Promise<KeptText> {
  const state = kept === undefined ? {} : { state: kept.state };
  return keep({ messages: originals, ...state, ...roomOf(rounds) });
}

function roomOf({ room }: Rounds): { readonly room?: number } {
  return room === undefined ? {} : { room };
}

/** Parts of about the same weight, cut between exchanges. */
export function partsOf(messages: readonly Message[], count: number): readonly (readonly Message[])[] {
  const measure = measureOfDefinition();
  const total = measure.messages(messages);
  const parts: Message[][] = [];
  let weight = 0;
  for (const { start, end } of exchangesOf(messages)) {
    const own = Math.min(count - 1, Math.floor((weight / total) * count));
    const exchange = messages.slice(start, end);
    const part = (parts[own] ??= []);
    for (const message of exchange) part.push(message);
    weight += measure.messages(exchange);
  }
  return parts.filter((part) => part !== undefined);
}
