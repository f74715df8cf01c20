/** Counts what a kept text holds of the identifiers that the continuation asked for. */
import type { Cut } from "../recall/cuts.ts";
import type { Exam } from "../recall/exam.ts";
import type { Counts } from "./plan.ts";

export type Tally = (kept: string, recallable: () => string) => Counts;

export function createTally({ demand }: Pick<Cut, "demand">, exam: Exam): Tally {
  const ids = [...demand.keys()];
  const bindable = new Set(exam.bindable);
  return (kept, recallable) => {
    const { held, bound } = exam.marks(kept);
    const gone = exam.bindable.filter((id) => !bound.has(id));
    const behind = gone.length === 0 ? new Set<string>() : exam.marks(recallable()).bound;
    const count = (is: (id: string) => boolean): number => ids.filter(is).length;
    return {
      need: ids.length,
      held: count((id) => held.has(id)),
      bindable: count((id) => bindable.has(id)),
      bound: count((id) => bound.has(id)),
      recallable: count((id) => bound.has(id) || (bindable.has(id) && behind.has(id))),
      unaided: count((id) => bindable.has(id) && demand.get(id) === true),
      unaidedBound: count((id) => bound.has(id) && demand.get(id) === true),
    };
  };
}
