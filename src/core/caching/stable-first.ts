/**
 * A system prompt in the order that a cache likes: what stays the same longest is first, so that a change of what
 * is last leaves the beginning cached (Dual Compression chapter, 16.5.3).
 */

/** How long a piece stays as it is: over all sessions, for one session, for one task. */
export type Stability = "always" | "session" | "task";

export interface PromptPiece {
  readonly text: string;
  readonly lasts: Stability;
}

const ORDER: Readonly<Record<Stability, number>> = { always: 0, session: 1, task: 2 };

/** The pieces as one text, a blank line between two; those that last equally long keep their order. */
export function stableFirst(pieces: readonly PromptPiece[]): string {
  return pieces
    .filter(({ text }) => text.trim() !== "")
    .toSorted((a, b) => ORDER[a.lasts] - ORDER[b.lasts])
    .map(({ text }) => text)
    .join("\n\n");
}
