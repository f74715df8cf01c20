/** How far a compaction reaches: further than it has to, where what it leaves alone must be recorded with it. */
import type { Chain } from "../transcript/links.ts";
import type { Transcript } from "../transcript/message.ts";
import type { Compaction, Destination } from "./compaction.ts";

/** The same result, with the messages up to `covered` recorded as they are. Itself where it reaches that far. */
export function reachTo(compaction: Compaction, covered: number, original: Transcript, chain: Chain): Compaction {
  const end = Math.min(covered, original.messages.length);
  if (end <= compaction.covered) return compaction;
  const kept = original.messages.slice(compaction.covered, end);
  const places = kept.map((_, at): Destination => ({ kind: "kept", at: compaction.after.length + at }));
  return {
    ...compaction,
    after: [...compaction.after, ...kept],
    covered: end,
    covers: chain.linksOf(original.messages.slice(0, end)).at(-1)!,
    map: [...compaction.map, ...places],
  };
}
