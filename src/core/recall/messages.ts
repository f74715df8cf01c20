/** Messages as a model or a person reads them again: under their numbers, whole or one line each, some of them or all. */
import { parseJson } from "../nesting.ts";
import { callsOf, contentText, type Message, type Role } from "../transcript/message.ts";
import { pairingOf } from "../transcript/pairing.ts";
import { oneLine } from "../digest/cut.ts";

export interface NumberedMessage {
  /** Its place in its conversation, from 1: what handoffs, searches and `recall` name it by. */
  readonly number: number;
  readonly role: Role;
  /** The tools that it calls, or whose result it is. */
  readonly tools: readonly string[];
  readonly text: string;
}

/** Numbers of the first and the last message, both included; `Infinity` for the last there is. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

/** Which messages of an original or a session are wanted; all where nothing is said. */
export interface MessageChoice {
  readonly ranges?: readonly MessageRange[] | undefined;
  readonly role?: Role | undefined;
}

export const ROLES: readonly Role[] = ["system", "user", "assistant", "tool"];

const OUTLINE_CHARS_MAX = 100;
const TOOLS_CHARS_MAX = 60;
const CALL_MARK = /^\[calls [^\]\n]*\]/gm;

/** The first of the messages has the number `first`. */
export function numbered(messages: readonly Message[], first: number): readonly NumberedMessage[] {
  const { answers } = pairingOf(messages);
  return messages.map((message, at) => {
    const answered = answers[at]?.call.name;
    const called = callsOf(message).map(({ name }) => name);
    return {
      number: first + at,
      role: message.role,
      tools: answered === undefined ? called : [answered],
      text: messageText(message),
    };
  });
}

export function messageText(message: Message): string {
  const said = contentText(message.parts);
  const calls = callsOf(message).map(({ name, arguments: given }) => `[calls ${name}]${argumentsText(given)}`);
  const media = message.parts.flatMap(({ kind }) => (kind === "image" || kind === "file" ? [`[${kind}]`] : []));
  return [said, ...calls, ...media].filter((piece) => piece !== "").join("\n");
}

/** Each argument on lines of its own, texts as they are and not as JSON writes them. */
function argumentsText(given: string): string {
  const value = objectIn(given);
  if (value === undefined) return given.trim() === "" ? "" : ` ${given}`;
  return Object.entries(value)
    .map(([key, one]) => `\n${key}: ${typeof one === "string" ? one : JSON.stringify(one)}`)
    .join("");
}

function objectIn(json: string): object | undefined {
  try {
    const value = parseJson(json);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a person says or a model concludes is looked for more often than what a tool gave or was given. */
export function weightOf({ role, tools }: Pick<NumberedMessage, "role" | "tools">): number {
  return role === "user" || (role === "assistant" && tools.length === 0) ? SPOKEN_WEIGHT : 1;
}

const SPOKEN_WEIGHT = 1.25;

export function chosen(messages: readonly NumberedMessage[], { ranges, role }: MessageChoice) {
  const isWanted = (number: number): boolean =>
    ranges === undefined || ranges.some(({ from, to }) => number >= from && number <= to);
  return messages.filter((message) => isWanted(message.number) && (role === undefined || message.role === role));
}

/** Each under a line that says which it is. */
export function messagesText(messages: readonly NumberedMessage[]): string {
  return messages.map((message) => `── ${titleOf(message)}\n${message.text}\n`).join("");
}

/** One line a message: its number, its role, its tool and its first words. */
export function outlineOf(message: NumberedMessage): string {
  const words = oneLine(message.text.replaceAll(CALL_MARK, ""), OUTLINE_CHARS_MAX);
  return words === "" ? titleOf(message) : `${titleOf(message)}: ${words}`;
}

export function titleOf({ number, role, tools }: Pick<NumberedMessage, "number" | "role" | "tools">): string {
  const named = oneLine([...new Set(tools)].join(", "), TOOLS_CHARS_MAX);
  return `${number} ${role}${named === "" ? "" : ` (${named})`}`;
}

const RANGE = /^#?(\d{1,9})(?:\s*(?:-|–|\.\.|to)\s*#?(\d{1,9})?)?$/;

const RANGES_MAX = 50;

/** `99-131`, `99`, `99-`, or several of them with commas between; undefined for anything else. */
export function rangesIn(text: string): readonly MessageRange[] | undefined {
  const ranges = text.split(/[,;]/, RANGES_MAX).map(rangeIn);
  return ranges.some((range) => range === undefined) ? undefined : (ranges as readonly MessageRange[]);
}

/** As it was asked for. */
export function rangesText(ranges: readonly MessageRange[]): string {
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to === Infinity ? "" : to}`)).join(",");
}

function rangeIn(text: string): MessageRange | undefined {
  const match = RANGE.exec(text.trim());
  if (match === null) return undefined;
  const from = Number(match[1]);
  const open = /[^\d]$/.test(text.trim());
  const to = match[2] === undefined ? (open ? Infinity : from) : Number(match[2]);
  return { from, to };
}
