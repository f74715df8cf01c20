/**
 * The smallest form of an exchange that still says what was asked of which tool: call names and ids stay, arguments,
 * results and long texts give way to a line with a recall id. It is the last thing to be between a transcript
 * and "irreducible", and keeps in-flight calls from being made twice.
 */
import type { Evicted } from "./compaction.ts";
import { described, labelOf } from "../digest/call.ts";
import { clipped } from "../handoff/items.ts";
import { changesSince, thingText } from "../events/things.ts";
import { recallId, type Hash } from "../transcript/links.ts";
import {
  contentText,
  resultOf,
  withParts,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";

/** Texts, arguments and results up to this length are not worth a marker. */
const KEEP_CHARS_MAX = 160;
/** How much of a long text or result stays readable before its marker. */
const EXCERPT_CHARS = 80;
/** How much is said of what a result in JSON shows, and how far back earlier results of the same thing are looked for. */
const VALUES_CHARS_MAX = 160;
const EARLIER_RESULTS_MAX = 200;

export interface Skeleton {
  readonly messages: readonly Message[];
  readonly evicted: readonly Evicted[];
}

/** Where the messages are in the conversation (`first` is the index of the first), and the one that stays whole. */
export interface SkeletonPlace {
  readonly first: number;
  readonly live: number;
  readonly hash: Hash;
  /** The messages before them: a result that shows one of their things again is described by what changed. */
  readonly earlier: readonly Message[];
}

interface Shortening {
  readonly cut: Cut;
  /** What is said of a result in JSON. */
  readonly formatValues: (text: string) => string | undefined;
}

type Cut = (kind: Evicted["kind"], original: string, label: string) => string;

export function skeletonOf(messages: readonly Message[], { first, live, hash, earlier }: SkeletonPlace): Skeleton {
  const evicted: Evicted[] = [];
  const formatValues = createValueFormatter(earlier);
  const { answers } = pairingOf(messages);
  const bare = messages.map((message, offset) => {
    if (first + offset === live) return message;
    const cut: Cut = (kind, original, label) => {
      const id = recallId(original, hash);
      evicted.push({ id, kind, original, label, message: first + offset });
      return id;
    };
    const parts = message.parts.flatMap((part) => barePart(part, answers[offset]?.call, { cut, formatValues }));
    const changed = parts.length !== message.parts.length || parts.some((part, at) => part !== message.parts[at]);
    return changed ? withParts(message, parts, "digest") : message;
  });
  return { messages: bare, evicted };
}

/** `answered`: the call that the message answers. */
function barePart(part: Part, answered: ToolCallPart | undefined, { cut, formatValues }: Shortening): readonly Part[] {
  switch (part.kind) {
    case "reasoning":
      return part.required === true ? [part] : [];
    case "text":
      return part.text.length <= KEEP_CHARS_MAX
        ? [part]
        : [{ ...part, text: excerpt(part.text, cut("text", part.text, "text")) }];
    case "tool-call":
      return [bareCall(part, cut)];
    case "tool-result":
      return [
        bareResult(part, answered === undefined ? "result" : labelOf(described(answered)), { cut, formatValues }),
      ];
    case "image":
    case "file":
      return [
        {
          kind: "text",
          text: `[precis: ${part.kind} left out; recall ${cut("media", JSON.stringify(part.source), part.kind)}]`,
        },
      ];
    case "opaque":
      return [part];
  }
}

function bareResult(part: ToolResultPart, label: string, { cut, formatValues }: Shortening): ToolResultPart {
  const text = contentText(part.content);
  const plain = part.content.every((piece) => piece.kind === "text");
  if (plain && text.length <= KEEP_CHARS_MAX) return part;
  const id = cut("result", plain ? text : JSON.stringify(part.content), label);
  const values = formatValues(text);
  const short = values === undefined ? excerpt(text, id) : `[precis: ${values}; the whole result: recall ${id}]`;
  return { ...part, content: [{ kind: "text", text: short }] };
}

/** Says of a result in JSON what changed since it was last shown, or else its values; nothing of any other. */
function createValueFormatter(earlier: readonly Message[]): (text: string) => string | undefined {
  let results: string[] | undefined;
  return (text) => {
    results ??= earlier
      .filter(({ role }) => role === "tool")
      .slice(-EARLIER_RESULTS_MAX)
      .map((message) => contentText(resultOf(message)?.content ?? []));
    const changes = changesSince(results, text);
    results.push(text);
    const values = changes === undefined ? thingText(text) : `changed since it was last shown: ${changes}`;
    return values === undefined ? undefined : clipped(values, VALUES_CHARS_MAX);
  };
}

function excerpt(text: string, id: string): string {
  const start = text
    .slice(0, EXCERPT_CHARS)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd();
  const marker = `[precis: ${text.length - start.length} more characters left out; recall ${id}]`;
  return start === "" ? marker : `${start}\n${marker}`;
}

/** A marker object stands for the arguments as a whole: no fragment that a model could take for content and send again. */
function bareCall(part: ToolCallPart, cut: Cut): ToolCallPart {
  if (part.arguments.length <= KEEP_CHARS_MAX) return part;
  const id = cut("arguments", part.arguments, labelOf(described(part)));
  const { target } = described(part);
  const marker = `arguments left out${target === "" ? "" : ` (${target.slice(0, EXCERPT_CHARS)})`}; recall ${id}`;
  return { ...part, arguments: part.custom === true ? `[precis: ${marker}]` : JSON.stringify({ precis: marker }) };
}
