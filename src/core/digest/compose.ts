/**
 * Writes a digest: a first line that names the tool, the target, what was left out and how to fetch it, then notes, then
 * original lines in their order. Lines are taken by need until the target is reached and never altered, but for a
 * visible cut at the end of very long ones.
 */
import { cut, head, oneLine, thousands, withoutColour } from "./cut.ts";
import type { CallSummary } from "./call.ts";
import { withoutLineNumber } from "./numbered-lines.ts";
import type { Page } from "./page.ts";
import { plural, type DigestContent } from "./short.ts";

export interface ComposeRequest {
  readonly call: CallSummary;
  readonly kind: string;
  readonly recall: string;
  readonly tokens: (text: string) => number;
  readonly targetTokens: number;
}

/** A line of a digest is cut here; most lines of code and logs are shorter. */
const LINE_CHARS_MAX = 240;
const TARGET_CHARS_MAX = 80;
const PATH_CHARS_MAX = 50;
/** Notes leave room for original lines. */
const NOTES_SHARE = 0.75;
/** Less room than this is not worth a cut note. */
const NOTE_TOKENS_MIN = 20;
/** Lines that did not fit before the search for smaller ones ends. */
const MISSES_MAX = 12;
/** With less room than this a line is left out rather than cut. */
const CUT_TOKENS_MIN = 24;
const CUT_MARK_TOKENS = 8;
const MUST_FACTOR = 2;
const GAP = "…";
/** Braces, rules and carets alone are not worth a line. */
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

export interface ComposedDigest {
  readonly text: string;
  /** Original lines not shown. */
  readonly leftOut: number;
}

export function compose(page: Page, short: DigestContent, request: ComposeRequest): ComposedDigest {
  const notes = fittingNotes(page, short, request);
  const shown = select(page, { ...short, notes }, request);
  const leftOut = page.lines.length - shown.size;
  const body = laidOut(
    [...shown].toSorted(([a], [b]) => a - b),
    short,
    page.lines,
  );
  return { text: [firstLine(page, short, { ...request, leftOut }), ...notes, ...body].join("\n"), leftOut };
}

function laidOut(
  shown: readonly (readonly [number: number, text: string])[],
  { gaps = true, under }: DigestContent,
  lines: readonly string[],
): readonly string[] {
  const body: string[] = [];
  let previous = -1;
  let heading = "";
  for (const [number, text] of shown) {
    if (gaps && saysSomething(lines, previous + 1, number)) body.push(GAP);
    previous = number;
    const group = under?.(number)?.heading ?? "";
    if (group !== "" && group !== heading) body.push(group);
    heading = group;
    body.push(text);
  }
  if (gaps && shown.length > 0 && saysSomething(lines, previous + 1, lines.length)) body.push(GAP);
  return body;
}

/** Empty lines that are missing need no mark. */
function saysSomething(lines: readonly string[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (lines[at]!.trim() !== "") return true;
  return false;
}

/** Notes may take the digest to its target, and the first of them is worth a cut. */
function fittingNotes(
  page: Page,
  short: DigestContent,
  { tokens, targetTokens, ...request }: ComposeRequest,
): readonly string[] {
  const share = short.mustNotes === true ? MUST_FACTOR : NOTES_SHARE;
  let left = targetTokens * share - tokens(firstLine(page, short, { ...request, leftOut: page.lines.length }));
  const fitting: string[] = [];
  for (const note of short.notes ?? []) {
    const cost = tokens(note) + 1;
    if (cost <= left) fitting.push(note);
    else if (fitting.length === 0 && left > NOTE_TOKENS_MIN)
      fitting.push(cut(note, Math.floor((note.length * left) / cost)));
    else break;
    left -= cost;
  }
  return fitting;
}

function select(
  page: Page,
  short: DigestContent,
  { tokens, targetTokens, ...request }: ComposeRequest,
): Map<number, string> {
  const opening = [firstLine(page, short, { ...request, leftOut: page.lines.length }), ...(short.notes ?? [])].join(
    "\n",
  );
  let used = tokens(opening);
  let misses = 0;
  const shown = new Map<number, string>();
  const headings = new Set<string>();
  let rank = 0;
  for (const number of short.lines) {
    const limit = rank++ < (short.must ?? 0) ? targetTokens * MUST_FACTOR : targetTokens;
    if (misses > MISSES_MAX || used >= limit) break;
    const line = page.lines[number];
    if (
      line === undefined ||
      shown.has(number) ||
      !SAYS_SOMETHING.test(withoutLineNumber(line.slice(0, LINE_CHARS_MAX)))
    )
      continue;
    let text = printed(line, number, short);
    const heading = short.under?.(number)?.heading ?? "";
    const extra =
      1 +
      (heading === "" || headings.has(heading) ? 0 : tokens(heading) + 1) +
      (short.gaps === false || shown.has(number - 1) ? 0 : 1);
    const room = limit - used - extra;
    if (tokens(text) > room) {
      // One line is worth a cut, the first that does not fit; after it only smaller ones are looked for.
      if (misses++ > 0 || room < CUT_TOKENS_MIN) continue;
      text = shortened(text, tokens, room);
    }
    used += tokens(text) + extra;
    headings.add(heading);
    shown.set(number, text);
  }
  return shown;
}

/** The beginning of a line, with what was cut off said at its end. */
function shortened(text: string, tokens: (text: string) => number, room: number): string {
  const kept = Math.floor((text.length * (room - CUT_MARK_TOKENS)) / tokens(text));
  return withCutMark(text, Math.max(1, kept));
}

function withCutMark(text: string, kept: number): string {
  return `${head(text, kept)} …[${thousands(text.length - kept)} more characters]`;
}

function printed(line: string, number: number, short: DigestContent): string {
  const text = withoutColour(short.under?.(number)?.text ?? line).trimEnd();
  const shown = text.length <= LINE_CHARS_MAX ? text : withCutMark(text, LINE_CHARS_MAX);
  const prefix = short.numberedFrom === undefined ? "" : `${number + short.numberedFrom}: `;
  return `${prefix}${shown}${short.marks?.get(number) ?? ""}`;
}

function firstLine(
  page: Page,
  { facts }: DigestContent,
  { call, kind, recall, leftOut }: Omit<ComposeRequest, "tokens" | "targetTokens"> & { readonly leftOut: number },
): string {
  const target =
    call.command === undefined && call.paths[0] === call.target
      ? endOfPath(call.target)
      : oneLine(call.target, TARGET_CHARS_MAX);
  const asked =
    target === ""
      ? call.tool
      : `${call.tool} ${call.command === undefined ? target : `\`${target}\``}${(call.firstLine ?? 1) > 1 ? ` from line ${call.firstLine}` : ""}`;
  const total = page.lines.length;
  const size =
    total > 1
      ? `${thousands(leftOut)} of ${plural(total, "line")} left out`
      : `${plural(page.text.length, "character")} left out`;
  return `[digest: ${[asked, ...facts, kind.replaceAll("-", " "), size, `recall ${recall}`].filter((word) => word !== "").join(" · ")}]`;
}

/** The end of a path says more than its beginning. */
function endOfPath(path: string): string {
  if (path.length <= PATH_CHARS_MAX) return path;
  const slash = path.indexOf("/", path.length - PATH_CHARS_MAX);
  return slash < 0 ? cut(path, TARGET_CHARS_MAX) : `…${path.slice(slash)}`;
}
