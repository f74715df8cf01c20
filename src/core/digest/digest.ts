/** The short form of a tool result: decides what the result is, lets its kind choose what matters, and writes it. */
import type { CallSummary } from "./call.ts";
import { compose } from "./compose.ts";
import { focusLines } from "./focus.ts";
import { kindOf, type ResultKind } from "./kind.ts";
import { shortBinary, shortText, shortWebPage } from "./kinds/text.ts";
import { shortBuild, shortStackTrace } from "./kinds/build.ts";
import { shortDiff } from "./kinds/diff.ts";
import { shortJson } from "./kinds/json.ts";
import { shortListing } from "./kinds/listing.ts";
import { shortLog } from "./kinds/log.ts";
import { shortSearchHits } from "./kinds/search-hits.ts";
import { shortSource } from "./kinds/source.ts";
import { shortTable } from "./kinds/table.ts";
import { shortTestRun } from "./kinds/test-run.ts";
import { pageOf, type Page } from "./page.ts";
import type { DigestContent, DigestContentRequest } from "./short.ts";

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

export interface DigestRequest {
  readonly text: string;
  readonly call: CallSummary;
  readonly isError?: boolean;
  /** Words of the task, lower case. */
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

/** Whether there are lines to choose from. */
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
