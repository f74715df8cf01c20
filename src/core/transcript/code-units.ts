/**
 * The code units of a text, for loops that read every one. The engine stores strings in a dozen ways (flat, joined, cut,
 * wide, shared); where a loop meets more than four of them, it looks up `text.charCodeAt` anew for every character, which
 * takes as long as all the rest. Called like this, the method is known once and for all.
 */
const { charCodeAt } = String.prototype;

export function codeAt(text: string, at: number): number {
  return charCodeAt.call(text, at);
}
