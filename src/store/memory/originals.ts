/** Originals behind recall ids, and searching them and the messages. */
import { piecesOf, searchableText } from "../body.ts";
import type { MessageHit, Original, SearchHit } from "../store.ts";
import { isHit, lineOfHit, parseQuery } from "../words.ts";
import type { Shelf } from "./shelf.ts";

/** Kept as it came: a session puts the text of a span together when somebody reads it. */
export function putOriginal({ originals }: Shelf, original: Original, now: number): void {
  const { id } = original;
  const known = originals.get(id);
  // Of a new id no text is asked for: a span's is as long as the conversation.
  if (known !== undefined && known.original.text === original.text) return;
  // A text that took another's id is the newest now.
  originals.delete(id);
  originals.set(id, { original, createdAt: now });
}

export function searchOriginals({ originals }: Shelf, text: string, limit: number): readonly SearchHit[] {
  const query = parseQuery(text);
  const hits: SearchHit[] = [];
  if (query === undefined) return hits;
  for (const { original } of [...originals.values()].toReversed()) {
    if (hits.length >= limit) break;
    const hit = piecesOf(original)
      .map(searchableText)
      .find((piece) => isHit(piece, query));
    if (hit !== undefined) hits.push({ id: original.id, label: original.label, line: lineOfHit(hit, query) });
  }
  return hits;
}

export function searchMessages({ links }: Shelf, text: string, limit: number): readonly MessageHit[] {
  const query = parseQuery(text);
  const hits: MessageHit[] = [];
  if (query === undefined) return hits;
  for (const { link, role, session, position, body, member } of [...links.values()].toReversed()) {
    if (hits.length >= limit) break;
    if (member > 0) continue;
    const piece = searchableText(body);
    if (isHit(piece, query)) hits.push({ link, role, session: session.id, position, line: lineOfHit(piece, query) });
  }
  return hits;
}
