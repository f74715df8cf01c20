/**
 * Call ids in the form the target provider accepts. The mapping depends on the id alone, plus a count where ids repeat,
 * so a longer transcript keeps the ids of its prefix and the provider's cache stays warm.
 */
import { callsOf, resultOf, type Message, type ToolCallPart, type ToolResultPart } from "../core/transcript/message.ts";
import { createPairing } from "../core/transcript/pairing.ts";
import type { IdRules, WriteContext } from "./dialect.ts";

const HASH_HEX_DIGITS = 8;

/** FNV-1a over UTF-16 code units: enough to keep two ids apart after their odd characters are gone. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(HASH_HEX_DIGITS, "0");
}

/** The id itself where the rules accept it, else what is left of it with a hash of the whole. */
function acceptedId(id: string, { pattern, maxChars }: IdRules): string {
  if (id.length > 0 && id.length <= maxChars && pattern.test(id)) return id;
  const kept = id.slice(0, maxChars - HASH_HEX_DIGITS - 1).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${kept}_${shortHash(id)}`;
}

/** What a call goes out as; its result shares it. */
interface Pair {
  readonly name: string;
  readonly custom: boolean;
  readonly tool: string;
}

/** Pairs calls and results in order, turn by turn, and names each pair; ids of messages that keep their bytes stay. */
export function pairsOf(
  messages: readonly Message[],
  hasBytes: (message: Message) => boolean,
  rules: IdRules,
): Pick<WriteContext, "idOf" | "answersCustom" | "nameOf"> {
  const pairs = new Map<ToolCallPart | ToolResultPart, Pair>();
  const used = new Set<string>();
  const latest = new Map<string, Pair>();
  const pairing = createPairing<Pair>();
  const answer = (result: ToolResultPart): void => {
    const pair = pairing.answer(result.callId) ?? latest.get(result.callId);
    if (pair !== undefined) pairs.set(result, pair);
  };
  const ask = (call: ToolCallPart, turn: number, fixed: boolean): void => {
    const name = fixed ? call.id : unusedId(acceptedId(call.id, rules), used, rules);
    const pair = { name, custom: call.custom === true, tool: call.name };
    used.add(name);
    pairs.set(call, pair);
    latest.set(call.id, pair);
    pairing.ask(call.id, turn, pair);
  };
  messages.forEach((message, at) => {
    for (const call of callsOf(message)) ask(call, at, hasBytes(message));
    const result = resultOf(message);
    if (result !== undefined) answer(result);
  });
  return {
    idOf: (part) => pairs.get(part)?.name ?? acceptedId(part.kind === "tool-call" ? part.id : part.callId, rules),
    answersCustom: (part) => pairs.get(part)?.custom === true,
    nameOf: (part) => pairs.get(part)?.tool,
  };
}

function unusedId(id: string, used: ReadonlySet<string>, rules: IdRules): string {
  if (!rules.unique || !used.has(id)) return id;
  for (let count = 2; ; count++) {
    const suffix = `_${count}`;
    const next = id.slice(0, rules.maxChars - suffix.length) + suffix;
    if (!used.has(next)) return next;
  }
}
