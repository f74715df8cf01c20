/** What a call of the recall tool is answered: an original by its id, lines of it, or where words stand in all that left. */
import { around, linesIn, placesIn, wordsIn } from "../../core/recall/places.ts";
import { redact, type RedactOptions } from "../../core/redaction/redact.ts";
import { estimateText } from "../../core/transcript/estimate.ts";
import { isFields, parsed, textOf } from "../../protocols/fields.ts";
import { spanText } from "../../session/span-text.ts";
import type { Original, Store } from "../../store/store.ts";
import type { RecallLimits } from "./limits.ts";

export interface Shelf {
  readonly store: Pick<Store, "getOriginal">;
  readonly tenant: string;
  readonly secrets: RedactOptions;
  readonly limits: Pick<RecallLimits, "argumentsChars" | "originalChars" | "searchedOriginals">;
  /** Ids that stand in the request: what left this conversation. */
  readonly ids: readonly string[];
}

export interface Recalled {
  readonly text: string;
  readonly found: boolean;
}

/** What an id looks like wherever it stands. */
const RECALL_IDS = /\br[0-9a-f]{9}\b/g;
const WANTED = /^(r[0-9a-f]{9})(?::(\d{1,9}))?(?:\s+([^]+))?$/;

/** A longer line is read in pieces, each a line of its own. */
const LINE_CHARS_MAX = 1_000;
/** Of a search, this many places are shown. */
const PLACES_MAX = 12;

/** `tokensMax`: by our estimate. @throws PrecisError of the store. */
export async function answerCall(shelf: Shelf, given: string, tokensMax: number): Promise<Recalled> {
  if (given.length > shelf.limits.argumentsChars) return nothing("That is too long: give an id, or a few words.");
  const wanted = wantedIn(given);
  if (wanted === "") return nothing("Nothing was asked for: give an id such as r1a2b3c4d5, or words.");
  const [, id, line, words] = WANTED.exec(wanted) ?? [];
  if (id === undefined) return search(shelf, wanted, tokensMax);
  const original = await shelf.store.getOriginal(shelf.tenant, id);
  if (original === undefined) return nothing(`There is nothing under ${id}. Words can be searched for instead.`);
  const lines = linesOf(original, shelf);
  if (words !== undefined) return linesWith({ original, lines }, words, tokensMax);
  return linesFrom({ original, lines }, Math.max(1, Number(line ?? 1)), tokensMax);
}

function nothing(text: string): Recalled {
  return { text, found: false };
}

/** Models that were given no schema name the argument as they like. */
function wantedIn(given: string): string {
  const value = parsed(given);
  if (!isFields(value)) return textOf(value)?.trim() ?? "";
  const said =
    textOf(value["wanted"]) ??
    Object.values(value)
      .filter((one) => typeof one === "string")
      .join(" ");
  return said.trim();
}

interface Opened {
  readonly original: Original;
  readonly lines: readonly string[];
}

function linesOf(original: Original, { secrets, limits }: Shelf): readonly string[] {
  const text = original.kind === "span" ? spanText(original.text) : original.text;
  // Secrets are looked for in the whole, because a line of one does not look like it.
  const safe = redact(text.slice(0, limits.originalChars), secrets).text;
  return linesIn(safe, LINE_CHARS_MAX);
}

function linesFrom({ original: { id, label }, lines }: Opened, from: number, tokensMax: number): Recalled {
  if (from > lines.length) return nothing(`${id} has ${lines.length} lines.`);
  const shown = fitting(lines.slice(from - 1), tokensMax);
  const to = from + shown.length - 1;
  const more = to < lines.length ? `\n(${lines.length - to} more lines: ${id}:${to + 1})` : "";
  const place = shown.length === lines.length ? "" : `, lines ${from} to ${to} of ${lines.length}`;
  return { text: `${id} (${label})${place}:\n${shown.join("\n")}${more}`, found: true };
}

/** The first lines that fit; at least one, as much of it as does. */
function fitting(lines: readonly string[], tokensMax: number): readonly string[] {
  const shown: string[] = [];
  let tokens = 0;
  for (const line of lines) {
    tokens += estimateText(line) + 1;
    if (tokens > tokensMax) return shown.length === 0 ? [line.slice(0, tokensMax)] : shown;
    shown.push(line);
  }
  return shown;
}

function linesWith(opened: Opened, words: string, tokensMax: number): Recalled {
  const { id, label } = opened.original;
  const found = placesIn(opened.lines, wordsIn(words)).slice(0, PLACES_MAX);
  if (found.length === 0) return nothing(`No line of ${id} (${opened.lines.length} lines) holds "${words}".`);
  const shown = fitting(
    found.map((at) => around(opened.lines, at)),
    tokensMax,
  );
  return { text: `${id} (${label}), around "${words}":\n${shown.join("\n⋯\n")}`, found: true };
}

async function search(shelf: Shelf, wanted: string, tokensMax: number): Promise<Recalled> {
  const words = wordsIn(wanted);
  const places: string[] = [];
  const seen = new Set<string>();
  let readChars = 0;
  for (const id of shelf.ids.slice(0, shelf.limits.searchedOriginals)) {
    const original = await shelf.store.getOriginal(shelf.tenant, id);
    if (original === undefined || readChars > shelf.limits.originalChars) continue;
    readChars += original.text.length;
    const lines = linesOf(original, shelf);
    for (const at of placesIn(lines, words)) {
      // A piece is found again in the span it is a part of.
      if (seen.has(lines[at]!) || places.length >= PLACES_MAX) continue;
      seen.add(lines[at]!);
      places.push(`${id}:${at + 1} (${original.label})\n${around(lines, at)}`);
    }
    if (places.length >= PLACES_MAX) break;
  }
  if (places.length === 0) return nothing(`Nothing that left this conversation holds "${wanted}".`);
  return { text: fitting(places, tokensMax).join("\n⋯\n"), found: true };
}

/** Ids in a text, each once, in order. */
export function idsIn(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(RECALL_IDS), ([id]) => id))];
}
