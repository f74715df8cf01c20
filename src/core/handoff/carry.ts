/** What an earlier handoff holds, as drafts of the next: merged by key, never summarised again; the oldest decays first. */
import type { Ledger } from "../ledger/ledger.ts";
import type { ItemDraft } from "./items.ts";
import type { ParsedHandoff } from "./parse.ts";
import { TOPICS } from "./topics/index.ts";
import type { Topic } from "./topics/topic.ts";

/** Carried items come before all new ones, and give way to them: constraints and the first request do not. */
const ORDER_BEFORE = -1_000_000;

export function carriedDrafts(topic: Topic, previous: ParsedHandoff | undefined, ledger: Ledger): readonly ItemDraft[] {
  const { rank, firstRank = 0, holds = always, again = unchangedDraft } = TOPICS[topic].carried;
  const texts = (previous?.sections.get(topic) ?? []).filter((text) => holds(text, ledger, 0));
  return texts.map((text, at) => ({
    rank: rank + at / texts.length / 2 + (at === 0 ? firstRank : 0),
    order: ORDER_BEFORE + at,
    ...again(text, ledger),
  }));
}

function always(): boolean {
  return true;
}

function unchangedDraft(text: string): Pick<ItemDraft, "write"> {
  return { write: () => text };
}
