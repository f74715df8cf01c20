/**
 * What a request for something that left a conversation is answered, whoever asks: places that hold words, messages by their
 * numbers, an outline, or an original whole. Without secrets, and page by page where it is larger than it may be.
 */
import { PrecisError } from "../../core/errors.ts";
import {
  chosen,
  messagesText,
  outlineOf,
  titleOf,
  rangesText,
  type MessageChoice,
  type NumberedMessage,
  rangesIn,
  ROLES,
  type MessageRange,
  weightOf,
} from "../../core/recall/messages.ts";
import { oneLine } from "../../core/digest/cut.ts";
import { pageOf, written } from "../../core/recall/pages.ts";
import { rankPlaces, type Candidate } from "../../core/recall/ranking.ts";
import type { Redactor } from "../../core/redaction/redactor.ts";
import { estimateText } from "../../core/transcript/estimate.ts";
import type { Original } from "../../store/store.ts";
import { readOriginal, type ReadOriginal } from "./read-original.ts";
import { isRecallId, RECALL_ID } from "../../core/transcript/links.ts";
import type { EngineTool } from "../../core/engines/contract.ts";
import type { Role } from "../../core/transcript/message.ts";
import { isFields, parsed, textOf } from "../../protocols/fields.ts";

interface RecallRequest extends MessageChoice {
  readonly id?: string | undefined;
  /** Words to search for. */
  readonly query?: string | undefined;
  /** One line a message instead of their text. */
  readonly outline?: boolean | undefined;
  /** The character to read on from, as the last answer said. */
  readonly offset?: number | undefined;
}

export interface RecallSource {
  readonly original: (id: string) => Promise<Original | undefined>;
  /** What left the conversation: what is searched, and read by number, where no id is given. */
  readonly ids: readonly string[];
  readonly redact: Redactor;
  readonly limits: RecallBounds;
}

interface RecallBounds {
  /** Of an original, this much is read; without an id, no further one is read after as much. */
  readonly originalChars: number;
  /** Originals that are looked through where no id is given, the first ones first. */
  readonly searchedOriginals: number;
}

/** Places that one search shows, where so many fit. */
const PLACES_MAX = 100;
/** Of one message, where so few are searched; otherwise one. */
const PLACES_PER_MESSAGE = 3;
const FEW_MESSAGES_MAX = 4;
const LABEL_CHARS_MAX = 100;
/** What frames a page, beside the names in it, in tokens. */
const FRAME_TOKENS = 40;

export function unknownRecallId(id: string): PrecisError {
  return new PrecisError(`Unknown recall id ${oneLine(id, LABEL_CHARS_MAX)}.`, {
    code: "unknown_recall_id",
    place: "id",
    hint: "Search for words in it: hits show the existing ids.",
  });
}

/** @throws PrecisError `unknown_recall_id`, `bad_range` or `bad_recall`, each with what to do, and of the store. */
export async function answerRecall(source: RecallSource, request: RecallRequest, tokensMax: number): Promise<string> {
  const { id, query, outline = false, ranges, role } = request;
  if (query !== undefined) return search(source, { ...request, query }, tokensMax);
  if (id === undefined && ranges === undefined && role === undefined && !outline)
    throw new PrecisError("The call has no arguments.", {
      code: "bad_recall",
      hint: "Give `query` (words), `id`, or `messages` such as 99-131.",
    });
  const original = await chosenOriginal(source, request);
  const { messages } = original;
  const narrowed = ranges !== undefined || role !== undefined || outline;
  if (messages === undefined || (id !== undefined && !narrowed))
    return page(original, readWhole(original, source), request, tokensMax);
  const found = chosen(messages, request);
  if (found.length === 0) throw noSuchMessages(original.id, messages, request);
  const text = outline
    ? found.map((message) => outlineOf(safe(message, source.redact))).join("\n")
    : messagesText(found.map((message) => safe(message, source.redact)));
  return page(original, text, request, tokensMax);
}

function safe(message: NumberedMessage, redact: Redactor): NumberedMessage {
  return { ...message, text: redact(message.text) };
}

/** Secrets are looked for in each message as a whole, because a page of one does not look like it. */
function readWhole({ messages, text }: ReadOriginal, { redact }: RecallSource): string {
  return messages === undefined ? redact(text) : messagesText(messages.map((message) => safe(message, redact)));
}

/** The one that is named, or the span that has the most of the messages that are wanted. */
async function chosenOriginal(source: RecallSource, request: RecallRequest): Promise<ReadOriginal> {
  if (request.id !== undefined) return named(source, request.id);
  const spans = (await originals(source)).filter(({ messages }) => messages !== undefined);
  const counted = spans.map((span) => ({ span, count: chosen(span.messages!, request).length }));
  const [best] = counted.toSorted((a, b) => b.count - a.count);
  if (best !== undefined && best.count > 0) return best.span;
  throw noSuchMessages(
    undefined,
    spans.flatMap(({ messages }) => messages!),
    request,
  );
}

async function named({ original, limits }: RecallSource, id: string): Promise<ReadOriginal> {
  const found = isRecallId(id) ? await original(id) : undefined;
  if (found === undefined) throw unknownRecallId(id);
  return readOriginal({ ...found, text: found.text.slice(0, limits.originalChars) });
}

/** What left, as far as it is read. */
async function originals({ original, ids, limits }: RecallSource): Promise<readonly ReadOriginal[]> {
  const read: ReadOriginal[] = [];
  let readChars = 0;
  for (const id of ids.slice(0, limits.searchedOriginals)) {
    if (readChars > limits.originalChars) break;
    const found = await original(id);
    if (found === undefined || found.kind === "media") continue;
    readChars += found.text.length;
    read.push(readOriginal({ ...found, text: found.text.slice(0, limits.originalChars) }));
  }
  return read;
}

function noSuchMessages(
  id: string | undefined,
  messages: readonly NumberedMessage[],
  { ranges = [], role }: MessageChoice,
): PrecisError {
  const numbers = messages.map(({ number }) => number);
  const there =
    numbers.length === 0
      ? "No whole messages were removed from this conversation; search with `query`."
      : `There are messages ${numbers.reduce((a, b) => Math.min(a, b))} to ${numbers.reduce((a, b) => Math.max(a, b))}.`;
  return new PrecisError(
    `${id === undefined ? "Nothing that left" : id} has no ${role === undefined ? "" : `${role} `}message ${rangesText(ranges)}.`,
    { code: "bad_range", place: "messages", hint: there },
  );
}

function page({ id, label }: ReadOriginal, text: string, request: RecallRequest, tokensMax: number): string {
  const { offset = 0, ranges, role, outline = false } = request;
  if (offset > 0 && offset >= text.length)
    throw new PrecisError(`There is nothing from character ${offset} on.`, {
      code: "bad_range",
      place: "offset",
      hint: `It has ${text.length} characters.`,
    });
  const again = [
    `id ${id}`,
    ...(ranges === undefined ? [] : [`messages ${rangesText(ranges)}`]),
    ...(role === undefined ? [] : [`role ${role}`]),
    ...(outline ? ["outline"] : []),
  ].join(", ");
  const head = `${id} (${oneLine(label, LABEL_CHARS_MAX)})`;
  const frame = estimateText(`${head}\n${again}`) + FRAME_TOKENS;
  const { text: shown, next } = pageOf(text, offset, Math.max(1, tokensMax - frame));
  const part =
    offset === 0 && next === undefined ? "" : `, characters ${offset} to ${next ?? text.length} of ${text.length}`;
  return `${head}${part}:\n${shown}${next === undefined ? "" : `\n(more: ${again}, offset ${next})`}`;
}

async function search(
  source: RecallSource,
  request: RecallRequest & { readonly query: string },
  tokensMax: number,
): Promise<string> {
  const { query, id } = request;
  const all = id === undefined ? await originals(source) : [await named(source, id)];
  const candidates = candidatesOf(all, request);
  const placesPerText = candidates.length <= FEW_MESSAGES_MAX ? PLACES_PER_MESSAGE : 1;
  const places = rankPlaces(candidates, query, { limit: PLACES_MAX, placesPerText, follows, redact: source.redact });
  const name = JSON.stringify(oneLine(query, LABEL_CHARS_MAX));
  if (places.length === 0)
    throw new PrecisError(
      `${id === undefined ? "Nothing that left this conversation" : `Nothing in ${id}`} holds ${name}.`,
      {
        code: "nothing_found",
        hint: "Try fewer or other words, or `outline` for one line a message.",
      },
    );
  const body = places.map(({ key: { original, message }, text, missing, isNeighbour }) => {
    const which =
      message === undefined
        ? `${original.id} (${oneLine(original.label, LABEL_CHARS_MAX)})`
        : `${original.id} ${titleOf(message)}`;
    const without = missing.length === 0 ? "" : `, without ${missing.join(", ")}`;
    return `── ${which}${isNeighbour === true ? ", next to a hit" : without}\n${text}`;
  });
  const rest = (shown: number): string =>
    shown === body.length ? "" : `(${body.length - shown} more that did not fit)`;
  return written({ head: "", body, rest }, tokensMax);
}

export const RECALL_TOOL = "precis_recall";

/** It is paid for with every request: short. */
export const RECALL_TOOL_DECLARATION: EngineTool = {
  name: RECALL_TOOL,
  description:
    "Finds and returns, word for word, what was removed from this conversation when it was shortened. Search with `query`; each hit has an id and a message number. Read around a hit with `messages`. Use it when you need something earlier exactly.",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: "Words to search for." },
      id: { type: "string", description: "A recall id such as r1a2b3c4d5; without it, everything that was removed." },
      messages: { type: "string", description: "Numbers of messages to read or search: 99, 99-131 or 12,99-131." },
      role: { type: "string", enum: ["user", "assistant", "tool"] },
      outline: { type: "boolean", description: "One line a message." },
      offset: { type: "integer", description: "Where to continue reading, as the last answer said." },
    },
    additionalProperties: false,
  },
};

export interface RecallToolAnswer {
  readonly text: string;
  readonly found: boolean;
}

/** Arguments that are longer are not even read. */
const ARGUMENTS_CHARS_MAX = 2_000;

/** What cannot be answered is said in words. @throws PrecisError of the store. */
export async function answerRecallCall(
  source: RecallSource,
  given: string,
  tokensMax: number,
): Promise<RecallToolAnswer> {
  try {
    return { text: await answerRecall(source, parseRequest(given), tokensMax), found: true };
  } catch (error) {
    if (!(error instanceof PrecisError) || error.code.startsWith("store_")) throw error;
    return { text: `${error.message} ${error.hint}`, found: false };
  }
}

/** Models write arguments as they like: under other names, as one text, numbers as texts. */
function parseRequest(given: string): RecallRequest {
  if (given.length > ARGUMENTS_CHARS_MAX) throw bad("That is too long.");
  const value = parsed(given);
  if (value === undefined && given.trim() !== "") throw bad("The arguments are not JSON.");
  if (!isFields(value)) return spokenRequest(textOf(value) ?? "");
  const { query, id, messages, role, outline, offset, ...others } = value;
  const spoken = Object.values(others).filter((one) => typeof one === "string" && one.trim() !== "");
  const known = { ...spokenRequest([...spoken, textOf(id) ?? ""].join(" ")), ...readQuery(query) };
  const range = messages === undefined || messages === null || messages === "" ? {} : { ranges: parseRanges(messages) };
  return {
    ...known,
    ...range,
    ...(isRole(role) ? { role } : {}),
    outline: outline === true || outline === "true",
    ...(Number.isInteger(Number(offset)) && Number(offset) > 0 ? { offset: Number(offset) } : {}),
  };
}

function readQuery(query: unknown): Pick<RecallRequest, "query"> {
  const words = textOf(query)?.trim() ?? "";
  return words === "" ? {} : { query: words };
}

const SPOKEN = new RegExp(`^(${RECALL_ID})?[\\s:,]*([^]*)$`);

/** `r1a2b3c4d5`, `r1a2b3c4d5 99-131`, `r1a2b3c4d5 deadline`, `99-131` or `deadline friday`. */
function spokenRequest(text: string): RecallRequest {
  const [, id, rest = ""] = SPOKEN.exec(text.trim())!;
  const byId = id === undefined ? {} : { id };
  if (rest.trim() === "") return byId;
  const ranges = rangesIn(rest);
  return { ...byId, ...(ranges === undefined ? { query: rest.trim() } : { ranges }) };
}

/** A list of two numbers is a range, as models write it; a list of texts is a list of ranges. */
function parseRanges(messages: unknown): readonly MessageRange[] {
  const text = Array.isArray(messages)
    ? messages.join(messages.length === 2 && messages.every((one) => typeof one === "number") ? "-" : ",")
    : typeof messages === "number"
      ? String(messages)
      : textOf(messages);
  const ranges = rangesIn(text ?? "");
  if (ranges === undefined) throw bad("`messages` is a number, a range, or several with commas between.");
  return ranges;
}

function isRole(role: unknown): role is Role {
  return ROLES.some((one) => one === role);
}

function bad(message: string): PrecisError {
  return new PrecisError(message, {
    code: "bad_recall",
    hint: "Give `query` (a few words), `id`, or `messages` such as 99-131.",
  });
}

interface RemovedText {
  readonly original: ReadOriginal;
  readonly message: NumberedMessage | undefined;
}

/** Spans before what is a part of them, and the longest first: the newest one holds what earlier ones did. */
export function candidatesOf(
  found: readonly ReadOriginal[],
  choice: MessageChoice = {},
): readonly Candidate<RemovedText>[] {
  const candidates = new Map<string, Candidate<RemovedText>>();
  const add = (key: RemovedText, text: string, weight: number): void => {
    if (!candidates.has(text)) candidates.set(text, { key, text, weight });
  };
  for (const original of found.toSorted(byMessages)) {
    if (original.messages === undefined) add({ original, message: undefined }, original.text, 1);
    for (const message of chosen(original.messages ?? [], choice))
      add({ original, message }, message.text, weightOf(message));
  }
  return [...candidates.values()];
}

function byMessages(a: ReadOriginal, b: ReadOriginal): number {
  return (b.messages?.length ?? 0) - (a.messages?.length ?? 0);
}

/** Whether one is the message directly after the other in the same span. */
export function follows(after: RemovedText, before: RemovedText): boolean {
  if (after.message === undefined || before.message === undefined || after.original !== before.original) return false;
  return after.message.number === before.message.number + 1;
}
