/**
 * Replaces large tool results outside protection by their digests, and console output in the user's name likewise; what a
 * result was can be fetched by its recall id.
 */
import { keptWith } from "../kept.ts";
import { describeCall, described, labelOf } from "../digest/call.ts";
import { digestResult, DIGEST_TRIGGER_TOKENS, mayExceed, hasLines } from "../digest/digest.ts";
import { isConsoleOutput } from "../events/console.ts";
import { recallId } from "../transcript/links.ts";
import { namesIn } from "../digest/informative-lines.ts";
import {
  callsOf,
  contentText,
  type Message,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
} from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";
import { type Pass, type PassContext, rewriteParts, type Evict } from "./pass.ts";

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
    return rewriteParts(messages, context, {
      rewrite: (part, index, evict) => {
        const asked = answers[index]?.call;
        // Most results are small: neither their calls nor what followed need be looked at.
        const used = (): readonly string[] => turnsAfter(messages, index).flatMap((turn) => namesUsed(messages[turn]!));
        const digesting = { asked, used, context, options, evict };
        if (part.kind === "tool-result") return digested(part, digesting);
        const isConsole = part.kind === "text" && messages[index]!.role === "user" && isConsoleOutput(part.text);
        return isConsole ? digestedText(part, false, digesting) : part;
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

/** The names in what each turn said and called, lower case. */
const namesUsed = keptWith((turn: Message) => {
  const values = callsOf(turn).map((call) => described(call).values.join(" "));
  const names = [contentText(turn.parts), ...values].flatMap((text) =>
    namesIn(text.slice(0, CHARS_AFTER), NAMES_AFTER),
  );
  return names.map((name) => name.toLowerCase());
});

interface Digesting {
  readonly asked: ToolCallPart | undefined;
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

function digestedText(piece: TextPart, isError: boolean, { asked, used, ...digesting }: Digesting): TextPart {
  const { context, options, evict } = digesting;
  const { triggerChars, targetTokens } = options;
  const { triggerTokens = triggerChars === undefined ? DIGEST_TRIGGER_TOKENS : 0 } = options;
  if (triggerChars !== undefined && piece.text.length <= triggerChars) return piece;
  if (!mayExceed(piece.text, triggerTokens, context.measure.text)) return piece;
  const call = asked === undefined ? describeCall("result", "") : described(asked);
  const text = digestResult({
    text: piece.text,
    call,
    isError,
    focus: context.focus,
    used: hasLines(piece.text) ? used() : [],
    recall: recallId(piece.text, context.hash),
    tokens: context.measure.text,
    triggerTokens,
    ...(targetTokens === undefined ? {} : { targetTokens }),
  })?.text;
  if (text === undefined) return piece;
  evict("result", piece.text, labelOf(call));
  return Object.freeze({ ...piece, text });
}
