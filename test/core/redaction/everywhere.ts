/** Every planted secret in every place where it can be: what the tests hide and what docs/redaction.md counts. */
import { NAMED, PLACES, TOKENS } from "./planted.ts";

export interface Planted {
  readonly shape: string;
  readonly place: string;
  /** What must vanish; of a token, what follows its prefix. */
  readonly secret: string;
  readonly text: string;
}

/** A vendor's prefix may be seen. */
const PREFIX_CHARS = 6;

/** Where a whole passage may stand that gives its secret away. */
const PASSAGES: Readonly<Record<string, (text: string) => string>> = {
  alone: (text) => text,
  prose: (text) => `This is what I have so far:\n\n${text}\n\nTell me if something is missing.`,
  code: (text) => `/* as it was sent:\n${text}\n*/\nexport const RETRIES = 3;`,
  JSON: (text) => JSON.stringify({ id: 7, content: text, next: null }),
  log: (text) => JSON.stringify({ time: "2026-03-14T09:26:53Z", level: "info", msg: `read ${text.length}:\n${text}` }),
};

const inPlaces = (shape: string, token: string): readonly Planted[] =>
  Object.entries(PLACES).map(([place, write]) => ({
    shape,
    place,
    secret: token.slice(PREFIX_CHARS),
    text: write(token),
  }));

const inPassages = ([shape, secret, text]: (typeof NAMED)[number]): readonly Planted[] =>
  Object.entries(PASSAGES).map(([place, write]) => ({ shape, place, secret, text: write(text) }));

export const PLANTED: readonly Planted[] = [
  ...Object.entries(TOKENS).flatMap(([shape, token]) => inPlaces(shape, token)),
  ...NAMED.flatMap(inPassages),
];

/** Two hints of four characters may stay; a longer piece of a secret may not. */
const SURVIVING_CHARS_MAX = 5;

/** Pieces of a secret that a text still holds. */
export function survivors(secret: string, text: string, chars = SURVIVING_CHARS_MAX + 1): readonly string[] {
  const size = Math.min(secret.length, chars);
  const windows = Array.from({ length: secret.length - size + 1 }, (_, at) => secret.slice(at, at + size));
  return windows.filter((window) => text.includes(window));
}
