/**
 * Puts every result directly behind the turn that made its call. A result without a call is removed, a second result
 * of one call too, and a call without a result gets one that says so. A provider refuses anything else, so this holds
 * for protected messages as well; none of them is edited.
 */
import type { Evicted } from "../compaction/compaction.ts";
import { recallId, type Hash } from "../transcript/links.ts";
import {
  contentText,
  resultOf,
  type Message,
  callsOf,
  withParts,
  type ContentPart,
  type Part,
} from "../transcript/message.ts";
import { pairingOf, type Pairs } from "../transcript/pairing.ts";
import { type Pass, ownPlaces } from "./pass.ts";
import { describeCall, labelOf } from "../digest/call.ts";
import { argumentsAreJson } from "../transcript/oracle.ts";

export const repairPairs: Pass = (messages, { hash }) => {
  const pairs = pairingOf(messages);
  if (isInOrder(messages, pairs)) return { messages, from: ownPlaces(messages.length), evicted: [] };
  const { answers, unanswered } = pairs;
  const results = new Map<number, number[]>();
  const evicted: Evicted[] = [];
  messages.forEach((message, index) => {
    if (message.role !== "tool") return;
    const asked = answers[index];
    if (asked !== undefined) listAt(results, asked.message).push(index);
    else evicted.push(orphanOf(message, index, hash));
  });
  const missing = new Map<number, string[]>();
  for (const { call, message } of unanswered) listAt(missing, message).push(call.id);

  const placed: { readonly message: Message; readonly from: number }[] = [];
  messages.forEach((message, index) => {
    if (message.role === "tool") return;
    placed.push({ message, from: index });
    for (const result of results.get(index) ?? []) placed.push({ message: messages[result]!, from: result });
    for (const id of missing.get(index) ?? []) placed.push({ message: stubResult(id), from: -1 });
  });
  return { messages: placed.map(({ message }) => message), from: placed.map(({ from }) => from), evicted };
};

/** Whether every result is behind the turn that made its call, and every call has one. */
function isInOrder(messages: readonly Message[], { answers, unanswered }: Pairs): boolean {
  let turn = -1;
  return (
    unanswered.length === 0 &&
    messages.every(({ role }, at) => {
      if (role !== "tool") turn = at;
      return role !== "tool" || answers[at]?.message === turn;
    })
  );
}

function listAt<T>(lists: Map<number, T[]>, key: number): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

/** A result that answers no call, as it is kept: its text, or its whole content as JSON where it holds more than text. */
export function orphanOf(message: Message, index: number, hash: Hash): Evicted {
  const content = resultOf(message)?.content ?? message.parts;
  const original = content.every(({ kind }) => kind === "text") ? contentText(content) : JSON.stringify(content);
  return { id: recallId(original, hash), kind: "result", message: index, original, label: "result without its call" };
}

/** Says what is known and no more: whether the tool ran cannot be told from its missing result. */
function stubResult(callId: string): Message {
  const content = Object.freeze([
    Object.freeze({ kind: "text", text: "[precis: the transcript holds no result of this call]" } as const),
  ]);
  return Object.freeze({
    role: "tool",
    parts: Object.freeze([Object.freeze({ kind: "tool-result", callId, content } as const)]),
    origin: "stub",
  });
}

// Arguments that are not JSON (a reply cut off at its limit, mostly) make a strict provider refuse the whole request.
// An object that says so takes their place, protected or not; the text as the model wrote it can be fetched back.

export const repairArguments: Pass = (messages, { hash }) => {
  const evicted: Evicted[] = [];
  if (messages.every(hasSoundArguments)) return { messages, from: ownPlaces(messages.length), evicted };
  const next = messages.map((message, index) => {
    if (hasSoundArguments(message)) return message;
    const parts = message.parts.map((part) => {
      if (part.kind !== "tool-call" || argumentsAreJson(part)) return part;
      const original = part.arguments;
      const id = recallId(original, hash);
      const label = labelOf(describeCall(part.name, original));
      evicted.push({ id, kind: "arguments", message: index, original, label });
      return Object.freeze({ ...part, arguments: JSON.stringify({ precis: `invalid JSON left out; recall ${id}` }) });
    });
    return withParts(message, parts, "digest");
  });
  return { messages: next, from: ownPlaces(messages.length), evicted };
};

function hasSoundArguments(message: Message): boolean {
  return callsOf(message).every(argumentsAreJson);
}

// Half of a character, as a client leaves it that cuts a text at a number of UTF-16 units: no text in JSON for a strict provider,
// which refuses the conversation for good (https://github.com/anthropics/claude-code/issues/69927). U+FFFD takes its place.

/** A pair, a half, or any other escape of a JSON text. */
const ESCAPES = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[^]/g;
const HALF_CHARS = "\\ud83d".length;

export const repairText: Pass = (messages) => {
  const isSound = messages.every((message) => repaired(message) === message);
  return { messages: isSound ? messages : messages.map(repaired), from: ownPlaces(messages.length), evicted: [] };
};

/** Nearly all messages are in one request after another. */
const repairedBefore = new WeakMap<Message, Message>();

function repaired(message: Message): Message {
  let result = repairedBefore.get(message);
  if (result !== undefined) return result;
  const parts = message.parts.map(repairedPart);
  result = parts.every((part, at) => part === message.parts[at]) ? message : withParts(message, parts);
  if (Object.isFrozen(message.parts)) repairedBefore.set(message, result);
  return result;
}

function repairedPart(part: Part): Part {
  if (part.kind === "tool-result") {
    const content = part.content.map(repairedContent);
    return content.every((piece, at) => piece === part.content[at]) ? part : Object.freeze({ ...part, content });
  }
  if (part.kind !== "tool-call") return part.kind === "reasoning" ? part : repairedContent(part);
  const whole = part.arguments
    .toWellFormed()
    .replace(ESCAPES, (escape) => (escape.length === HALF_CHARS ? "\\ufffd" : escape));
  return whole === part.arguments ? part : Object.freeze({ ...part, arguments: whole });
}

function repairedContent(part: ContentPart): ContentPart {
  return part.kind !== "text" || part.text.isWellFormed()
    ? part
    : Object.freeze({ ...part, text: part.text.toWellFormed() });
}
