/**
 * Half of a character, as a client leaves it that cuts a text at a number of UTF-16 units: no text in JSON for a strict provider,
 * which refuses the conversation for good (https://github.com/anthropics/claude-code/issues/69927). U+FFFD takes its place.
 */
import { type ContentPart, type Message, type Part, withParts } from "../transcript/message.ts";
import { ownPlaces, type Pass } from "./pass.ts";

/** A pair, a half, or any other escape of a JSON text. */
const ESCAPES = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[^]/g;
const HALF_CHARS = "\\ud83d".length;

export const repairText: Pass = (messages) => {
  const isSound = messages.every((message) => repaired(message) === message);
  return { messages: isSound ? messages : messages.map(repaired), from: ownPlaces(messages.length), evicted: [] };
};

/** Nearly all messages are in one request after another. */
const known = new WeakMap<Message, Message>();

function repaired(message: Message): Message {
  let result = known.get(message);
  if (result !== undefined) return result;
  const parts = message.parts.map(repairedPart);
  result = parts.every((part, at) => part === message.parts[at]) ? message : withParts(message, parts);
  if (Object.isFrozen(message.parts)) known.set(message, result);
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
