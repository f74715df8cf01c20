/** Source code: signatures, exports and imports with their line numbers, those the task is about first. */
import { lineNumberOf, withoutLineNumber } from "../numbered-lines.ts";
import { judged, type Page } from "../page.ts";
import { informativeLines } from "../informative-lines.ts";
import { inOrder, plural, range, type DigestContent, type DigestContentRequest } from "../short.ts";

const MODIFIERS = String.raw`(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|pub(?:\([a-z]+\))?|unsafe|extern|inline|override|virtual|readonly|declare|const|sealed|partial|open|data|suspend) )*`;
const DECLARES = new RegExp(
  String.raw`^\s*${MODIFIERS}(?:function\*?|func|fn|fun|def|class|interface|struct|enum|trait|impl|type|module|namespace|object|protocol|extension|record|macro_rules!|CREATE|message|service|rpc)\b`,
);
/** Values and components at the top of a file. */
const TOP_VALUE = /^(?:export )?(?:default |declare )?(?:const|let|var|static|val)\b/;
/** Methods of classes in languages without a word for them; their line ends in a brace. */
const METHOD =
  /^(?: {2,8}|\t{1,2})(?:(?:public|private|protected|static|async|override|readonly|get|set|final|virtual|abstract) )*[\w<>[\],*&:#]+(?: [\w<>[\],*&:]+)?\(/;
const CONTROL =
  /^\s*(?:\} )?(?:if|for|while|switch|catch|return|else|do|try|with|match|select|defer|go|foreach|using|lock|describe|it|test|expect)\b/;
const IMPORT = /^\s*(?:import\b|from \S+ import|use [\w:]+|#include|require\b|(?:const|let|var) .* = require\()/;
const HEADER = /^\s*(?:package|module|namespace) [\w.:/]+;?\s*$/;
const EXPORTED = /^\s*(?:export\b|pub\b|public\b|func (?:\([^)]*\) )?[A-Z]|def [a-z]|class\b|type [A-Z])/;
/** A notice that a tool put above or below the file, for example how much of it is shown. */
const NOTICE = /^\(?\[?\.{0,3} ?\(?\d+ more lines|^\[File: |^\[\d+ more lines|^\(Open file|^The file \S+ has been/;
const TELLING_MAX = 20;
const HEAD_LINES = 20;
const NAMES_CHARS_MAX = 200;
const LINE_CHARS_SCANNED = 300;
/** Lines that may take the digest past its target. */
const FOCUS_MUST_MAX = 4;
const DEFINITIONS_MUST_MAX = 8;

export function shortSource(page: Page, { call, focus }: DigestContentRequest): DigestContent {
  const found = scan(page);
  const inFocus = new Set(focus);
  const rank = (line: number): number =>
    inFocus.has(line) ? 0 : EXPORTED.test(withoutLineNumber(judged(page, line))) ? 1 : 2;
  const definitions = found.definitions.toSorted((a, b) => rank(a) - rank(b) || a - b);
  const numbered = lineNumberOf(page.lines.find((line) => line.trim() !== "") ?? "") !== undefined;
  const firstLine = call.firstLine ?? 1;
  const must = [
    ...found.notices.slice(0, 2),
    ...found.headers.slice(0, 1),
    ...focus.slice(0, FOCUS_MUST_MAX),
    ...definitions.slice(0, DEFINITIONS_MUST_MAX),
  ];
  return {
    facts: [
      found.definitions.length === 0 ? "" : plural(found.definitions.length, "definition"),
      found.imports.length === 0 ? "" : plural(found.imports.length, "import"),
    ],
    notes: namesNote(page, definitions.slice(DEFINITIONS_MUST_MAX), firstLine),
    lines: inOrder(
      must,
      definitions,
      found.values.slice(0, 8),
      definitions.map((line) => line - 1).filter((line) => isComment(judged(page, line))),
      found.imports,
      focus,
      () => informativeLines(page, TELLING_MAX),
      definitions.length > 0 ? [] : range(0, HEAD_LINES),
    ),
    must: must.length,
    gaps: false,
    ...(numbered ? {} : { numberedFrom: firstLine }),
  };
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\/|#(?!!)|--|\*(?!\/)|\/\*\*? *\S|""")/.test(withoutLineNumber(line));
}

interface FoundDefinition {
  readonly definitions: number[];
  readonly imports: number[];
  readonly headers: number[];
  readonly values: number[];
  readonly notices: number[];
}

function scan(page: Page): FoundDefinition {
  const found: FoundDefinition = { definitions: [], imports: [], headers: [], values: [], notices: [] };
  page.lines.forEach((whole, number) => {
    const line = withoutLineNumber(whole.slice(0, LINE_CHARS_SCANNED));
    if (NOTICE.test(line)) found.notices.push(number);
    else if (HEADER.test(line)) found.headers.push(number);
    else if (IMPORT.test(line)) found.imports.push(number);
    else if (DECLARES.test(line) || isMethod(line)) found.definitions.push(number);
    else if (TOP_VALUE.test(line)) found.values.push(number);
  });
  return found;
}

function isMethod(line: string): boolean {
  return line.trimEnd().endsWith("{") && METHOD.test(line) && !CONTROL.test(line) && !line.includes("=>");
}

/** Definitions that are likely not to be shown, by name and line at least. */
function namesNote(page: Page, definitions: readonly number[], firstLine: number): readonly string[] {
  const names: string[] = [];
  let chars = 0;
  for (const line of definitions.toSorted((a, b) => a - b)) {
    const name = nameIn(withoutLineNumber(judged(page, line)));
    if (name === undefined) continue;
    chars += name.length;
    names.push(chars > NAMES_CHARS_MAX ? "…" : `${name}:${lineNumberOf(judged(page, line)) ?? firstLine + line}`);
    if (chars > NAMES_CHARS_MAX) break;
  }
  return names.length === 0 ? [] : [`(also defines ${names.join(", ")})`];
}

function nameIn(line: string): string | undefined {
  const named =
    /(?:function\*?|func|fn|fun|def|class|interface|struct|enum|trait|type|record|object) (?:\([^)]*\) ?)?([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(
      line,
    );
  return named?.[1] ?? /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]*)\s*\(/u.exec(line)?.[1];
}
