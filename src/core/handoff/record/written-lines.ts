/** The lines of an episode, each at some length; edits that have no room for what they wrote are gathered in one. */
import { isEqual } from "./episode-lines.ts";
import type { RecordLine, TouchedFile } from "./context.ts";

export interface SharedLine {
  readonly line: RecordLine;
  /** Of the length that the most important line may have. */
  readonly share: number;
  /** Whether it is about the focus; set where there is none. */
  readonly about: boolean;
}

/** What lines come to at some length, and the label of each. */
export interface WrittenLines {
  readonly labels: readonly string[];
  readonly texts: readonly string[];
}

export function isSame(one: WrittenLines, other: WrittenLines): boolean {
  return isEqual(one.texts, other.texts) && isEqual(one.labels, other.labels);
}

export function labelled({ labels, texts }: WrittenLines): string {
  return texts.map((text, at) => labels[at]! + text).join("\n");
}

/** The lines of an episode; edits that have no room for what they wrote are gathered, as long as nothing else is described between them. */
export function writtenLines(lines: readonly SharedLine[], charsFor: (line: SharedLine) => number): WrittenLines {
  const [labels, texts]: [string[], string[]] = [[], []];
  const files: TouchedFile[] = [];
  let charsMax = 0;
  const flush = (): void => {
    const text = touchedText(files, charsMax * TOUCHED_FACTOR);
    if (text !== "") {
      labels.push("");
      texts.push(text);
    }
    files.length = 0;
    charsMax = 0;
  };
  for (const one of lines) {
    const { body, label, touched: edited } = one.line;
    const chars = charsFor(one);
    const text = body.within(chars);
    if (edited !== undefined && !text.includes("\n")) {
      files.push(...edited);
      charsMax = Math.max(charsMax, chars);
    } else if (text !== "") {
      flush();
      labels.push(label);
      texts.push(text);
    }
  }
  flush();
  return { labels, texts };
}

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
