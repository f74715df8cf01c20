/** Words to the messages that hold them, among everything that was removed: a store finds the originals, and each is read as numbered messages. */
import { messagesText, chosen, outlineOf, rangesIn, type NumberedMessage } from "../../core/recall/messages.ts";
import { rankPlaces } from "../../core/recall/ranking.ts";
import { PrecisError } from "../../core/errors.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import type { Role } from "../../core/transcript/message.ts";
import type { Original, Store } from "../../store/store.ts";
import { unknownRecallId, candidatesOf, follows } from "./answer.ts";
import { readOriginal, type ReadOriginal } from "./read-original.ts";
import { isRecallId } from "../../core/transcript/links.ts";

export interface RecallHit {
  readonly id: string;
  readonly label: string;
  /** The original, a message of it, or the lines around the words. */
  readonly text: string;
  /** Of a message that left: its number in the conversation, from 1, and its role. */
  readonly number?: number;
  readonly role?: Role;
}

/** Which part of an original is wanted. */
export interface RecallChoice {
  /** Numbers of messages: `99` or `99-131`. */
  readonly messages?: string | undefined;
  readonly role?: Role | undefined;
  /** True: one line a message instead of its text. */
  readonly outline?: boolean | undefined;
  /** Places that a search returns at most; default 20. */
  readonly limit?: number | undefined;
}

/** Originals that one search reads. */
const SEARCHED_ORIGINALS_MAX = 20;
/** None further is read after as much. */
const SEARCHED_CHARS_MAX = 16 * 1024 * 1024;
const HITS_DEFAULT = 20;

/**
 * Resolves an id to its original bytes, or to messages of it; anything else is searched for.
 *
 * @throws PrecisError `unknown_recall_id`, `bad_range`, `bad_recall`, and of the store.
 */
export async function recall(
  store: Store,
  tenant: string,
  idOrWords: string,
  choice: RecallChoice = {},
): Promise<readonly RecallHit[]> {
  if (typeof idOrWords !== "string") throw noWords();
  if (!isRecallId(idOrWords)) return searchRemoved(store, tenant, idOrWords, choice);
  const original = await store.getOriginal(tenant, idOrWords);
  if (original === undefined) throw unknownRecallId(idOrWords);
  return recallMessages(original, choice);
}

function noWords(): PrecisError {
  return new PrecisError("Recall was given neither an id nor words.", {
    code: "bad_recall",
    hint: "Pass a recall id such as r1a2b3c4d5, or words to search for.",
  });
}

/** The original as it is where nothing of it is chosen. @throws PrecisError `bad_range`. */
export function recallMessages(
  original: Original,
  { messages, role, outline = false }: RecallChoice,
): readonly RecallHit[] {
  const { id, label, text } = original;
  if (messages === undefined && role === undefined && !outline) return [{ id, label, text }];
  const read = readOriginal(original);
  if (read.messages === undefined)
    throw new PrecisError(`${id} is no span of messages, but ${label}.`, {
      code: "bad_range",
      place: "messages",
      hint: "Recall it whole, without `messages`, `role` and `outline`.",
    });
  return chosenHits(read.messages, { id, label }, { messages, role, outline });
}

/** One hit a message. @throws PrecisError `bad_range` for what is no range, and where there are no such messages. */
export function chosenHits(
  messages: readonly NumberedMessage[],
  { id, label }: Pick<RecallHit, "id" | "label">,
  choice: RecallChoice,
): readonly RecallHit[] {
  return chooseMessages(messages, id, choice).map((message) => ({
    id,
    label,
    text: choice.outline === true ? outlineOf(message) : messagesText([message]),
    ...describePlace(message),
  }));
}

export function chooseMessages(
  messages: readonly NumberedMessage[],
  of: string,
  { messages: wanted, role }: Pick<RecallChoice, "messages" | "role">,
): readonly NumberedMessage[] {
  const ranges = wanted === undefined ? undefined : rangesIn(wanted);
  const isUnclear = wanted !== undefined && ranges === undefined;
  const found = isUnclear ? [] : chosen(messages, { ranges, role });
  if (found.length > 0) return found;
  const kind = role === undefined ? "message" : `${role} message`;
  throw new PrecisError(`${of} has no ${kind}${wanted === undefined ? "" : ` ${wanted}`}.`, {
    code: "bad_range",
    place: "messages",
    hint: `It has messages ${messages[0]?.number ?? 0} to ${messages.at(-1)?.number ?? 0}; write numbers and ranges, as in 99-131,150.`,
  });
}

function describePlace({ number, role }: NumberedMessage): Pick<RecallHit, "number" | "role"> {
  return { number, role };
}

/** The originals that hold the words best, read whole. */
export async function originalsWith(
  store: Store,
  tenant: string,
  words: string,
  within?: readonly string[],
): Promise<readonly ReadOriginal[]> {
  const scope = within === undefined ? {} : { within };
  const hits = await store.search(tenant, words, SEARCHED_ORIGINALS_MAX, scope);
  const originals: ReadOriginal[] = [];
  let readChars = 0;
  for (const { id } of hits) {
    if (readChars > SEARCHED_CHARS_MAX) break;
    const original = await store.getOriginal(tenant, id);
    readChars += original?.text.length ?? 0;
    if (original !== undefined) originals.push(readOriginal(original));
  }
  return originals;
}

interface PlacesWanted extends Pick<RecallChoice, "limit"> {
  /** Takes secrets out of what is shown. */
  readonly redact?: Redactor;
}

/** Where words are in what was removed, best first. */
export async function searchRemoved(
  store: Store,
  tenant: string,
  words: string,
  { limit = HITS_DEFAULT, redact = (text) => text }: PlacesWanted,
): Promise<readonly RecallHit[]> {
  const candidates = candidatesOf(await originalsWith(store, tenant, words));
  return rankPlaces(candidates, words, { limit, follows, redact }).map(({ key: { original, message }, text }) => ({
    id: original.id,
    label: redact(original.label),
    text,
    ...(message === undefined ? {} : describePlace(message)),
  }));
}
