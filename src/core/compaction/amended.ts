/** A compaction with some messages of its result in another form. It grows to the last of them, in the client's own chain. */
import type { Estimator } from "../engines/contract.ts";
import { sharesWire, type Message, type Transcript } from "../transcript/message.ts";
import type { Compaction, Evicted } from "./compaction.ts";
import { reachTo } from "./reach.ts";

/** For an index of the rewritten conversation, the index of the message it was; undefined for what precis wrote. */
export function originsIn({ map, after, covered }: Compaction): (at: number) => number | undefined {
  const origins = new Map<number, number>();
  map.forEach((destination, index) => {
    if ("at" in destination) origins.set(destination.at, index);
  });
  return (at) => (at < after.length ? origins.get(at) : at - after.length + covered);
}

export interface Amendment {
  /** By index in the rewritten conversation. */
  readonly edits: ReadonlyMap<number, Message>;
  /** What the edits removed. */
  readonly evicted?: readonly Evicted[];
  readonly estimator: Estimator;
}

/** The compaction itself where nothing is edited. */
export function amended(compaction: Compaction, original: Transcript, amendment: Amendment): Compaction {
  const { edits, evicted = [], estimator } = amendment;
  if (edits.size === 0) return compaction;
  const originOf = originsIn(compaction);
  const rewritten = [...compaction.after, ...original.messages.slice(compaction.covered)];
  let length = compaction.after.length;
  for (const at of edits.keys()) length = Math.max(length, at + 1);
  // What came in one wire message is recorded together.
  while (length < rewritten.length && sharesWire(rewritten[length - 1], rewritten[length]!)) length++;
  const covered = compaction.covered + length - compaction.after.length;
  const reaching = reachTo(compaction, covered, original, estimator.chain);
  const after = reaching.after.map((message, at) => edits.get(at) ?? message);
  const edited = new Set(Array.from(edits.keys(), originOf));
  const map = reaching.map.map((to, at) =>
    "at" in to && edited.has(at) ? { kind: "edited" as const, at: to.at } : to,
  );
  const next = { ...reaching, after, map, evicted: [...compaction.evicted, ...evicted] };
  return { ...next, report: reportOf(compaction, next, { original, estimator }) };
}

function reportOf(
  compaction: Compaction,
  { after, map, covered, evicted }: Pick<Compaction, "after" | "map" | "covered" | "evicted">,
  { original, estimator: { measure } }: { readonly original: Transcript; readonly estimator: Estimator },
): Compaction["report"] {
  const { report } = compaction;
  const before = [...compaction.after, ...original.messages.slice(compaction.covered, covered)];
  const added = measure.messages(after) - measure.messages(before);
  const edited = map.filter(({ kind }) => kind === "edited").length;
  const gone = map.filter((to) => !("at" in to)).length;
  return {
    ...report,
    tokens: { ...report.tokens, after: report.tokens.after + added },
    messages: { ...report.messages, kept: original.messages.length - edited - gone, edited },
    parts: { ...report.parts, tail: report.parts.tail + added },
    recall: evicted === compaction.evicted ? report.recall : [...new Set(evicted.map(({ id }) => id))],
  };
}
