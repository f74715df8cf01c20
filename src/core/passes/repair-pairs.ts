/**
 * Puts every result directly behind the turn that made its call. A result without a call is removed, a second result
 * of one call too, and a call without a result gets one that says so. A provider refuses anything else, so this holds
 * for protected messages as well; none of them is edited.
 */
import type { Evicted } from "../compaction/compaction.ts";
import { recallId, type Hash } from "../transcript/links.ts";
import { contentText, resultOf, type Message } from "../transcript/message.ts";
import { pairingOf, type Pairs } from "../transcript/pairing.ts";
import { type Pass, ownPlaces } from "./pass.ts";

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
