/** Texts by which messages, outcomes and states are compared: equal when nothing that counts differs. */
import type { Message, Part, Transcript } from "../../core/transcript/message.ts";
import type { Outcome } from "../../core/engines/contract.ts";

/** Everything of a message but what the other messages of its wire slice say. */
export function printOf({ wire, ...message }: Message): string {
  return JSON.stringify(wire === undefined ? message : { ...message, raw: wire.raw });
}

export function printOfAll({ system, messages, tools }: Transcript): string {
  return JSON.stringify([system.map(printOf), messages.map(printOf), tools ?? null]);
}

export function printOfOutcome(outcome: Outcome): string {
  if (outcome.kind === "unchanged") return JSON.stringify(outcome);
  const { after, system = [], ...rest } = outcome.compaction;
  return JSON.stringify([rest, after.map(printOf), system.map(printOf)]);
}

/** Whether JSON can hold a value: a `Map`, a `Date`, a function or a NaN would not come back from the store. */
export function isPlain(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object":
      break;
    default:
      return false;
  }
  if (value === null) return true;
  const isBare = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value) as object);
  return isBare && Object.values(value).every(isPlain);
}

/** All that a model could read an id from. */
export function readableOf(messages: readonly Message[]): string {
  return messages.flatMap(({ parts }) => parts.map(readable)).join("\n");
}

function readable(part: Part): string {
  switch (part.kind) {
    case "text":
      return part.text;
    case "tool-call":
      return part.arguments;
    case "tool-result":
      return part.content.map(readable).join("\n");
    default:
      return "";
  }
}
