/**
 * The bytes of a text, as long as it is ASCII: copied in one go, and read half again as fast as a string is, which asks
 * at every place how it is stored. Most of what agents send is ASCII.
 */

const encoder = new TextEncoder();

/** Shorter texts are read as they are before they could be copied. */
export const ASCII_CHARS_MIN = 64;

/** Writes a text into `bytes`, which is no shorter; false where it is not ASCII alone, and what was written means nothing. */
export function asciiInto(text: string, bytes: Uint8Array<ArrayBuffer>): boolean {
  const { read, written } = encoder.encodeInto(text, bytes);
  // Nothing else takes a byte a unit.
  return read === text.length && written === text.length;
}
