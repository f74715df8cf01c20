/** Replaces large tool results outside protection by their digests; what a result was can be fetched by its recall id. */
import { describeCall, described, labelOf, type CallSummary } from "../digest/call.ts";
import { digestResult, DIGEST_TRIGGER_TOKENS, mayExceed } from "../digest/digest.ts";
import { recallId } from "../transcript/links.ts";
import { namesIn } from "../digest/informative-lines.ts";
import { callsOf, contentText, type Message, type TextPart, type ToolResultPart } from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";
import type { Pass, PassContext } from "./pass.ts";
import { rewriteParts, type Evict } from "./rewrite.ts";

export interface DigestResultsOptions {
  /** Results up to this many tokens stay (Dual Compression chapter, 16.3: 500). */
  readonly triggerTokens?: number;
  /** In place of that, results up to this many characters stay (Zhang 2026, section 6: 200). */
  readonly triggerChars?: number;
  readonly targetTokens?: number;
}

/** How far ahead a digest looks for what the result was good for. */
const TURNS_AFTER = 2;
const CHARS_AFTER = 2_000;
const NAMES_AFTER = 20;

/** With the limits of the Dual Compression chapter, 16.3. */
export const digestResults: Pass = digestResultsWith({});

/** The pass that puts digests in place of results, with options of its own. */
export function digestResultsWith(options: DigestResultsOptions): Pass {
  return (messages, context) => {
    const { answers } = pairingOf(messages);
    const namesOf = memoised((index: number) => namesUsed(messages[index]!));
    return rewriteParts(messages, context, {
      rewrite: (part, index, evict) => {
        if (part.kind !== "tool-result") return part;
        const asked = answers[index]?.call;
        const call = memoised(() => describeCall(asked?.name ?? "result", asked?.arguments ?? ""));
        // Most results are small: neither their calls nor what followed need be looked at.
        return digested(part, {
          call,
          used: () => turnsAfter(messages, index).flatMap(namesOf),
          context,
          options,
          evict,
        });
      },
      origin: "digest",
    });
  };
}

/**
 * The assistant turns after a result. The lines that hold names which they use are those it was read for: hindsight
 * costs nothing here, because a digest is written long after the result.
 */
function turnsAfter(messages: readonly Message[], index: number): readonly number[] {
  const turns: number[] = [];
  for (let at = index + 1; at < messages.length && turns.length < TURNS_AFTER; at++)
    if (messages[at]!.role === "assistant") turns.push(at);
  return turns;
}

/** The names in what a turn said and called, lower case. */
function namesUsed(message: Message): readonly string[] {
  const values = callsOf(message).map((call) => described(call).values.join(" "));
  return [contentText(message.parts), ...values]
    .flatMap((text) => namesIn(text.slice(0, CHARS_AFTER), NAMES_AFTER))
    .map((name) => name.toLowerCase());
}

function memoised<Key extends number | void, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new Map<Key, T>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) made.set(key, (value = make(key)));
    return value;
  };
}

interface Digesting {
  readonly call: () => CallSummary;
  readonly used: () => readonly string[];
  readonly context: PassContext;
  readonly options: DigestResultsOptions;
  readonly evict: Evict;
}

/** Each text of a result on its own, so that what is evicted is exactly what was there. */
function digested(part: ToolResultPart, digesting: Digesting): ToolResultPart {
  const isError = part.isError === true;
  const content = part.content.map((piece) =>
    piece.kind === "text" ? digestedText(piece, isError, digesting) : piece,
  );
  return content.some((piece, at) => piece !== part.content[at]) ? { ...part, content: Object.freeze(content) } : part;
}

function digestedText(piece: TextPart, isError: boolean, { call, used, context, options, evict }: Digesting): TextPart {
  const { triggerChars, targetTokens } = options;
  const { triggerTokens = triggerChars === undefined ? DIGEST_TRIGGER_TOKENS : 0 } = options;
  if (triggerChars !== undefined && piece.text.length <= triggerChars) return piece;
  if (!mayExceed(piece.text, triggerTokens, context.measure.text)) return piece;
  const digest = digestResult({
    text: piece.text,
    call: call(),
    isError,
    focus: context.focus,
    used: used(),
    recall: recallId(piece.text, context.hash),
    tokens: context.measure.text,
    triggerTokens,
    ...(targetTokens === undefined ? {} : { targetTokens }),
  });
  if (digest === undefined) return piece;
  evict("result", piece.text, labelOf(call()));
  return Object.freeze({ ...piece, text: digest.text });
}
