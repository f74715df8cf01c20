/** Tokens of a text, estimated. */

export function estimateText(text: string): number {
  return Math.ceil(text.length / 4);
}
