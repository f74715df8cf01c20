/**
 * Messages that came back from JSON. Protocols know what nobody changed by its being the very same object; what was one
 * object before, be it the bytes that several messages share or a part that an edit left alone, is one object again.
 */
import type { ContentPart, Message, Part, WireSlice } from "../transcript/message.ts";

/**
 * The messages themselves unless they came from JSON: what this process read is frozen. `next` is the message that
 * follows them, which may share the bytes of the last.
 */
export function rejoined(messages: readonly Message[], next?: Message): readonly Message[] {
  if (messages.every(({ wire }) => wire === undefined || Object.isFrozen(wire))) return messages;
  const shared = new Map<string, WireSlice>();
  if (next?.wire !== undefined && next.wire.members.length > 1) shared.set(keyOf(next.wire), next.wire);
  return messages.map((message) => {
    if (message.wire === undefined || Object.isFrozen(message.wire)) return message;
    const wire = sealed(message.wire, shared);
    const former = wire.members.flatMap(({ parts }) => parts);
    return Object.freeze({ ...message, parts: Object.freeze(formerOrOwn(message.parts, former)), wire });
  });
}

/** One object for the messages of one wire message; a message alone in its own keeps one of its own. */
function sealed(wire: WireSlice, shared: Map<string, WireSlice>): WireSlice {
  const key = keyOf(wire);
  const known = shared.get(key);
  if (known !== undefined) return known;
  const members = wire.members.map(({ parts, ...member }) =>
    Object.freeze({ ...member, parts: Object.freeze(parts.map(frozen)) }),
  );
  const slice = Object.freeze({ ...wire, members: Object.freeze(members) });
  if (members.length > 1) shared.set(key, slice);
  return slice;
}

function keyOf({ protocol, raw }: WireSlice): string {
  return `${protocol}\n${raw}`;
}

function frozen<One extends Part>(part: One): One {
  if (part.kind === "tool-result") Object.freeze(part.content).forEach(frozen);
  if (part.kind === "image" || part.kind === "file") Object.freeze(part.source);
  return Object.freeze(part);
}

/** Each part as the object it was decoded as, where it says the same; each of those is taken once. */
function formerOrOwn<One extends Part>(parts: readonly One[], former: readonly Part[]): readonly One[] {
  const left = new Map(former.map((part) => [part, JSON.stringify(part)]));
  return parts.map((part) => {
    const text = JSON.stringify(part);
    for (const [was, itsText] of left) {
      if (itsText !== text) continue;
      left.delete(was);
      return was as One;
    }
    const was =
      part.kind === "tool-result" ? former.find(({ kind, at }) => kind === part.kind && at === part.at) : undefined;
    if (part.kind !== "tool-result" || was?.kind !== "tool-result") return frozen(part);
    return frozen({ ...part, content: formerOrOwn<ContentPart>(part.content, was.content) });
  });
}
