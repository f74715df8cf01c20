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
import { isStub, shortenedArguments, shortenedText, spansOf, textOrigin } from "../../core/recall/artefacts.ts";
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
  /** Spans that were put back: a later handoff names them again. */
  readonly seen: Set<string>;
  restored: number;
}

export async function restoreOriginals(messages: readonly Message[], find: FindOriginal): Promise<RestoredTranscript> {
  const restoring: Restoring = { find, missing: new Set(), seen: new Set(), restored: 0 };
  const whole = await expanded(messages, restoring, 0);
  return { messages: whole, restored: restoring.restored, missing: [...restoring.missing] };
}

async function expanded(
  messages: readonly Message[],
  restoring: Restoring,
  depth: number,
): Promise<readonly Message[]> {
  const whole: Message[] = [];
  let behindHandoff = false;
  for (const message of messages) {
    const ours = message.parts.flatMap((part) => ourPart(message, part));
    for (const one of ours) {
      const isHandoff = one.origin === "summary" && depth < NESTED_MAX;
      const inside = isHandoff ? await spansBehind(one, restoring, depth) : [];
      whole.splice(0, whole.length, ...withoutCopies(whole, inside), one, ...inside);
      behindHandoff ||= isHandoff;
    }
    const theirs = message.parts.filter((part) => ourPart(message, part).length === 0);
    if (theirs.length === 0 && ours.length > 0) continue;
    const whose = await lengthened(withParts(message, theirs), restoring);
    whole.push(behindHandoff && isAmong(whose, whole) ? withParts(whose, whose.parts, "anchor") : whose);
    behindHandoff &&= isRequest(whose);
  }
  return whole;
}

/** Requests that an engine moved in front of its handoff stand among what was put back: the copies are ours. */
function withoutCopies(before: readonly Message[], inside: readonly Message[]): readonly Message[] {
  const from = before.findLastIndex((message) => !isRequest(message)) + 1;
  return before.map((message, at) =>
    at >= from && isAmong(message, inside) ? withParts(message, message.parts, "anchor") : message,
  );
}

function isRequest({ role, origin }: Message): boolean {
  return role === "user" && (origin === undefined || origin === "anchor");
}

function isAmong(message: Message, others: readonly Message[]): boolean {
  const text = contentText(message.parts);
  return isRequest(message) && others.some((other) => isRequest(other) && contentText(other.parts) === text);
}

/** A protocol may have joined what precis wrote to a message of a person. */
function ourPart({ role, origin }: Message, part: Part): readonly Message[] {
  if (role === "tool" || part.kind !== "text") return [];
  const known = textOrigin(part.text) ?? (origin === "summary" || origin === "note" ? origin : undefined);
  return known === undefined ? [] : [textMessage(role, part.text, known)];
}

async function spansBehind(handoff: Message, restoring: Restoring, depth: number): Promise<readonly Message[]> {
  const { find, seen, missing } = restoring;
  const whole: Message[] = [];
  for (const id of spansOf(contentText(handoff.parts))) {
    if (seen.has(id)) continue;
    seen.add(id);
    const original = await find(id);
    if (original?.kind !== "span") {
      missing.add(id);
      continue;
    }
    const inside = messagesIn(original.text);
    restoring.restored += inside.length;
    whole.push(...(await expanded(inside, restoring, depth + 1)));
  }
  return whole;
}

async function lengthened(message: Message, restoring: Restoring): Promise<Message> {
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
