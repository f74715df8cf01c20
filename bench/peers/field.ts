/** The compactors that `precis-eval bench` measures: precis, the newest messages, and every peer that could be loaded. */
import { charsOf, type BenchCompactor, type Field } from "../../eval/src/bench/compactors.ts";
import type { ChatMessage } from "../../eval/src/recall/future-use.ts";
import type { Contestant } from "./compaction/contestant.ts";
import { loadPeers } from "./compaction/contestants.ts";
import { precisContestant } from "./compaction/precis.ts";
import { validityOf } from "./compaction/validity.ts";
import { createConversation } from "./extract.ts";
import { installPeers } from "./install.ts";
import { installPythonPeers } from "./python/environment.ts";

const CHARS_PER_TOKEN = 4;
/** Of the budget, what a summary may take; the rest is for messages. */
const SUMMARY_SHARE = 0.25;
/** Of the budget, or of the messages: peers count what the bench does not, and leave out what it counts. */
const KNOB_SHARES = [1.2, 1.1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0];

export async function makeField(): Promise<Field> {
  installPeers();
  installPythonPeers();
  const { peers, absent } = await loadPeers();
  return {
    compactors: [turnedDown(precisContestant()), NEWEST, ...peers.map(turnedDown)],
    absent,
    isValid: (after, before) => validityOf(after, before).valid,
  };
}

const NEWEST: BenchCompactor = {
  name: "the newest messages",
  from: "a baseline",
  how: "as many as fit",
  compact: async (messages, charsMax) => {
    let from = messages.length - 1;
    while (from > 0 && charsOf(messages.slice(from - 1)) <= charsMax) from--;
    return messages.slice(from);
  },
};

/** Its knob is turned down until the result fits; what fitted last is tried first for the next of the same size. */
function turnedDown(contestant: Contestant): BenchCompactor {
  const { name, from, how, knob } = contestant;
  const fitted = new Map<string, number>();
  return {
    name,
    from,
    how,
    compact: async (messages, charsMax) => {
      const compacting = contestant.on(createConversation(messages));
      const native = contestant.read(messages);
      const room = charsMax / CHARS_PER_TOKEN;
      const most = knob === "messages" ? messages.length : room;
      const key = `${messages.length} ${Math.round(charsMax / 500)}`;
      let smallest: readonly ChatMessage[] | undefined;
      for (let at = Math.max(0, (fitted.get(key) ?? 0) - 1); at < KNOB_SHARES.length; at++) {
        const size = {
          keep: Math.max(1, Math.floor(most * KNOB_SHARES[at]!)),
          summaryTokens: Math.floor(room * SUMMARY_SHARE),
        };
        const made = compacting.write(await compacting.compact(native, size));
        fitted.set(key, at);
        if (charsOf(made) <= charsMax) return made;
        if (smallest === undefined || charsOf(made) < charsOf(smallest)) smallest = made;
      }
      return smallest!;
    },
  };
}
