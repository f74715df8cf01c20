/** A long message cut in the middle: how it begins and how it ends say most of what was asked. */
import type { Evicted } from "../../compaction/compaction.ts";
import { recallId, type Hash } from "../../transcript/links.ts";
import type { Measure } from "../../transcript/measure.ts";
import { withParts, type Message, type TextPart } from "../../transcript/message.ts";

/** With less room a message is not worth keeping in part. */
const CUT_TOKENS_MIN = 200;
/** What a cut takes away beyond what it has to, until the message fits. */
const SHRINK_FACTOR = 0.97;
/** A word is not cut in two where it ends within that many characters. */
const WORD_CHARS_MAX = 200;

export interface CutRequest {
  /** What the message may weigh. */
  readonly tokens: number;
  /** Its index in the conversation. */
  readonly at: number;
  readonly measure: Measure;
  readonly hash: Hash;
}

export interface CutMessage {
  readonly message: Message;
  readonly evicted: Evicted;
}

/** The message with the middle of its longest text left out; nothing where that does not make it fit. */
export function cutInTheMiddle(message: Message, { tokens, at, measure, hash }: CutRequest): CutMessage | undefined {
  const part = longestText(message);
  if (part === undefined) return undefined;
  const { text } = part;
  const all = measure.text(text);
  const room = tokens - (measure.message(message) - all);
  if (room < CUT_TOKENS_MIN) return undefined;
  const id = recallId(text, hash);
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
