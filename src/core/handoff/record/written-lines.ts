/** The lines of an episode, each at some length; edits that have no room for what they wrote are gathered in one. */
import type { Measure } from "../../transcript/measure.ts";
import type { Condensable } from "./condense.ts";
import type { RecordLine, TouchedFile } from "./context.ts";
import { isEqual } from "./episode-lines.ts";
import { charsAt, coarse, LAST_STEP } from "./steps.ts";

export interface SharedLine {
  readonly line: RecordLine;
  /** Of the length that the most important line may have: in steps, below 0 where it is less. */
  readonly share: number;
  /** Whether it is about the focus; set where there is none. */
  readonly about: boolean;
}

/** What lines come to at some length, and the tokens of each as it is written under its episode. */
export interface WrittenLines {
  readonly texts: readonly string[];
  readonly costs: readonly number[];
  readonly tokens: number;
}

/** The lines of an episode; edits that have no room for what they wrote are gathered, as long as nothing else is described between them. */
export function writtenLines(
  lines: readonly SharedLine[],
  stepFor: (line: SharedLine) => number,
  measure: Measure,
): WrittenLines {
  const texts: string[] = [];
  const costs: number[] = [];
  let tokens = 0;
  const add = (text: string, cost: number): void => {
    texts.push(text);
    costs.push(cost);
    tokens += cost;
  };
  const files: TouchedFile[] = [];
  let charsMax = 0;
  const flush = (): void => {
    const text = touchedText(files, charsMax * TOUCHED_FACTOR);
    if (text !== "") add(text, tokensOf(text, measure));
    files.length = 0;
    charsMax = 0;
  };
  for (const one of lines) {
    const step = coarse(stepFor(one));
    const written = writtenAt(one.line, step, measure);
    const { touched: edited } = one.line;
    if (edited !== undefined && !written.text.includes("\n")) {
      files.push(...edited);
      charsMax = Math.max(charsMax, charsAt(step));
    } else if (written.text !== "") {
      flush();
      add(written.text, written.tokens);
    }
  }
  flush();
  return { texts, costs, tokens };
}

interface WrittenLine {
  readonly step: number;
  /** With its label; empty where there is no room. */
  readonly text: string;
  readonly tokens: number;
}

interface LastWritten {
  readonly label: string;
  readonly measure: Measure;
  readonly lines: readonly WrittenLine[];
}

/** What a line came to at the last steps it got: mostly it gets one of them again, in the next try or in the next handoff. */
const lastWritten = new WeakMap<Condensable, LastWritten>();
const STEPS_KEPT_MAX = 12;
/** A longer one is written again. */
const KEPT_CHARS_MAX = 20_000;

function writtenAt({ body, label }: RecordLine, at: number, measure: Measure): WrittenLine {
  const step = charsAt(at) < body.chars ? at : LAST_STEP;
  const last = lastWritten.get(body);
  const kept = last?.label === label && last.measure === measure ? last.lines : [];
  for (const line of kept) if (line.step === step) return line;
  const bare = body.within(charsAt(step));
  const text = bare === "" ? "" : label + bare;
  // Mostly there was no sentence that fits into a little more.
  const same = kept.find((line) => line.text === text);
  const line = same === undefined ? { step, text, tokens: tokensOf(text, measure) } : { ...same, step };
  if (text.length <= KEPT_CHARS_MAX)
    lastWritten.set(body, { label, measure, lines: [line, ...kept.slice(0, STEPS_KEPT_MAX - 1)] });
  return line;
}

/** As it is written under its episode. */
function tokensOf(text: string, measure: Measure): number {
  return text === "" ? 0 : measure.text(`  ${text.replaceAll("\n", INDENTED)}\n`);
}

/** How a handoff writes the lines of an item after its first. */
const INDENTED = "\n  ";

/** The files of many edits take a few times the room that one edit has. */
const TOUCHED_FACTOR = 3;

/** `edited a.ts ×3 (portOf, Settings), b.ts`: without the names of what was defined where there is no room for them. */
function touchedText(files: readonly TouchedFile[], charsMax: number): string {
  const [first] = files;
  if (first === undefined) return "";
  let known = touched.get(first);
  if (known === undefined || !isEqual(known.files, files)) touched.set(first, (known = touchedNames([...files])));
  return known.whole.length <= charsMax ? known.whole : firstOf(known.names, charsMax);
}

interface TouchedNames {
  readonly files: readonly TouchedFile[];
  readonly whole: string;
  readonly names: readonly string[];
}

/** By the first of the files: mostly the same are gathered at the next length, and in the next handoff. */
const touched = new WeakMap<TouchedFile, TouchedNames>();

function touchedNames(files: readonly TouchedFile[]): TouchedNames {
  const byName = Map.groupBy(files, ({ name }) => name);
  const names = Array.from(byName, ([name, own]) => (own.length > 1 ? `${name} ×${own.length}` : name));
  const withDefined = Array.from(byName.values(), (own, at) => {
    const defined = [...new Set(own.flatMap((one) => one.defined()))].slice(0, DEFINED_MAX);
    return defined.length > 0 ? `${names[at]!} (${defined.join(", ")})` : names[at]!;
  });
  return { files, whole: `· edited ${withDefined.join(", ")}`, names };
}

const DEFINED_MAX = 4;

/** As many names as there is room for, and how many more there are. */
function firstOf(names: readonly string[], charsMax: number): string {
  let text = "";
  for (const [at, name] of names.entries()) {
    const next = at === 0 ? `· edited ${name}` : `${text}, ${name}`;
    const more = at === names.length - 1 ? "" : `, … ${names.length - at - 1} more`;
    if (next.length + more.length > charsMax) return text === "" ? "" : `${text}, … ${names.length - at} more`;
    text = next;
  }
  return text;
}
