/** The agent's own plan, as a tool keeps it: `TodoWrite`, `update_plan`, `TaskCreate` and their like. What it says of plans in its text is speech. */
import type { CallSummary } from "../digest/call.ts";
import { wholeWords } from "./text.ts";

export type PlanState = "done" | "doing" | "open";

export interface PlanItem {
  /** The words of the item, verbatim. */
  readonly text: string;
  readonly state: PlanState;
}

const ITEMS_MAX = 60;
const ITEM_CHARS_MAX = 300;
const TEXT_KEYS = ["content", "step", "title", "text", "task", "description", "subject", "name"];
const DONE = new Set(["completed", "complete", "done", "cancelled", "canceled", "deleted", "skipped"]);
const DOING = new Set(["inprogress", "doing", "active", "started", "running"]);

/** The list after a call to a planning tool: written anew, one item more, or the state of one changed by its place from 1. */
export function planAfter(plan: readonly PlanItem[], { action }: CallSummary, args: string): readonly PlanItem[] {
  if (action !== "plan") return plan;
  const fields = recordIn(args);
  const list = Object.values(fields).find(
    (value) => Array.isArray(value) && value.some((item) => itemOf(item) !== undefined),
  );
  if (Array.isArray(list)) return list.flatMap((item) => itemOf(item) ?? []).slice(0, ITEMS_MAX);
  const id = fields["taskId"] ?? fields["task_id"];
  if (id !== undefined && typeof fields["status"] === "string") {
    const state = stateOf(fields["status"]);
    return plan.map((item, at) => (at + 1 === Number(id) ? { ...item, state } : item));
  }
  const item = typeof fields["subject"] === "string" ? itemOf({ subject: fields["subject"] }) : undefined;
  return item === undefined || id !== undefined ? plan : [...plan, item].slice(-ITEMS_MAX);
}

function itemOf(value: unknown): PlanItem | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const text = TEXT_KEYS.map((key) => fields[key]).find((found) => typeof found === "string" && found.trim() !== "");
  if (typeof text !== "string") return undefined;
  return { text: wholeWords(text.trim(), ITEM_CHARS_MAX), state: stateOf(fields["status"] ?? fields["state"]) };
}

function stateOf(status: unknown): PlanState {
  const word = typeof status === "string" ? status.toLowerCase().replace(/[^a-z]/g, "") : "";
  return DONE.has(word) ? "done" : DOING.has(word) ? "doing" : "open";
}

function recordIn(args: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(args);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
