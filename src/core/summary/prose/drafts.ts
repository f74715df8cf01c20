/**
 * What a model wrote, as drafts beside the ledger's. Its items take the place of the ledger's narrative; what a person
 * asked, what stands open and what the checks say stays the ledger's and comes first.
 */
import { mentionsIn } from "../../evidence/mentions.ts";
import type { Draft } from "../items.ts";
import type { Topic } from "../sections.ts";
import type { Items } from "./asked.ts";

/** The ledger's list gives way to the model's, where there is one. */
const REPLACED: readonly Topic[] = ["actions", "progress", "decisions", "resolved"];
/** What the ledger ranks this high stays whatever the model wrote: the first request, and deeds that outlast the session. */
const LASTING_RANK: Partial<Readonly<Record<Topic, number>>> = { goal: 10, actions: 2 };
/** Between the ledger's own drafts, and those of an earlier handoff. */
const PROSE_RANK = 0.9;
/** Written after the ledger's items of the same section. */
const PROSE_ORDER = 100_000;

export interface Own {
  /** The ledger's, and those that an earlier handoff carries on. */
  readonly fresh: readonly Draft[];
  readonly carried: readonly Draft[];
}

/** All that a section may say. */
export function withProse(topic: Topic, { fresh, carried }: Own, prose: Items): readonly Draft[] {
  const texts = prose.get(topic) ?? [];
  if (texts.length === 0) return [...fresh, ...carried];
  const said = textOf(prose);
  const lasting = LASTING_RANK[topic] ?? Infinity;
  const kept =
    REPLACED.includes(topic) || topic === "goal"
      ? fresh.filter(({ rank, write }) => rank >= lasting && !isToldIn(said, write() ?? ""))
      : fresh;
  const missed = carried.filter(({ write }) => !isToldIn(said, write() ?? ""));
  return [...kept, ...missed, ...texts.map((text, at) => draftOf(topic, text, at / texts.length))];
}

/** Of what was done the latest counts most, elsewhere what is said first. */
function draftOf(topic: Topic, text: string, place: number): Draft {
  const rank = PROSE_RANK + (topic === "actions" ? place : 1 - place);
  return { rank, order: PROSE_ORDER + place, write: () => text };
}

function textOf(prose: Items): string {
  return [...prose.values()].flat().join("\n");
}

/** Whether the names of a text stand in what was said; one without names is taken for told. */
function isToldIn(said: string, text: string): boolean {
  const { ids } = mentionsIn(text);
  return ids.length === 0 || ids.some((id) => said.includes(id));
}
