/**
 * A transcript as it was before precis: what handoffs stand for and what was shortened is put back from its originals.
 * What precis wrote is labelled by its origin, so that it can be dropped or told apart.
 */
import {
  contentText,
  textMessage,
  withParts,
  type ContentPart,
  type Message,
  type Part,
} from "../../core/transcript/message.ts";
import {
  beforeNote,
  isStub,
  shortenedArguments,
  shortenedText,
  spansOf,
  textOrigin,
} from "../../core/recall/artefacts.ts";
import { firstOfSpan, lastOfSpan } from "../../core/compaction/compaction.ts";
import { messagesIn } from "../recall/read-original.ts";
import type { Original } from "../../store/store.ts";

/** A handoff may stand for messages among which an earlier one stands, and so on. */
const NESTED_MAX = 100;

export interface RestoredTranscript {
  /** What precis wrote has an `origin`. */
  readonly messages: readonly Message[];
  /** Messages, results and arguments that were put back. */
  readonly restored: number;
  /** Recall ids whose originals are not there. */
  readonly missing: readonly string[];
}

export type FindOriginal = (id: string) => Promise<Original | undefined>;

interface Restoring {
  readonly find: FindOriginal;
  readonly missing: Set<string>;
  restored: number;
}

/** One level at a time: what was compacted twice becomes what was compacted once, as a whole, because places count in that. */
export async function restoreOriginals(messages: readonly Message[], find: FindOriginal): Promise<RestoredTranscript> {
  const restoring: Restoring = { find, missing: new Set(), restored: 0 };
  const known = new Set<Message>();
  let whole = messages.flatMap(separated);
  for (let level = 0; level < NESTED_MAX; level++) {
    const fresh = whole.filter((one) => one.origin === "summary" && !known.has(one));
    if (fresh.length === 0) break;
    const spans = new Map<Message, Span>();
    for (const handoff of fresh) {
      const span = await spanBehind(handoff, restoring);
      known.add(handoff);
      if (span !== undefined) spans.set(handoff, span);
    }
    whole = expanded(whole, spans, restoring);
  }
  const restored: Message[] = [];
  for (const message of whole) restored.push(await lengthened(message, restoring));
  return { messages: restored, restored: restoring.restored, missing: [...restoring.missing] };
}

/** What a handoff stands for, by the places of its messages in the conversation that was compacted. */
interface Span {
  readonly from: number;
  readonly until: number;
  readonly messages: readonly Message[];
}

function expanded(messages: readonly Message[], spans: ReadonlyMap<Message, Span>, restoring: Restoring): Message[] {
  const said = new Set([...spans.values()].flatMap((span) => span.messages).flatMap(saidIn));
  const whole: Message[] = [];
  let segment: Message[] = [];
  let place = 0;
  for (const message of messages) {
    const span = spans.get(message);
    if (span === undefined) {
      segment.push(message);
      continue;
    }
    for (const each of [...withCopiesMarked(segment, span.from - place, said), message]) whole.push(each);
    segment = [];
    // A record may stand for a part of what another one stands for.
    if (span.until <= place) continue;
    restoring.restored += span.messages.length;
    for (const each of span.messages) whole.push(each);
    place = span.until;
  }
  return [...whole, ...(place === 0 ? segment : withLeadingCopiesMarked(segment, said))];
}

/** What an engine repeats or moves stands among what was put back: of more messages than there were, these are copies. */
function withCopiesMarked(segment: readonly Message[], expected: number, said: ReadonlySet<string>): Message[] {
  let tooMany = segment.filter(isTheirs).length - Math.max(0, expected);
  return segment
    .toReversed()
    .map((message) => (tooMany > 0 && isAmong(message, said) ? (tooMany--, copied(message)) : message))
    .toReversed();
}

/** How much followed is not known; requests that were repeated stand directly behind the handoff. */
function withLeadingCopiesMarked(segment: readonly Message[], said: ReadonlySet<string>): readonly Message[] {
  const isCopy = (message: Message): boolean => message.role === "user" && isAmong(message, said);
  const end = segment.findIndex((message) => isTheirs(message) && !isCopy(message));
  return segment.map((message, at) => ((end < 0 || at < end) && isCopy(message) ? copied(message) : message));
}

function copied(message: Message): Message {
  return withParts(message, message.parts, "anchor");
}

function isTheirs({ origin }: Message): boolean {
  return origin === undefined;
}

/** Who said what; nothing for messages without a text. */
function saidIn(message: Message): readonly string[] {
  const text = isTheirs(message) ? contentText(message.parts) : "";
  return text === "" ? [] : [`${message.role}: ${text}`];
}

function isAmong(message: Message, said: ReadonlySet<string>): boolean {
  return saidIn(message).some((one) => said.has(one));
}

/** A protocol may have joined what precis wrote to a message of a person. */
function separated(message: Message): readonly Message[] {
  const ours = message.parts.flatMap((part) => ourPart(message, part));
  if (ours.length === 0) return [withoutNote(message)];
  const theirs = message.parts.filter((part) => ourPart(message, part).length === 0);
  return theirs.length === 0 ? ours : [...ours, withParts(message, theirs)];
}

/** A note that a protocol wrote at the end of a system prompt. */
function withoutNote(message: Message): Message {
  if (message.role !== "system") return message;
  const parts = message.parts.map((part) => (part.kind === "text" ? { ...part, text: beforeNote(part.text) } : part));
  const changed = parts.some((part, at) => part.kind === "text" && part.text !== contentText([message.parts[at]!]));
  return changed ? withParts(message, parts) : message;
}

function ourPart({ role, origin }: Message, part: Part): readonly Message[] {
  if (role === "tool" || part.kind !== "text") return [];
  const known = textOrigin(part.text) ?? (origin === "summary" || origin === "note" ? origin : undefined);
  return known === undefined ? [] : [textMessage(role, part.text, known)];
}

async function spanBehind(handoff: Message, { find, missing }: Restoring): Promise<Span | undefined> {
  const [id] = spansOf(contentText(handoff.parts));
  const original = id === undefined ? undefined : await find(id);
  if (original?.kind === "span") {
    const messages = messagesIn(original.text).flatMap(separated);
    const from = firstOfSpan(original.label) - 1;
    return { from, until: lastOfSpan(original.label) ?? from + messages.length, messages };
  }
  missing.add(id ?? "a handoff without an id");
  return undefined;
}

async function lengthened(message: Message, restoring: Restoring): Promise<Message> {
  if (message.origin === "summary" || message.origin === "note" || message.origin === "anchor") return message;
  const parts = await Promise.all(message.parts.map((part) => lengthenedPart(part, restoring)));
  const changed = parts.some((part, at) => part !== message.parts[at]);
  const { origin: _, ...own } = message;
  if (parts.some(isShortened)) return { ...own, parts, origin: "digest" };
  return changed || message.origin === undefined ? { ...own, parts } : message;
}

async function lengthenedPart(part: Part, restoring: Restoring): Promise<Part> {
  switch (part.kind) {
    case "tool-call": {
      const id = shortenedArguments(part.arguments);
      const original = id === undefined ? undefined : await found(id, restoring, "arguments");
      return original === undefined ? part : { ...part, arguments: original };
    }
    case "tool-result": {
      const content = await Promise.all(part.content.map((piece) => lengthenedPiece(piece, restoring)));
      return content.every((piece, at) => piece === part.content[at]) ? part : { ...part, content };
    }
    case "text":
      return lengthenedPiece(part, restoring);
    default:
      return part;
  }
}

/** Media are put back as the note of what they were: a data set of texts has no use for them. */
async function lengthenedPiece(piece: ContentPart, restoring: Restoring): Promise<ContentPart> {
  const id = piece.kind === "text" ? shortenedText(piece.text) : undefined;
  const original = id === undefined ? undefined : await found(id, restoring, "result");
  return original === undefined || piece.kind !== "text" ? piece : { ...piece, text: original };
}

async function found(id: string, restoring: Restoring, kind: Original["kind"]): Promise<string | undefined> {
  const original = await restoring.find(id);
  if (original === undefined) restoring.missing.add(id);
  if (original?.kind !== kind) return undefined;
  restoring.restored++;
  return original.text;
}

function isShortened(part: Part): boolean {
  if (part.kind === "tool-call") return shortenedArguments(part.arguments) !== undefined;
  const pieces = part.kind === "tool-result" ? part.content : [part];
  return pieces.some(
    (piece) => piece.kind === "text" && (shortenedText(piece.text) !== undefined || isStub(piece.text)),
  );
}
