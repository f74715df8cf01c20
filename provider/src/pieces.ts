/** A text as it comes in a stream: in pieces of a few characters, none of them half a character. */
import { estimateText } from "../../src/core/transcript/estimate.ts";

export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** About four tokens, as providers send them. */
const PIECE_CHARS = 16;

export function* piecesOf(text: string): Generator<Piece> {
  for (let from = 0; from < text.length;) {
    let end = Math.min(text.length, from + PIECE_CHARS);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    const piece = text.slice(from, end);
    yield { text: piece, tokens: estimateText(piece) };
    from = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
