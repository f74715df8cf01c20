/**
 * Numbers for names: the same for the same name, in whatever text it stands. A conversation holds tens of thousands of
 * mentions and a few thousand names; this way a name becomes a string once, and is compared by its number from then on.
 */
import { ASCII_END } from "./characters.ts";

export interface NameTable {
  /** Each name, by its number. */
  readonly names: readonly string[];
  /** The number of the name that stands in a range of a text. `NO_NAME` where it is new and there is no more room for it. */
  readonly numberAt: (within: Lettered, start: number, end: number, room: boolean) => number;
  /** The number of a name that does not stand in one piece. */
  readonly numberOf: (name: string, room: boolean) => number;
}

/** A text, and its bytes (`bytesOf`). */
export interface Lettered {
  readonly text: string;
  readonly bytes: Uint8Array;
}

export const NO_NAME = -1;

const SLOTS_LEAST = 64;
/** Half of the slots stay empty, so that a search is short. */
const SLOTS_A_NAME = 2;
/** Slots looked at for one name. Where somebody made names to collide, the rest stand in a map: slower, but bounded. */
const PROBES_MAX = 16;
const EMPTY = -1;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export function createNameTable(): NameTable {
  const names: string[] = [];
  const hashes: number[] = [];
  let slots = new Int32Array(SLOTS_LEAST).fill(EMPTY);
  const crowded = new Map<string, number>();

  /** Puts a number in the first free slot from its hash's own on; false where there is none within reach. */
  const place = (number: number): boolean => {
    const mask = slots.length - 1;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const slot = (hashes[number]! + probe) & mask;
      if (slots[slot] !== EMPTY) continue;
      slots[slot] = number;
      return true;
    }
    return false;
  };
  const grow = (): void => {
    slots = new Int32Array(2 * slots.length).fill(EMPTY);
    for (let number = 0; number < names.length; number++) if (!place(number)) crowded.set(names[number]!, number);
  };
  const add = (name: string, hash: number): number => {
    const number = names.push(name) - 1;
    hashes.push(hash);
    if (names.length * SLOTS_A_NAME > slots.length) grow();
    else if (!place(number)) crowded.set(name, number);
    return number;
  };
  const numberAt: NameTable["numberAt"] = ({ text, bytes }, start, end, room) => {
    const hash = hashOf(bytes, start, end);
    const mask = slots.length - 1;
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const number = slots[(hash + probe) & mask]!;
      if (number === EMPTY) return room ? add(text.slice(start, end), hash) : NO_NAME;
      if (hashes[number] !== hash) continue;
      const name = names[number]!;
      if (name.length === end - start && text.startsWith(name, start)) return number;
    }
    const name = text.slice(start, end);
    return crowded.get(name) ?? (room ? add(name, hash) : NO_NAME);
  };
  return {
    names,
    numberAt,
    numberOf: (name, room) => {
      const bytes = Uint8Array.from({ length: name.length }, (_, at) => Math.min(name.charCodeAt(at), ASCII_END));
      return numberAt({ text: name, bytes }, 0, name.length, room);
    },
  };
}

/** FNV-1a, its high bits folded into the low ones. All that is not ASCII counts alike, in bytes as in code units: such names are rare. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_OFFSET;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ Math.min(bytes[at]!, ASCII_END), FNV_PRIME);
  return hash ^ (hash >>> 15);
}
