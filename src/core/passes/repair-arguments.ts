/**
 * Arguments that are not JSON (a reply cut off at its limit, mostly) make a strict provider refuse the whole request.
 * An object that says so takes their place, protected or not; the text as the model wrote it can be fetched back.
 */
import type { Evicted } from "../compaction/compaction.ts";
import { describeCall, labelOf } from "../digest/call.ts";
import { recallId } from "../transcript/links.ts";
import { callsOf, withParts, type Message } from "../transcript/message.ts";
import { argumentsAreJson } from "../transcript/oracle.ts";
import { type Pass, ownPlaces } from "./pass.ts";

export const repairArguments: Pass = (messages, { hash }) => {
  const evicted: Evicted[] = [];
  if (messages.every(isSound)) return { messages, from: ownPlaces(messages.length), evicted };
  const next = messages.map((message, index) => {
    if (isSound(message)) return message;
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

function isSound(message: Message): boolean {
  return callsOf(message).every(argumentsAreJson);
}
