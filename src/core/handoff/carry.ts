/** What an earlier handoff holds, as drafts of the next: merged by key, never summarised again; the oldest decays first. */
import type { Ledger } from "../ledger/ledger.ts";
import { LIVE_LEAD, REPLY_LEAD } from "./draft-dialogue.ts";
import type { Draft } from "./items.ts";
import type { ParsedHandoff } from "./parse.ts";
import type { Topic } from "./templates.ts";

/** Carried items stand before all new ones, and give way to them: constraints and the first request do not. */
const ORDER_BEFORE = -1_000_000;
const CARRIED_RANK: Readonly<Record<Topic, number>> = {
  task: 0.5,
  goal: 0.5,
  constraints: 1,
  actions: 0.5,
  state: 1,
  progress: 0,
  blocked: 0.5,
  decisions: 0.5,
  resolved: 0.2,
  pending: 0.8,
  files: 0.5,
  remaining: 1,
  context: 0.2,
  messages: 0.5,
  fixed: 0.2,
};
const FIRST_REQUEST_RANK = 20;

export function carriedDrafts(topic: Topic, previous: ParsedHandoff | undefined, ledger: Ledger): readonly Draft[] {
  const texts = (previous?.sections.get(topic) ?? []).filter((text) => stillHolds(topic, text, ledger));
  return texts.map((text, at) => {
    const first = topic === "goal" && at === 0 ? FIRST_REQUEST_RANK : 0;
    const place = { rank: CARRIED_RANK[topic] + at / texts.length / 2 + first, order: ORDER_BEFORE + at };
    return topic === "files" ? { ...place, ...fileAgain(text) } : { ...place, write: () => text };
  });
}

/** A file comes back as `group: path`. */
function fileAgain(text: string): Pick<Draft, "write" | "group"> {
  const colon = text.indexOf(": ");
  const path = text.slice(colon < 0 ? 0 : colon + 2);
  return { group: text.slice(0, Math.max(0, colon)), write: () => path };
}

function stillHolds(topic: Topic, text: string, ledger: Ledger): boolean {
  switch (topic) {
    case "task":
      return !text.startsWith(LIVE_LEAD) && !text.startsWith(REPLY_LEAD) && noTurnEnded(ledger);
    case "progress":
      return false;
    case "remaining":
      return ledger.plan === undefined;
    case "pending":
      return noTurnEnded(ledger);
    case "blocked":
      return !ledger.commands.some((command) => command.ok === true && text.includes(command.text));
    default:
      return true;
  }
}

/** A turn that ends settles whatever was asked before it. */
function noTurnEnded(ledger: Ledger): boolean {
  return ledger.requests.every(({ settled }) => settled === undefined);
}
