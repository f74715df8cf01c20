/** From what a compaction removed to what a recall id leads to: originals for the store. */
import type { Compaction, Evicted } from "../core/compaction/compaction.ts";
import type { Message, Transcript } from "../core/transcript/message.ts";
import type { Original } from "../store/store.ts";

/** Every removed piece with its original bytes; a span's are put together when somebody reads them. */
export function originalsOf(compaction: Compaction, transcript: Transcript): readonly Original[] {
  return compaction.evicted.map((one) => ({
    id: one.id,
    kind: one.kind,
    label: one.label,
    get text() {
      return textOf(one, transcript.messages);
    },
  }));
}

function textOf(evicted: Evicted, messages: readonly Message[]): string {
  if (evicted.kind !== "span") return evicted.original ?? "";
  return spanLines(messages.slice(evicted.message, evicted.end)).join("\n");
}

/** A wire message each, in its own bytes where it came from a body. */
function spanLines(messages: readonly Message[]): string[] {
  const lines: string[] = [];
  let last: string | undefined;
  /** Messages that came in the last line; those of another one may say the same. */
  let members = 0;
  for (const { role, parts, wire } of messages) {
    const isNext = wire === undefined || wire.raw !== last || members === wire.members.length;
    members = isNext ? 1 : members + 1;
    if (isNext) lines.push(wire?.raw ?? JSON.stringify({ role, parts }));
    last = wire?.raw;
  }
  return lines;
}
