/** Nothing is lost: whatever left the transcript can be recalled by an id that the result shows, with its original bytes. */
import { applyCompaction, type Compaction, type Evicted } from "../../core/compaction/compaction.ts";
import { recallId, type Hash } from "../../core/transcript/links.ts";
import {
  contentText,
  type ContentPart,
  type Message,
  type Part,
  type Transcript,
} from "../../core/transcript/message.ts";
import { violationsOf } from "../../core/transcript/oracle.ts";
import { demand } from "./fault.ts";
import { readableOf } from "./print.ts";

export function demandRecall(original: Transcript, compaction: Compaction, hash: Hash): void {
  const { messages } = original;
  for (const one of compaction.evicted) demandResolvable(one, hash);
  demandRemoved(original, compaction);
  // What a broken transcript loses to its repair has no place in the result where an id could are.
  if (violationsOf(original).length > 0) return;
  const text = readableOf(applyCompaction(original, compaction).messages);
  const shown = compaction.evicted.filter(({ id }) => text.includes(id));
  compaction.map.forEach((destination, at) => {
    const message = messages[at]!;
    if (destination.kind === "summarised")
      demand(
        shown.some(({ kind, message: from, end = from + 1 }) => kind === "span" && at >= from && at < end),
        "recall",
        () => `message ${at} is gone, and no id in the result leads to it`,
      );
    if (destination.kind === "edited") demandPieces(message, compaction.after[destination.at]!, { at, shown });
  });
}

/** What is called removed, a provider would have refused; it can be fetched by an id that the report names. */
function demandRemoved({ messages }: Transcript, { map, evicted, report }: Compaction): void {
  const ids = new Set(report.recall);
  const reachable = new Set(evicted.filter(({ id }) => ids.has(id)).map(({ message }) => message));
  map.forEach(({ kind }, at) => {
    if (kind !== "removed") return;
    demand(messages[at]!.role === "tool", "recall", () => `message ${at} is removed, though it is no result`);
    demand(reachable.has(at), "recall", () => `message ${at} is removed, and no id of the report leads to it`);
  });
}

function demandResolvable(one: Evicted, hash: Hash): void {
  const { id, kind, message, original } = one;
  const says = (text: string) => (): string => `${kind} ${id} of message ${message}: ${text}`;
  if (kind !== "span")
    demand(original !== undefined && id === recallId(original, hash), "recall", says("is not the id of its bytes"));
}

interface Around {
  readonly at: number;
  readonly shown: readonly Evicted[];
}

/** Every piece of an edited message that is not in its new form can be fetched, byte for byte. */
function demandPieces(before: Message, after: Message, { at, shown }: Around): void {
  const own = new Set(shown.filter(({ message }) => message === at).map(({ original }) => original));
  const spans = shown.some(({ kind, message, end = message }) => kind === "span" && at >= message && at < end);
  const standing = new Set(after.parts.flatMap(formsOf).flat());
  for (const forms of before.parts.flatMap(formsOf))
    demand(
      spans || forms.some((form) => standing.has(form) || own.has(form)),
      "recall",
      () => `message ${at} lost "${forms[0]!.slice(0, EXCERPT_CHARS)}", and no id in the result leads to it`,
    );
}

const EXCERPT_CHARS = 80;

/** The pieces of a part that a model reads, each in the forms under which its bytes may be kept. */
function formsOf(part: Part): readonly (readonly string[])[] {
  switch (part.kind) {
    case "reasoning":
      return [];
    case "tool-call":
      return [[part.arguments]];
    case "tool-result": {
      const whole = JSON.stringify(part.content);
      const read = contentText(part.content);
      return part.content.map((piece) => (piece.kind === "text" ? [piece.text, whole, read] : [formOf(piece), whole]));
    }
    default:
      return [[formOf(part)]];
  }
}

function formOf(part: ContentPart): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "opaque":
      return part.raw;
    case "image":
    case "file":
      return JSON.stringify(part.source);
  }
}
