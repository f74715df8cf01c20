/** The signs that a sample of lines gives of what a text is. */
import { isErrorLine } from "./error-line.ts";
import { withoutColour } from "./cut.ts";
import { withoutLineNumber } from "./numbered-lines.ts";
import { looksLikeTable } from "./kinds/table.ts";
import { failureIn, tallyIn } from "./test-reports.ts";

const HEAD_CHARS = 6_000;
const MIDDLE_CHARS = 2_000;
const TAIL_CHARS = 3_000;
const LINE_CHARS_MAX = 300;
const LINES_MAX = 120;

export interface Sample {
  readonly text: string;
  /** Lines that hold something, cut to a sane length, colours removed. */
  readonly lines: readonly string[];
  readonly first: string;
  readonly last: string;
}

export function sampleOf(text: string): Sample {
  const whole = text.length <= HEAD_CHARS + MIDDLE_CHARS + TAIL_CHARS;
  const middle = Math.floor(text.length / 2);
  const part = whole
    ? text
    : `${text.slice(0, HEAD_CHARS)}\n${text.slice(middle, middle + MIDDLE_CHARS)}\n${text.slice(-TAIL_CHARS)}`;
  const lines = part
    .split("\n")
    .map((line) => withoutColour(line.slice(0, LINE_CHARS_MAX)).trimEnd())
    .filter((line) => line !== "");
  const even = Math.max(1, Math.ceil(lines.length / LINES_MAX));
  return {
    text: part,
    lines: lines.filter((_, at) => at % even === 0),
    first: text.slice(0, HEAD_CHARS).trimStart().charAt(0),
    last: text.slice(-TAIL_CHARS).trimEnd().slice(-1),
  };
}

export type Signs = ReturnType<typeof signsOf>;

const BINARY_CHARS_LOOKED_AT = 3_000;
const BINARY_SHARE = 0.05;
const STAMPED =
  /^\W{0,3}(?:\d{4}[-/]\d\d[-/]\d\d[T ,]+\d\d:\d\d|[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d\d:\d\d:\d\d|\d{10,13}\b)|^\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|^\S{1,40} - - \[/;
const HIT = /^(?!\d{4}-\d\d-\d\d)(?:[^\s:]{1,200}[:-]\d{1,7}[:-]|\d{1,7}[:-])/;
const FRAME =
  /^\s+at .+[:(]|^\s*File ".+", line \d+|^\s+from .+:\d+:in |^\s*\d+: +0x|^\s+\S+\.go:\d+ \+0x|^#\d+ +0x|^\s+-> .+:\d+/;
const CODE =
  /[;{}]\s*$|^\s*(?:import|from|export|const|let|var|func|fn|def|class|return|if|for|package|use|pub|public|private|#include|@\w+|\/\/|\/\*|\*\s|else|elif|switch|case)\b|=>|:=|\)\s*:\s*$/;
const PATH =
  /^(?:[dlcbsp-][rwxsStT-]{9}|[\s│├└─|`]*(?:[├└]──|\|--|`--)|(?:\.{0,2}\/)?[\w@.~+-][\w@.~+()[\]-]*(?:\/[\w@.~+()[\] -]+)*\/?$)/;
const DIFF = /^diff --git |^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|^--- \S.*\n\+\+\+ \S/m;
const LINK = /\]\(https?:\/\/|https?:\/\/\S+/;

/** Each sign is looked for when it is asked after, which for most texts is a few of them. */
export function signsOf(sample: Sample) {
  const { lines, text } = sample;
  let bare: readonly string[] | undefined;
  const content = (): readonly string[] => (bare ??= lines.map(withoutLineNumber));
  const share = (pattern: RegExp, of = content()): number =>
    of.length === 0 ? 0 : of.filter((line) => pattern.test(line)).length / of.length;
  const json = looksLikeJson(sample);
  return {
    binary: looksBinary(text, lines),
    json,
    jsonLog: json && lines.length > 3 && share(/^\s*\{.*"(?:level|severity|lvl)"\s*:/) > 0.6,
    get diff() {
      return DIFF.test(text);
    },
    get testRun() {
      return lines.some(isTestLine);
    },
    get trace() {
      return /^Traceback \(most recent call last\)/m.test(text) || share(FRAME, lines) > 0.4;
    },
    get log() {
      return share(STAMPED) > 0.5;
    },
    get errors() {
      return lines.filter(isErrorLine).length > Math.max(1, lines.length * 0.15);
    },
    get hits() {
      return share(HIT, lines) > 0.6 && share(STAMPED, lines) < 0.5;
    },
    get table() {
      return looksLikeTable(content());
    },
    get source() {
      return share(CODE) > 0.35;
    },
    get numbered() {
      return share(/^\s*\d+[\t→|:]/, lines) > 0.6;
    },
    get paths() {
      return share(PATH) > 0.7;
    },
    get markup() {
      return /<(?:!doctype html|html|head|body|div|span)\b/i.test(text);
    },
    get links() {
      return share(LINK) > 0.15 || lines.slice(0, 5).some((line) => line.includes("](http"));
    },
  };
}

function isTestLine(line: string): boolean {
  if (/^\s*--- PASS|^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)|^PASS\b/.test(line) || tallyIn(line) !== undefined) return true;
  return failureIn(line)?.certainty === "reported";
}

function looksLikeJson({ first, last, lines }: Sample): boolean {
  if (!((first === "{" && last === "}") || (first === "[" && last === "]"))) return false;
  const opening = lines.slice(0, 3).join("\n");
  return /^\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:[[{"\d\]-]|true|false|null|$))/.test(opening);
}

/** Characters that text does not hold, or one endless run of base64. */
function looksBinary(text: string, lines: readonly string[]): boolean {
  const step = Math.ceil(text.length / BINARY_CHARS_LOOKED_AT);
  let odd = 0;
  for (let at = 0; at < text.length; at += step) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd || (code < 32 && code !== 9 && code !== 10 && code !== 13 && code !== 27)) odd++;
  }
  if (odd * step > text.length * BINARY_SHARE) return true;
  return lines.length > 0 && lines.every((line, at) => isEncoded(line) || (at > 0 && at === lines.length - 1));
}

function isEncoded(line: string): boolean {
  return (
    line.length >= 76 &&
    !line.includes(" ") &&
    /^[A-Za-z0-9+/=_-]+$/.test(line) &&
    /[A-Z]/.test(line) &&
    /[a-z]/.test(line) &&
    /\d/.test(line)
  );
}
