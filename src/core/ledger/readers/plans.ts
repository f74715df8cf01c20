/**
 * The agent's own plan, as last written: through a tool that keeps a list (`TodoWrite`, `update_plan`, `TaskCreate`),
 * as a check list in its text, or as numbered steps that it says are its plan.
 */
import type { CallSummary } from "../../digest/call.ts";
import { proseLines, wholeWords } from "./sentences.ts";

export type PlanState = "done" | "doing" | "open";

export interface PlanItem {
  /** The words of the item, verbatim. */
  readonly text: string;
  readonly state: PlanState;
}

/** What a call does to the list. `replace` writes the whole, `add` one item, `set` the state of one by its place from 1. */
export type PlanChange =
  | { readonly kind: "replace"; readonly items: readonly PlanItem[] }
  | { readonly kind: "add"; readonly item: PlanItem }
  | { readonly kind: "set"; readonly place: number; readonly state: PlanState };

const ITEMS_MAX = 60;
const ITEM_CHARS_MAX = 300;
const STEPS_MIN = 2;
const TEXT_KEYS = ["content", "step", "title", "text", "task", "description", "subject", "name"];
const INTRODUCTION =
  /\b(?:plan|steps|next|to ?do|approach|remaining|i['’]ll|i will|i need to|we need to|work packages?)\b|计划|步骤|接下来|手順|計画|次に|계획|단계/i;
/** Options are offered, findings are reported: neither is a plan. */
const NOT_A_PLAN =
  /\b(?:option|alternative|issues?|problems?|findings?|bugs?|summary|changes? made|completed|fixed|questions?|either|should (?:i|we)|would you|could)\b/i;
const CHECKBOX = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\[([ xX~-])\]\s+(\S.*)$/;
const STEP = /^\s{0,3}\d{1,2}[.)]\s+(\S.*)$/;
const BARE_HEADING = /^\*\*[^*]+\*\*$/;
const MAY_HOLD_STEPS = /^\s{0,3}\d{1,2}[.)]\s/m;

/** The change that a call to a planning tool makes; nothing where its arguments hold no list. */
export function planChangeIn(call: CallSummary, args: string): PlanChange | undefined {
  if (call.action !== "plan") return undefined;
  const fields = recordIn(args);
  const list = Object.values(fields).find(
    (value) => Array.isArray(value) && value.some((item) => itemOf(item) !== undefined),
  );
  if (Array.isArray(list))
    return { kind: "replace", items: list.flatMap((item) => itemOf(item) ?? []).slice(0, ITEMS_MAX) };
  const id = fields["taskId"] ?? fields["task_id"];
  if (id !== undefined && typeof fields["status"] === "string")
    return { kind: "set", place: Number(id), state: stateOf(fields["status"]) };
  const item = itemOf(typeof fields["subject"] === "string" ? { subject: fields["subject"] } : undefined);
  if (item !== undefined && id === undefined) return { kind: "add", item };
  return textPlan(fields["plan"]);
}

function textPlan(plan: unknown): PlanChange | undefined {
  const items = typeof plan === "string" ? planIn(plan) : undefined;
  return items === undefined ? undefined : { kind: "replace", items };
}

/** The plan that an assistant's text sets out. */
export function planIn(text: string): readonly PlanItem[] | undefined {
  return checklistIn(text) ?? stepsIn(text);
}

function checklistIn(text: string): readonly PlanItem[] | undefined {
  if (!text.includes("] ")) return undefined;
  const items = proseLines(text).flatMap((line) => {
    const match = CHECKBOX.exec(line);
    return match === null
      ? []
      : [planItem(match[2]!, match[1] === " " ? "open" : match[1]!.toLowerCase() === "x" ? "done" : "doing")];
  });
  return items.length < STEPS_MIN ? undefined : items.slice(0, ITEMS_MAX);
}

/** Numbered lines under a line that calls them a plan; one that is only a heading with the first line below it. */
function stepsIn(text: string): readonly PlanItem[] | undefined {
  if (!MAY_HOLD_STEPS.test(text)) return undefined;
  const items: PlanItem[] = [];
  let announced = false;
  for (const line of proseLines(text)) {
    const step = STEP.exec(line);
    if (step !== null && announced && !/[?？]|[:：]\**\s*$/.test(step[1]!)) items.push(planItem(step[1]!, "open"));
    else if (step === null && /^\s/.test(line)) {
      const heading = items.at(-1)?.text ?? "";
      if (BARE_HEADING.test(heading)) items[items.length - 1] = planItem(`${heading} ${withoutBullet(line)}`, "open");
    } else if (step === null) {
      if (items.length >= STEPS_MIN) break;
      items.length = 0;
      announced = /[:：][\s*]*$|^#|^\*\*/.test(line) && INTRODUCTION.test(line) && !NOT_A_PLAN.test(line);
    }
  }
  return items.length < STEPS_MIN ? undefined : items.slice(0, ITEMS_MAX);
}

function withoutBullet(line: string): string {
  return line.trim().replace(/^[-*+•]\s+/, "");
}

function planItem(text: string, state: PlanState): PlanItem {
  return { text: wholeWords(text.trim(), ITEM_CHARS_MAX), state };
}

function itemOf(value: unknown): PlanItem | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const text = TEXT_KEYS.map((key) => fields[key]).find((found) => typeof found === "string" && found.trim() !== "");
  return typeof text === "string" ? planItem(text, stateOf(fields["status"] ?? fields["state"])) : undefined;
}

function stateOf(status: unknown): PlanState {
  const word = typeof status === "string" ? status.toLowerCase().replace(/[^a-z]/g, "") : "";
  if (["completed", "complete", "done", "cancelled", "canceled", "deleted", "skipped"].includes(word)) return "done";
  return ["inprogress", "doing", "active", "started", "running"].includes(word) ? "doing" : "open";
}

function recordIn(args: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(args);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The list after a change; the same list where the change finds nothing to change. */
export function afterPlanChange(items: readonly PlanItem[], change: PlanChange): readonly PlanItem[] {
  switch (change.kind) {
    case "replace":
      return change.items;
    case "add":
      return [...items, change.item].slice(-ITEMS_MAX);
    case "set":
      return items.map((one, at) => (at + 1 === change.place ? { ...one, state: change.state } : one));
  }
}
