/**
 * The code units of a text, for the loops over every text of a session. The engine stores strings in a dozen ways (flat,
 * joined, cut, wide, shared); where a loop has met more than four of them, it looks up `text.charCodeAt` anew for every
 * character, which takes as long as all the rest. Called like this, the method is known once and for all. It is slower where
 * a loop reads beyond the text, or meets few kinds of strings.
 */
const { charCodeAt } = String.prototype;

export function codeAt(text: string, at: number): number {
  return charCodeAt.call(text, at);
}
