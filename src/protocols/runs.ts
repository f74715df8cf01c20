/** Splits a transcript into runs: stretches that are written together because they came from the same bytes, or must share a message. */
import type { Message, WireSlice } from "../core/transcript/message.ts";
import { sameParts } from "./content.ts";
import type { Dialect, Entry, Run } from "./dialect.ts";

/** The bytes a message has in this protocol's list; a system prompt from a request's own member has none there. */
export function listSlice(dialect: Dialect, message: Message): WireSlice | undefined {
  const slice = message.wire?.protocol === dialect.name ? message.wire : undefined;
  if (slice === undefined || slice.raw.startsWith("{")) return slice;
  return message.role !== "system" && slice.raw.startsWith('"') ? slice : undefined;
}

/** The bytes a system message has in the request's own member. */
export function keySlice(dialect: Dialect, message: Message): WireSlice | undefined {
  const slice = message.wire?.protocol === dialect.name ? message.wire : undefined;
  return slice !== undefined && message.role === "system" && !slice.raw.startsWith("{") ? slice : undefined;
}

export function runsOf(dialect: Dialect, messages: readonly Message[]): Run[] {
  const runs: { slice: WireSlice | undefined; entries: Entry[]; next: number }[] = [];
  for (const message of messages) {
    const slice = listSlice(dialect, message);
    const run = runs.at(-1);
    const follows = slice !== undefined && run?.slice === slice ? memberIndex(slice, message, run.next) : -1;
    if (follows >= 0 && run !== undefined) {
      run.entries.push({ message, member: slice!.members[follows] });
      run.next = follows + 1;
      continue;
    }
    const found = slice === undefined ? -1 : memberIndex(slice, message, 0);
    const own = found >= 0 ? slice : undefined;
    const entry = { message, member: own?.members[found] };
    if (
      run !== undefined &&
      (run.slice === undefined || own === undefined) &&
      dialect.attaches(run, message, own !== undefined)
    ) {
      run.entries.push(entry);
      if (own !== undefined) Object.assign(run, { slice: own, next: found + 1 });
    } else runs.push({ slice: own, entries: [entry], next: found + 1 });
  }
  return runs;
}

/** Which member of its slice a message is, or was before an edit; -1 when none from `from` on matches. */
function memberIndex({ members }: WireSlice, message: Message, from: number): number {
  for (let at = from; at < members.length; at++) if (members[at] === message) return at;
  for (let at = from; at < members.length; at++) if (isSame(message, members[at]!)) return at;
  for (let at = from; at < members.length; at++) if (isEditOf(message, members[at]!)) return at;
  return -1;
}

/** Whether the wire would say the same: a copy that carries only another origin does. */
export function isSame(message: Message, member: Message): boolean {
  return (
    message === member ||
    (message.role === member.role && message.name === member.name && sameParts(member.parts, message.parts))
  );
}

function isEditOf(message: Message, member: Message): boolean {
  if (message.role !== member.role) return false;
  if (message.role !== "tool") return true;
  const [now, then] = [message.parts[0], member.parts[0]];
  return now?.kind === "tool-result" && then?.kind === "tool-result" && now.callId === then.callId;
}

/** Whether a run is all of its slice, as it was decoded. */
export function isWhole({ slice, entries }: Run): boolean {
  if (slice === undefined || entries.length !== slice.members.length) return false;
  return entries.every(({ message, member }, at) => member === slice.members[at] && isSame(message, member!));
}
