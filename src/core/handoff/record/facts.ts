/** What a result shows, value by value: where not all has room, whole values are left out and none is cut to its name. */
import { clipped } from "../items.ts";
import type { CallOutcome } from "./outcomes.ts";

/** The values that stand at one place of a result. */
export interface Fact {
  readonly place: string;
  /** Each as it is now, with what it was before where that is another. */
  readonly values: readonly FactValue[];
  /** What separates them. */
  readonly separator: " | " | " ";
}

export interface FactValue {
  readonly now: string;
  readonly was?: string;
}

export function factsText(facts: readonly Fact[]): string {
  return facts.map((fact) => factText(fact, whole)).join(", ");
}

function factText({ place, values, separator }: Fact, said: (value: FactValue) => string): string {
  return `${place}: ${values.map(said).join(separator)}`;
}

function whole({ now, was }: FactValue): string {
  return was === undefined ? now : `${was} → ${now}`;
}

function withoutFormer({ now }: FactValue): string {
  return now;
}

export function factsBody(facts: readonly Fact[], redact: (text: string) => string): CallOutcome {
  const all = redact(factsText(facts));
  let known: readonly FactForms[] | undefined;
  const forms = (): readonly FactForms[] => (known ??= facts.map((fact) => formsOf(fact, redact)));
  return {
    chars: all.length,
    charsMin: () => forms()[0]!.charsMin + LEFT_OUT.length,
    within: (charsMax) => (all.length <= charsMax ? all : someWithin(forms(), charsMax - LEFT_OUT.length)),
  };
}

const LEFT_OUT = ", …";

interface FactForms {
  /** The longest first. */
  readonly texts: readonly string[];
  /** A sentence may be cut, but not to less than `charsMin`. */
  readonly isSentence: boolean;
  readonly charsMin: number;
}

/**
 * A fact with what was before, without it, and with its first values only. What was before is never left alone: it would
 * say the opposite.
 */
function formsOf(fact: Fact, redact: (text: string) => string): FactForms {
  const { place, values, separator } = fact;
  const texts = [factText(fact, whole), factText(fact, withoutFormer)];
  // The parts of one entry mean nothing by themselves.
  if (separator === " | ")
    for (let count = Math.min(values.length - 1, FIRST_VALUES_MAX); count > 0; count--)
      texts.push(`${factText({ ...fact, values: values.slice(0, count) }, whole)} | …`);
  const isSentence = values.length === 1 && PROSE.test(values[0]!.now);
  const redacted = texts.map(redact);
  const shortest = redacted.at(-1)!.length;
  const charsMin = isSentence ? Math.min(shortest, place.length + PROSE_CHARS_MIN) : shortest;
  return { texts: redacted, isSentence, charsMin };
}

function someWithin(facts: readonly FactForms[], charsMax: number): string {
  let text = "";
  for (const { texts, isSentence, charsMin } of facts) {
    const lead = text === "" ? "" : ", ";
    const room = charsMax - text.length - lead.length;
    const fitting = texts.find(({ length }) => length <= room);
    if (fitting !== undefined) text += `${lead}${fitting}`;
    else if (isSentence && room >= charsMin) text += `${lead}${clipped(texts[1]!, room)}`;
  }
  return text === "" || CUT.test(text) ? text : `${text}${LEFT_OUT}`;
}

const CUT = /…\]?$/;
const FIRST_VALUES_MAX = 6;
const PROSE_CHARS_MIN = 30;
const PROSE = /^(?:\S{1,40}\s){3}\S/;
