/** Keeps the agent's plan as last written, and knows when what it planned is over. */
import { afterPlanChange, type PlanChange, type PlanItem } from "./readers/plans.ts";
import type { PlanEntry } from "./entries.ts";

export interface Planner {
  readonly change: (at: number, change: PlanChange) => void;
  readonly write: (at: number, items: readonly PlanItem[]) => void;
  readonly personSpoke: (at: number) => void;
  /** The assistant changed files. */
  readonly worked: () => void;
  /** `asks`: the turn ends with a question, so the rest may wait for the answer. */
  readonly turnEnded: (asks: boolean) => void;
  readonly entry: () => PlanEntry | undefined;
}

/** A list that a tool keeps holds until its items are done; one in a message, until the turn that carried it out ends. */
export function createPlanner(): Planner {
  let items: readonly PlanItem[] = [];
  let place: { readonly message: number; readonly source: "tool" | "text" } | undefined;
  let approvedAfter = false;
  let workedAfter = false;
  const put = (at: number, next: readonly PlanItem[], source: "tool" | "text"): void => {
    items = next;
    place = { message: at, source };
    approvedAfter = false;
    workedAfter = false;
  };
  const open = (): boolean => items.some(({ state }) => state !== "done");
  return {
    change: (at, change) => put(at, afterPlanChange(place?.source === "text" ? [] : items, change), "tool"),
    write: (at, next) => {
      if (place?.source !== "tool" || !open()) put(at, next, "text");
    },
    personSpoke: (at) => {
      if (place !== undefined && place.message < at) approvedAfter = true;
    },
    worked: () => {
      workedAfter = true;
    },
    turnEnded: (asks) => {
      if (place?.source !== "text" || !(approvedAfter || (workedAfter && !asks))) return;
      place = undefined;
      items = [];
    },
    entry: () => {
      if (place === undefined || items.length === 0) return undefined;
      return {
        kind: "plan",
        message: place.message,
        text: items.map(({ text }) => text).join("\n"),
        items,
        source: place.source,
      };
    },
  };
}
