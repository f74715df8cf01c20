/**
 * Secrets that a place in several lines names: a value in the lines below its name (YAML), every value of a Kubernetes Secret,
 * the private members of a JSON Web Key, and a column of a table (Markdown, CSV, TSV). Lines end with a line break, also as a string writes it.
 */
import { printedNumberChars } from "../digest/numbered-lines.ts";
import type { Letters } from "./letters.ts";
import { hiddenSpan, type Span } from "./mask.ts";
import { NAMES_NAMES, nameStrength, type NameStrength } from "./names.ts";
import { isMadeByMachine, isSecretValue } from "./values.ts";

interface Line {
  readonly start: number;
  readonly text: string;
}

const LINE_END = /\r?\n|(?:\\{1,4}r)?\\{1,4}n/g;
const BLOCK = /^(?<indent> {0,64}(?:- )?)\\{0,4}["']?(?<name>[\w.-]{2,64})\\{0,4}["']?: {1,4}[|>][+-]?\d?[+-]?\s{0,8}$/;
const KEY_VALUE =
  /^(?<indent> {1,64})\\{0,4}["']?[\w.-]{1,128}\\{0,4}["']?: {1,4}\\{0,4}["']?(?<value>[^\s"'\\|>][^\s"'\\]{3,8191})/d;
const BLOCK_LINES_MAX = 256;
/** A sign at the end of a line, behind what may be a name. */
const NAME_ABOVE =
  /[:=]\*{0,2} {0,8}\[?[ \t]{0,4}(?:\r?\n|\\{1,4}[nr])(?<=(?:pass\w{0,16}|pwd|pw|psk|secret|tokens?|keys?|creds?|credentials?|codes?)["'\\*]{0,8} ?[:=]\*{0,2} {0,8}\[?[ \t]{0,4}(?:\r?\n|\\{1,4}[nr]))/i;
const ABOVE = /(?<name>[\w.-]{2,64}(?: [\w-]{1,24}){0,2})[\\"'*]{0,8} ?[:=]\*{0,2}[ \t]{0,8}\[?[ \t]{0,8}$/;
const ABOVE_CHARS_MAX = 160;
/** Nothing but a sign and what may stand behind it. */
const SIGN_AT_END = /[:=][*[ \t]{0,12}$/;
const SIGN_CHARS_MAX = 13;
/** A value that is alone on its line, and one of a list. */
const ALONE = /^[ \t]{0,64}[\\"'`]{0,5}(?<value>[^\s"'`<>{}()[\]\\,;]{4,512}(?<![:=]))[\\"'`]{0,5}[,;]?[ \t]{0,8}$/d;
const ITEM =
  /^[ \t]{0,64}(?:[-*•] |\d{1,3}[.)] |(?=[\\"']))[\\"'`]{0,5}(?<value>[^\s"'`<>{}()[\]\\,;]{4,512}(?<!:))[\\"'`]{0,5},?[ \t]{0,8}$/d;
const OTHER_ITEM = /^[ \t]{0,64}(?:[-*•]|\d{1,3}[.)]) |^[ \t]{0,64}[\\"'].{0,512}[\\"'],?[ \t]{0,8}$/;
/** Between a name and its value: an empty line, the beginning of a block of code. */
const NOTHING = /^[ \t]{0,64}(?:`{3}\w{0,16})?[ \t]{0,8}$/;
const EMPTY_LINES_MAX = 2;

/** `code`: source is spared what a person chose. */
export function findInBlocks(text: string, code: boolean, { mayHave }: Letters): readonly Span[] {
  const hasBlock = /: {1,4}[|>][+-]?\d?\s{0,4}(?:\r?\n|\\)/.test(text);
  const hasSecret = mayHave("secret") && /kind\\{0,4}["']?: ?\\{0,4}["']?Secret\b/.test(text);
  const hasColumn = COLUMN_WORDS.some(mayHave) && COLUMN.test(text);
  const hasAbove = NAME_ABOVE.test(text);
  const hasKey = KEY_TYPE.test(text);
  if (!hasBlock && !hasSecret && !hasColumn && !hasAbove && !hasKey) return [];
  const lines = splitLines(text);
  const own = lines.map(withoutNumber);
  return [
    ...(hasBlock ? blockValues(own) : []),
    ...(hasAbove ? valuesBelow(own, code) : []),
    ...(hasSecret ? [...secretValues(own), ...secretObjects(text)] : []),
    ...(hasColumn ? columnValues(lines) : []),
    ...(hasKey ? webKeys(text) : []),
  ];
}

/** Of a string of JSON the first line begins behind its quote, and the last one ends before it. */
function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  let inString = false;
  const add = (end: number, isEscaped: boolean): void => {
    const line = text.slice(start, end);
    const quotes = inString === isEscaped ? [] : Array.from(line.matchAll(QUOTE), ({ index }) => index);
    const from = isEscaped && !inString ? (quotes.at(-1) ?? -1) + 1 : 0;
    const to = inString && !isEscaped ? quotes[0] : undefined;
    lines.push({ start: start + from, text: line.slice(from, to) });
    inString = isEscaped;
  };
  for (const { 0: end, index } of text.matchAll(LINE_END)) {
    add(index, end.startsWith("\\"));
    start = index + end.length;
  }
  add(text.length, false);
  return lines;
}

const QUOTE = /(?<!\\)"/g;

/** Of a table the number may be a column, so its rows keep it. */
function withoutNumber({ start, text }: Line): Line {
  const chars = printedNumberChars(text);
  return { start: start + chars, text: text.slice(chars) };
}

function measureIndent(text: string): number {
  return text.length - text.trimStart().length;
}

/** `password: |` and then its lines, further in. */
function blockValues(lines: readonly Line[]): readonly Span[] {
  const spans: Span[] = [];
  for (const [at, line] of lines.entries()) {
    const { indent = "", name = "" } = BLOCK.exec(line.text)?.groups ?? {};
    if (name === "" || nameStrength(name) === undefined) continue;
    for (const { start, text } of lines.slice(at + 1, at + 1 + BLOCK_LINES_MAX)) {
      const value = text.trim().replace(/["'\\,}\]]{1,16}$/, "");
      if (text.trim() !== "" && measureIndent(text) <= indent.replace("- ", "").length) break;
      if (value.length > 3 && !value.includes("{{")) spans.push(spanIn(start + measureIndent(text), value));
    }
  }
  return spans;
}

/** `Password:` and its value on the next line, `passwords:` and a list. */
function valuesBelow(lines: readonly Line[], code: boolean): readonly Span[] {
  const spans: Span[] = [];
  const names = lines.map(nameAtEnd);
  const add = ({ start }: Line, found: RegExpExecArray, strength: NameStrength): void => {
    const [from] = found.indices!.groups!["value"]!;
    const value = found.groups!["value"]!;
    if (isSecretValue(value, strength, "bare") && !(code && !isMadeByMachine(value)))
      spans.push(spanIn(start + from, value));
  };
  for (const [at, above] of names.entries()) {
    if (above === undefined) continue;
    const strength = nameStrength(above)!;
    let next = at + 1;
    while (next - at <= EMPTY_LINES_MAX && NOTHING.test(lines[next]?.text ?? "-")) next++;
    const first = lines[next];
    const alone =
      first === undefined || names[next] !== undefined || ITEM.test(first.text) ? null : ALONE.exec(first.text);
    if (first !== undefined && alone !== null) add(first, alone, strength);
    if (alone !== null || NAMES_NAMES.test(above)) continue;
    for (let item = next; item < next + BLOCK_LINES_MAX && item < lines.length && names[item] === undefined; item++) {
      const found = ITEM.exec(lines[item]!.text);
      if (found !== null) add(lines[item]!, found, strength);
      else if (!OTHER_ITEM.test(lines[item]!.text)) break;
    }
  }
  return spans;
}

/** The name that the last sign of a line stands behind, where nothing follows it. */
function nameAtEnd({ text }: Line): string | undefined {
  if (!SIGN_AT_END.test(text.slice(-SIGN_CHARS_MAX))) return undefined;
  const name = ABOVE.exec(text.slice(-ABOVE_CHARS_MAX))?.groups!["name"]!.replaceAll(" ", "_");
  return name !== undefined && nameStrength(name) !== undefined ? name : undefined;
}

function spanIn(start: number, value: string): Span {
  return hiddenSpan(start, start + value.length, "assigned secret");
}

/** Under `data` and `stringData` of a document of the kind Secret, whatever a value is called. */
function secretValues(lines: readonly Line[]): readonly Span[] {
  const spans: Span[] = [];
  let [found, isSecret]: [Span[], boolean] = [[], false];
  let depth = -1;
  const end = (): void => {
    if (isSecret) for (const span of found) spans.push(span);
    [found, isSecret, depth] = [[], false, -1];
  };
  for (const { start, text } of lines) {
    if (/^["']?---/.test(text)) end();
    if (/^\s{0,16}(?:- )?kind: ?["']?Secret\b/.test(text)) isSecret = true;
    const section = /^(\s{0,64})(?:data|stringData):\s{0,8}$/.exec(text);
    if (section !== null) depth = section[1]!.length;
    else if (depth >= 0 && text.trim() !== "") {
      const pair = KEY_VALUE.exec(text);
      if (measureIndent(text) <= depth) depth = -1;
      else if (pair !== null)
        found.push(
          hiddenSpan(
            start + pair.indices!.groups!["value"]![0],
            start + pair.indices!.groups!["value"]![1],
            "assigned secret",
          ),
        );
    }
  }
  end();
  return spans;
}

const DATA_OBJECT = /\\{0,4}"(?:data|stringData)\\{0,4}" ?: ?\{(?<pairs>[^{}]{0,8192})\}/dg;
const PAIR = /\\{0,4}" ?: ?\\{0,4}"(?<value>[^"\\]{4,8192})/dg;

/** The same as JSON. */
function secretObjects(text: string): readonly Span[] {
  return [...text.matchAll(DATA_OBJECT)].flatMap((found) => {
    const [from] = found.indices!.groups!["pairs"]!;
    return valuesOf(found.groups!["pairs"]!, PAIR, from);
  });
}

const KEY_OBJECT = /\{(?<pairs>[^{}]{0,16384})\}/dg;
const KEY_TYPE = /"kty\\{0,4}" {0,4}:/;
/** https://www.rfc-editor.org/rfc/rfc7518#section-6: the members of a key that are not public. */
const PRIVATE_MEMBER = /"(?:d|p|q|dp|dq|qi|k)\\{0,4}"\s{0,4}:\s{0,4}\\{0,4}"(?<value>[\w-]{4,8192})/dg;

/** Private members of JSON Web Keys. */
function webKeys(text: string): readonly Span[] {
  return [...text.matchAll(KEY_OBJECT)].flatMap(({ indices, groups }) => {
    const pairs = groups!["pairs"]!;
    const [from] = indices!.groups!["pairs"]!;
    return KEY_TYPE.test(pairs) ? valuesOf(pairs, PRIVATE_MEMBER, from) : [];
  });
}

function valuesOf(text: string, pattern: RegExp, from: number): readonly Span[] {
  return [...text.matchAll(pattern)].map(({ indices, groups }) =>
    spanIn(from + indices!.groups!["value"]![0], groups!["value"]!),
  );
}

/** A cell that is called so. Its name is looked for first, because names are rarer than cells. */
const COLUMN =
  /(?:pass|pwd|secret|token|key)\w{0,16}["']? {0,32}(?=[|│,;\t\r\n\\]|$)(?<=(?:^|[|│,;\t\n]|\\[tn]) {0,32}["']?\w{0,64}["']? {0,32})/i;
const COLUMN_WORDS = ["pass", "pwd", "secret", "token", "key"];
const CELLS_MAX = 64;
const CELL_NAME = /^["']?[\w .-]{1,40}["']?$/;
const ROWS_MAX = 10_000;
/** What a database's client draws under a header and at the end of a table. */
const TABLE_RULE = /^ {0,4}[-+─┬┼┴├┤┌┐└┘═╪╞╡]{3,4096} {0,4}$/;

/** The rows under a header that calls a column so. */
function columnValues(lines: readonly Line[]): readonly Span[] {
  const spans: Span[] = [];
  for (let at = 0; at < lines.length; at++) {
    const header = COLUMN.test(lines[at]!.text) ? parseHeader(lines[at]!) : undefined;
    if (header === undefined) continue;
    const last = Math.min(lines.length, at + 1 + ROWS_MAX);
    for (let row = at + 1; row < last; row++) {
      if (TABLE_RULE.test(lines[row]!.text)) continue;
      const cells = splitCells(lines[row]!, header.sign);
      if (cells.length !== header.strengths.length) break;
      at = row;
      for (const [index, { start, text }] of cells.entries()) {
        const strength = header.strengths[index];
        if (strength !== undefined && isSecretValue(text, strength, "shell") && !/\s|^:?-+:?$/.test(text))
          spans.push(spanIn(start, text));
      }
    }
  }
  return spans;
}

interface Header {
  readonly sign: string;
  readonly strengths: readonly (NameStrength | undefined)[];
}

function parseHeader(line: Line): Header | undefined {
  for (const sign of ["|", "│", "\t", "\\t", ",", ";"]) {
    if (!line.text.includes(sign)) continue;
    const cells = splitCells(line, sign);
    const names = /[|│]/.test(sign) ? cells.filter(({ text }) => text !== "") : cells;
    // A sign that only begins lines parts no columns: alternatives of a type.
    if (names.length < 2 && cells.at(-1)!.text !== "") continue;
    if (cells.length < 2 || cells.length > CELLS_MAX || !names.every(({ text }) => CELL_NAME.test(text))) continue;
    const strengths = cells.map(({ text }) => nameStrength(text.replaceAll(" ", "_").replace(/["']/g, "")));
    if (strengths.some((one) => one === "password" || one === "key")) return { sign, strengths };
  }
  return undefined;
}

/** Without the spaces and quotes around them. */
function splitCells({ start, text }: Line, sign: string): readonly Line[] {
  let from = start;
  return text.split(sign).map((cell) => {
    const bare = cell.trim().replace(/^\\{0,4}["']|\\{0,4}["']$/g, "");
    const at = from + Math.max(0, cell.indexOf(bare));
    from += cell.length + sign.length;
    return { start: at, text: bare };
  });
}
