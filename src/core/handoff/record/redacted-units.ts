/** What messages say, redacted and taken apart when it is first described: the same in one handoff after another. */
import { withoutProgramWarnings } from "../../digest/program-warning.ts";
import type { Message } from "../../transcript/message.ts";
import { remembered } from "../../transcript/remembered.ts";
import { unitsOf, type Unit } from "./units.ts";
import type { LinesContext } from "./context.ts";
import type { EpisodeEntry } from "./episodes.ts";
import { splitPasted } from "./pasted.ts";

export interface RedactedUnits {
  readonly text: string;
  readonly units: readonly Unit[];
  /** Of what a person pasted. */
  readonly pasted: readonly Unit[];
}

/** About what may be kept of the words of sessions, taken apart. */
const READ_BYTES_MAX = 8_000_000;
/** A character with its part of units, words and scores. */
const CHAR_BYTES = 12;

type Redact = LinesContext["redact"];
type UnitsByMessage = (message: Message, make: () => RedactedUnits) => RedactedUnits;

/** By redaction. */
const known = new WeakMap<Redact, UnitsByMessage>();

function unitsFor(redact: Redact): UnitsByMessage {
  let own = known.get(redact);
  if (own === undefined) {
    own = remembered({ bytesOf: (read) => read.text.length * CHAR_BYTES, bytesMax: READ_BYTES_MAX });
    known.set(redact, own);
  }
  return own;
}

/** What either side said in a message. */
export function spokenUnits(
  { kind, text, from }: Exclude<EpisodeEntry, { kind: "done" }>,
  redact: Redact,
): RedactedUnits {
  return unitsFor(redact)(from, () => {
    const safe = redact(text);
    const { words, pasted } =
      kind === "asked" ? splitPasted(safe) : { words: withoutProgramWarnings(safe), pasted: "" };
    return { text: safe, units: unitsOf(words), pasted: unitsOf(pasted) };
  });
}

/** More of a report is not read. */
const REPORT_CHARS_READ_MAX = 4_000;

/** What somebody reported to whom work was delegated. */
export function reportUnits(
  { result, answer }: Pick<Extract<EpisodeEntry, { kind: "done" }>, "result" | "answer">,
  redact: Redact,
): readonly Unit[] {
  const make = (): RedactedUnits => {
    const text = redact(result.slice(0, REPORT_CHARS_READ_MAX));
    return { text, units: unitsOf(text), pasted: [] };
  };
  return (answer === undefined ? make() : unitsFor(redact)(answer, make)).units;
}
