/** Marks a kept text group by group: every identifier belongs to a class, and to what had shown it first. */
import { describeCall } from "../../../src/core/digest/call.ts";
import { createPairing } from "../../../src/core/transcript/pairing.ts";
import type { Cut } from "../recall/cuts.ts";
import { callsOf } from "../recall/future-use.ts";
import type { Exam } from "../recall/exam.ts";
import type { Reader } from "../recall/reader.ts";
import type { Counts, Group } from "./plan.ts";

export const CLASSES = ["path", "symbol", "number", "hash", "url"] as const;
export type IdentifierClass = (typeof CLASSES)[number];

export type Tally = (kept: string, recallable: () => string) => Readonly<Record<Group, Counts>>;

export function createTally({ prefix, demand }: Cut, exam: Exam, reader: Reader): Tally {
  const bindable = new Set(exam.bindable);
  const groups = groupsOf([...demand.keys()], sourcesOf(prefix, demand, reader));
  return (kept, recallable) => {
    const { held, bound } = exam.marks(kept);
    const gone = exam.bindable.filter((id) => !bound.has(id));
    const behind = gone.length === 0 ? new Set<string>() : exam.marks(recallable()).bound;
    return Object.fromEntries(
      [...groups].map(([group, ids]): [Group, Counts] => {
        const count = (is: (id: string) => boolean): number => ids.filter(is).length;
        return [
          group,
          {
            need: ids.length,
            held: count((id) => held.has(id)),
            bindable: count((id) => bindable.has(id)),
            bound: count((id) => bound.has(id)),
            recallable: count((id) => bound.has(id) || (bindable.has(id) && behind.has(id))),
            unaided: count((id) => bindable.has(id) && demand.get(id) === true),
            unaidedBound: count((id) => bound.has(id) && demand.get(id) === true),
          },
        ];
      }),
    );
  };
}

function groupsOf(ids: readonly string[], sources: ReadonlyMap<string, string>): ReadonlyMap<Group, readonly string[]> {
  const groups = new Map<Group, string[]>();
  for (const id of ids)
    for (const group of ["all", `class ${classOf(id)}`, `from ${sources.get(id) ?? "other"}`])
      groups.set(group, [...(groups.get(group) ?? []), id]);
  return groups;
}

export function classOf(id: string): IdentifierClass {
  if (/^https?:\/\//.test(id)) return "url";
  if (id.includes("/")) return "path";
  if (/^\p{Nd}+(?:\.\p{Nd}+)?$/u.test(id)) return "number";
  return /^[0-9a-f]{7,40}$/.test(id) && /[0-9]/.test(id) ? "hash" : "symbol";
}

/** By whom each identifier was shown first: a kind of tool, `person` or `agent`. */
function sourcesOf(prefix: Cut["prefix"], ids: Cut["demand"], reader: Reader): ReadonlyMap<string, string> {
  const shown = new Map<string, string>();
  const pairing = createPairing<string>();
  for (const [at, message] of prefix.entries()) {
    for (const { id, function: called } of callsOf(message))
      pairing.ask(id, at, describeCall(called.name, called.arguments).action);
    const by =
      message.role === "tool"
        ? (pairing.answer(message.tool_call_id) ?? "other")
        : message.role === "assistant"
          ? "agent"
          : "person";
    for (const id of reader.identifiers(message)) if (ids.has(id) && !shown.has(id)) shown.set(id, by);
  }
  return shown;
}
