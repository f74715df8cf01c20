/** Originals behind recall ids, and searching them and the messages. */
import { piecesOf, searchableText } from "../body.ts";
import { oneEach, searchIn, type Archive, type WordSearch } from "../search.ts";
import type { MessageHit, Original, SearchHit } from "../store.ts";
import type { TenantData } from "./tenant-data.ts";

/** Kept as it came: a session puts the text of a span together when somebody reads it. */
export function putOriginal({ originals }: TenantData, original: Original, now: number): void {
  const { id } = original;
  const known = originals.get(id);
  // Of a new id no text is asked for: a span's is as long as the conversation.
  if (known !== undefined && known.original.text === original.text) return;
  // A text that took another's id is the newest now.
  originals.delete(id);
  originals.set(id, { original, createdAt: now });
}

export function searchOriginals({ originals }: TenantData, search: WordSearch): readonly SearchHit[] {
  const within = search.within === undefined ? undefined : new Set(search.within);
  const pieces = [...originals.values()]
    .toReversed()
    .filter(({ original }) => within?.has(original.id) !== false)
    .flatMap(({ original }) => piecesOf(original).map((piece) => ({ original, text: searchableText(piece) })));
  const hits = searchIn(search, archiveOf(pieces)).map(({ key: { original }, text }) => {
    const { id, label } = original;
    return { id, label, text };
  });
  return oneEach(hits).slice(0, search.limit);
}

export function searchMessages({ links }: TenantData, search: WordSearch): readonly MessageHit[] {
  const within = search.within === undefined ? undefined : new Set(search.within);
  const pieces = [...links.values()]
    .toReversed()
    .filter(({ link, member }) => member === 0 && within?.has(link) !== false)
    .map((stored) => ({ stored, text: searchableText(stored.body) }));
  const hits = searchIn(search, archiveOf(pieces)).slice(0, search.limit);
  return hits.map(({ key: { stored }, text }) => {
    const { link, role, protocol, session, position, body } = stored;
    const spoken = protocol === undefined ? {} : { protocol };
    return { link, role, ...spoken, session: session.id, position, body: body.text, text };
  });
}

function archiveOf<Piece extends { readonly text: string }>(pieces: readonly Piece[]): Archive<Piece> {
  return {
    find: function* ({ meets }) {
      for (const piece of pieces) if (meets(piece.text)) yield { key: piece, text: piece.text };
    },
    idOf: (piece) => piece,
  };
}
