/** The lines of an episode: what the person asked, what the agent said on the way and in the end, and what its calls did. */
import type { Message } from "../../transcript/message.ts";
import { remembered } from "../../transcript/remembered.ts";
import { condensable, isFinding, isInformative, unitsOf, type Condensable, type Unit } from "./condense.ts";
import { callLines, callKindOf, type CallKind } from "./calls.ts";
import type { Episode, EpisodeEntry } from "./episodes.ts";
import { WEIGHTS, type CompletedEntry, type LinesContext, type RecordLine } from "./context.ts";

export function linesOf(episode: Episode, context: LinesContext): readonly RecordLine[] {
  const lines: RecordLine[] = [];
  let group: { readonly kind: CallKind; readonly calls: CompletedEntry[] } | undefined;
  const flush = (): void => {
    if (group !== undefined) lines.push(...callLines(group.kind, group.calls, context));
    group = undefined;
  };
  for (const entry of episode.entries) {
    if (entry.kind === "done") {
      const kind = callKindOf(entry);
      if (group?.kind !== kind) flush();
      (group ??= { kind, calls: [] }).calls.push(entry);
      continue;
    }
    const line = spokenLine(entry, context);
    if (line === undefined) continue;
    flush();
    lines.push(line);
  }
  flush();
  return lines;
}

/** What was said; nothing where it only announces a call, or where the client was answered in one word. */
function spokenLine(
  entry: Exclude<EpisodeEntry, CompletedEntry>,
  { redact, said, stands, isGoal, tellsRequests, live }: LinesContext,
): RecordLine | undefined {
  const { text, units } = readOf(entry, redact);
  const { message } = entry;
  if (entry.kind === "asked") {
    if (!tellsRequests) return undefined;
    if (message === live) return { message, label: "User: ", weight: WEIGHTS.asked, body: unshortened(LIVE) };
    if (/^\/\S*$/.test(text)) return undefined;
    const asked = condensable(units.filter(({ text: one }, at) => !stands(one) && (at === 0 || !isGoal(one))));
    return asked.chars === 0
      ? undefined
      : { message, label: "User: ", weight: WEIGHTS.asked, body: asked, isAsked: true };
  }
  if (!entry.ends && !units.some(({ text: one }) => isInformative(one) && isFinding(one))) return undefined;
  if (units.every(({ score }) => score < EMPTY_SCORE_MAX)) return undefined;
  const body = entry.ends ? condensable(units, said) : condensable(units, said, { keep: isInformative });
  if (body.chars === 0) return undefined;
  return { message, label: "Agent: ", weight: entry.ends ? conclusionWeight(body.chars) : remarkWeight(text), body };
}

/** A plan or a review of several pages holds more than a sentence does. */
function conclusionWeight(chars: number): number {
  const doublings = Math.log2(Math.max(1, chars / LONG_CONCLUSION_CHARS));
  return WEIGHTS.concluded * Math.min(LONG_CONCLUSION_FACTOR_MAX, 1 + doublings / 2);
}

const LONG_CONCLUSION_CHARS = 500;
const LONG_CONCLUSION_FACTOR_MAX = 3;

/** A short remark with a figure in it is mostly a result. */
function remarkWeight(text: string): number {
  return text.length <= SHORT_REMARK_CHARS_MAX && FIGURE.test(text) ? WEIGHTS.found : WEIGHTS.remarked;
}

/** Praise, apologies and offers score less. */
const EMPTY_SCORE_MAX = -0.5;
const SHORT_REMARK_CHARS_MAX = 300;
const FIGURE = /(?:^|[\s($€£])\d[\d,.]{2,}/;

interface Read {
  readonly text: string;
  readonly units: readonly Unit[];
}

/** About what may be kept of the words of sessions, taken apart. */
const READ_BYTES_MAX = 8_000_000;
/** A character with its part of units, words and scores. */
const CHAR_BYTES = 12;

type Redact = LinesContext["redact"];

/** What was said in each message, redacted in one way or another and taken apart when it was first described. */
const reads = new WeakMap<Redact, (message: Message, make: () => Read) => Read>();

function readOf({ text, from }: Exclude<EpisodeEntry, CompletedEntry>, redact: Redact): Read {
  let known = reads.get(redact);
  if (known === undefined) {
    known = remembered({ bytesOf: (read) => read.text.length * CHAR_BYTES, bytesMax: READ_BYTES_MAX });
    reads.set(redact, known);
  }
  return known(from, () => {
    const safe = redact(text);
    return { text: safe, units: unitsOf(safe) };
  });
}

const LIVE = "(the newest message, in full below)";

function unshortened(text: string): Condensable {
  return { chars: text.length, within: () => text };
}
