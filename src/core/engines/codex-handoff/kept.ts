/**
 * What stays of a conversation beside the handoff: a person's newest messages, the first that does not fit cut in the middle,
 * and what the session opened with.
 */
import type { CompactionDraft } from "../../compaction/apply.ts";
import type { Evicted } from "../../compaction/compaction.ts";
import { trimmedRemarks } from "../../compaction/keep-messages.ts";
import type { CompactionRun, KeptMessages, PlacedMessage } from "../../compaction/plan.ts";
import { byPerson } from "../../events/person.ts";
import { isHandoff } from "../../handoff/write.ts";
import { recallId } from "../../transcript/links.ts";
import { withParts, type Message, type TextPart } from "../../transcript/message.ts";

interface KeepLimits {
  /** Messages from here on stay where they are. */
  readonly tailStart: number;
  /** For a person's messages. */
  readonly tokens: number;
  /** Whether what the client put before the first request stays. */
  readonly opening: boolean;
}

interface KeptTail extends KeptMessages {
  /** That many messages of the conversation are first, as they were; they are no part of `placed`. */
  readonly headEnd: number;
}

/** In the order of Codex: older messages of the person, what the session opened with, the last message. */
export function keepMessages(run: CompactionRun, keeping: KeepLimits): KeptTail {
  const { live } = run;
  const { messages } = run.original;
  const { tailStart, opening } = keeping;
  const { placed, evicted } = newestMessages(run, keeping);
  const first = opening ? openingMessages(messages, live, tailStart) : [];
  const isLast = ({ from }: PlacedMessage): boolean => from === live;
  const all = [...placed.filter((one) => !isLast(one)), ...first, ...placed.filter(isLast)];
  let headEnd = 0;
  while (all[headEnd]?.from === headEnd && all[headEnd]!.message === messages[headEnd]) headEnd++;
  return { placed: all.slice(headEnd), evicted, headEnd };
}

/**
 * The newest messages of the person within the budget; the first over it is cut, and none before that stays. The live
 * request stays whole whatever it weighs.
 */
function newestMessages(
  { original: { messages }, request, live }: CompactionRun,
  { tailStart, tokens: budget }: KeepLimits,
): { placed: PlacedMessage[]; evicted: Evicted[] } {
  const { measure } = request;
  const placed: PlacedMessage[] = [];
  const evicted: Evicted[] = [];
  let left = budget;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (at !== live && !isPersons(message)) continue;
    const tokens = measure.message(message);
    if (at >= tailStart || at === live || tokens <= left) {
      left -= tokens;
      if (at < tailStart) placed.unshift({ message, from: at });
      continue;
    }
    const cut = cutMiddle(message, { tokens: left, at, request });
    if (cut !== undefined) {
      placed.unshift({ message: cut.message, from: at });
      evicted.push(cut.evicted);
    }
    break;
  }
  return { placed, evicted };
}

/** What a client says in the user's name before the first request: its environment, its instructions. */
function openingMessages(messages: readonly Message[], live: number, tailStart: number): readonly PlacedMessage[] {
  const opening: PlacedMessage[] = [];
  for (let at = 0; at < tailStart && at !== live; at++) {
    const message = messages[at]!;
    if (message.role !== "user" || message.origin !== undefined || byPerson(message) || isHandoff(message)) break;
    opening.push({ message, from: at });
  }
  return opening;
}

/** What a result lacks of the person's words, and of what the session opened with, one line each. */
export function remarkTrimmed(
  { original: { messages }, live }: CompactionRun,
  { assembled, kept, shape }: CompactionDraft,
): readonly string[] {
  const isGone = (at: number): boolean => assembled.map[at]?.kind === "summarised";
  const persons = messages.flatMap((message, at) => (at === live || isPersons(message) ? at : []));
  const out = persons.filter((at) => at !== live && isGone(at)).length;
  const cut = (kept?.evicted ?? []).length;
  const opening = openingMessages(messages, live, shape.tailStart).filter(({ from }) => isGone(from)).length;
  return [
    ...trimmedRemarks({ all: persons.length, out, cut }),
    ...(opening === 0 ? [] : ["what the client wrote before the first request left out to save room"]),
  ];
}

function isPersons(message: Message): boolean {
  return byPerson(message) && !isHandoff(message);
}

/** With less room a message is not worth keeping in part. */
const CUT_TOKENS_MIN = 200;
/** What a cut takes away beyond what it has to, until the message fits. */
const SHRINK_FACTOR = 0.97;
/** A word is not cut in two where it ends within that many characters. */
const WORD_CHARS_MAX = 200;

interface CutRequest extends Pick<CompactionRun, "request"> {
  readonly tokens: number;
  readonly at: number;
}

interface CutMessage {
  readonly message: Message;
  readonly evicted: Evicted;
}

/** The message with the middle of its longest text left out; nothing where that does not make it fit. */
function cutMiddle(message: Message, { tokens, at, request }: CutRequest): CutMessage | undefined {
  const { measure, chain } = request;
  const part = longestText(message);
  if (part === undefined) return undefined;
  const { text } = part;
  const all = measure.text(text);
  const room = tokens - (measure.message(message) - all);
  if (room < CUT_TOKENS_MIN) return undefined;
  const id = recallId(text, chain.hash);
  for (let chars = Math.floor((text.length * room) / all); chars > 0; chars = Math.floor(chars * SHRINK_FACTOR)) {
    const cut = Object.freeze({ ...part, text: shortened(text, chars, id) });
    const edited = withParts(
      message,
      message.parts.map((one) => (one === part ? cut : one)),
      "digest",
    );
    if (measure.message(edited) <= tokens)
      return { message: edited, evicted: { id, kind: "text", message: at, original: text, label: "user message" } };
  }
  return undefined;
}

function longestText({ parts }: Message): TextPart | undefined {
  const texts = parts.filter((part) => part.kind === "text");
  return texts.toSorted((a, b) => b.text.length - a.text.length)[0];
}

function shortened(text: string, chars: number, id: string): string {
  const half = Math.floor(chars / 2);
  const start = text.slice(0, wordEnd(text, half)).trimEnd();
  const end = text.slice(wordStart(text, text.length - half)).trimStart();
  const out = text.length - start.length - end.length;
  return `${start}\n[precis: ${out} characters of this message left out here; recall ${id}]\n${end}`;
}

/** The last white space up to there, where one is near; never within a surrogate pair. */
function wordEnd(text: string, at: number): number {
  for (let end = at; end > Math.max(0, at - WORD_CHARS_MAX); end--) if (isSpace(text, end)) return end;
  return isLowSurrogate(text, at) ? at - 1 : at;
}

function wordStart(text: string, at: number): number {
  for (let start = at; start < Math.min(text.length, at + WORD_CHARS_MAX); start++)
    if (isSpace(text, start)) return start;
  return isLowSurrogate(text, at) ? at + 1 : at;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x0a || code === 0x09;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
