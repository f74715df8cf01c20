/** The short form of a tool result: decides what the result is, lets its kind choose what matters, and writes it. */
import type { CallSummary } from "./call.ts";
import { focusLines } from "./focus.ts";
import { kindOf, type ResultKind } from "./kind.ts";
import { shortBinary, shortText, shortWebPage } from "./kinds/text.ts";
import { shortBuild, shortStackTrace } from "./kinds/build.ts";
import { shortDiff } from "./kinds/diff.ts";
import { shortJson } from "./kinds/json.ts";
import { shortListing, shortSearchHits } from "./kinds/listing.ts";
import { shortLog } from "./kinds/log.ts";
import { shortSource } from "./kinds/source.ts";
import { shortTable } from "./kinds/table.ts";
import { shortTestRun } from "./kinds/test-run.ts";
import { pageOf, type Page } from "./page.ts";
import { type DigestContent, type DigestContentRequest, plural } from "./short.ts";
import { cut, head, oneLine, thousands, withoutColour } from "./cut.ts";
import { withoutLineNumber } from "./numbered-lines.ts";

/** Results up to this size stay as they are, and digests aim at the target (Dual Compression chapter, 16.3). */
export const DIGEST_TRIGGER_TOKENS = 500;
const DIGEST_TARGET_TOKENS = 150;
/** Focus lines offered to a kind; it shows what fits. */
const FOCUS_LINES_MAX = 12;
const OPENING_CHARS = 8_000;
const TARGET_TOKENS_MIN = 60;
const ASKED_CHARS_MAX = 1_000;
/** Rarer than any text: below this many characters an estimate is not even needed. */
const TOKENS_PER_CHARACTER_MAX = 2;

interface DigestRequest {
  readonly text: string;
  readonly call: CallSummary;
  readonly isError?: boolean;
  readonly focus: readonly string[];
  /** Names that the agent used after the result, lower case. */
  readonly used?: readonly string[];
  /** The id to show, under which the text can be fetched. */
  readonly recall: string;
  readonly tokens: (text: string) => number;
  readonly triggerTokens?: number;
  readonly targetTokens?: number;
}

export interface Digest {
  readonly kind: ResultKind;
  readonly text: string;
  /** Lines of the original, and how many of them the digest leaves out. */
  readonly lines: number;
  readonly leftOut: number;
}

const SHORT_FORMS: Readonly<Record<ResultKind, (page: Page, request: DigestContentRequest) => DigestContent>> = {
  "test-run": shortTestRun,
  build: shortBuild,
  log: shortLog,
  table: shortTable,
  json: shortJson,
  source: shortSource,
  diff: shortDiff,
  "search-hits": shortSearchHits,
  listing: shortListing,
  "web-page": shortWebPage,
  "stack-trace": shortStackTrace,
  text: shortText,
  binary: shortBinary,
};

/** `undefined` when the text is small enough, or when nothing shorter can be said. Deterministic. */
export function digestResult(request: DigestRequest): Digest | undefined {
  const { text, call, tokens, triggerTokens = DIGEST_TRIGGER_TOKENS, targetTokens = DIGEST_TARGET_TOKENS } = request;
  if (isDigest(text)) return undefined;
  const weight = weigh(text, tokens);
  if (!weight.exceeds(triggerTokens)) return undefined;
  const kind = kindOf(text, call);
  const page = pageOf(text);
  const focus = hasLines(text) ? findFocus(page, request) : [];
  const short = SHORT_FORMS[kind](page, { call, isError: request.isError === true, focus });
  // A text little over the trigger gets less than a full digest.
  const target = Math.max(TARGET_TOKENS_MIN, Math.min(targetTokens, Math.floor(weight.opening / 2)));
  const compositor = { call, kind, recall: request.recall, tokens, targetTokens: target };
  for (const form of [short, { facts: short.facts, lines: [] }, { facts: [], lines: [] }]) {
    const { text: written, leftOut } = compose(page, form, compositor);
    if (written.length < text.length && weight.exceeds(tokens(written)))
      return { kind, text: written, lines: page.lines.length, leftOut };
  }
  return undefined;
}

export function hasLines(text: string): boolean {
  return text.includes("\n");
}

function findFocus(page: Page, { focus, call, used = [] }: DigestRequest): readonly number[] {
  return focusLines(page, { words: [...focus, ...wordsAsked(call)], names: used }, FOCUS_LINES_MAX);
}

interface Weight {
  /** Tokens of the beginning of the text. */
  readonly opening: number;
  readonly exceeds: (limit: number) => boolean;
}

/** What a text weighs, as far as it is asked: its beginning mostly settles that, without an estimate of the whole. */
function weigh(text: string, tokens: (text: string) => number): Weight {
  const opening = tokens(text.slice(0, OPENING_CHARS));
  let whole = text.length <= OPENING_CHARS ? opening : undefined;
  return { opening, exceeds: (limit) => opening > limit || (whole ??= tokens(text)) > limit };
}

/** Of a page, a search or a delegated task the words that asked for it say what in it matters. */
function wordsAsked({ action, values }: CallSummary): readonly string[] {
  if (action !== "fetch" && action !== "delegate" && action !== "ask") return [];
  return (
    values
      .join(" ")
      .slice(0, ASKED_CHARS_MAX)
      .toLowerCase()
      .match(/\p{L}{5,30}|\d{4,12}/gu) ?? []
  );
}

/** Whether a text can weigh more than a limit: a quick answer for the many that are small. */
export function mayExceed(text: string, limitTokens: number, tokens: (text: string) => number): boolean {
  if (text.length * TOKENS_PER_CHARACTER_MAX <= limitTokens) return false;
  return text.length > OPENING_CHARS || tokens(text) > limitTokens;
}

/** Whether a text is a digest already: digesting it again would lose what it kept. */
export function isDigest(text: string): boolean {
  return /^\[(?:digest|precis): [^\n]* recall r[0-9a-f]+/.test(text.slice(0, 600));
}

interface ComposeRequest {
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

interface ComposedDigest {
  readonly text: string;
  readonly leftOut: number;
}

function compose(page: Page, short: DigestContent, request: ComposeRequest): ComposedDigest {
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
