/** Calls as another format takes them: names, ids and arguments. */
import { withParts, type Message, type Part, type ToolCallPart } from "../core/transcript/message.ts";
import { fieldsOf, jsonOf, tryParseJson } from "./fields.ts";
import type { Holds } from "./format.ts";
import type { Losses } from "./losses.ts";
import type { Session } from "./session.ts";
import { renamed, type ToolNames } from "./tools.ts";

interface CallOptions {
  readonly holds: Holds;
  readonly losses: Losses;
  readonly from: ToolNames;
  readonly to: ToolNames;
}

export function callsFor(session: Session, options: CallOptions): Session {
  const messages = session.messages.map((one) => {
    const message = withCalls(one.message, options);
    return message === one.message ? one : { ...one, message };
  });
  return { ...session, messages };
}

function withCalls(message: Message, options: CallOptions): Message {
  if (!message.parts.some((part) => part.kind === "tool-call")) return message;
  const parts = message.parts.map((part) => (part.kind === "tool-call" ? callFor(part, options) : part));
  return withParts(message, parts);
}

/** What every provider takes as the name of a tool. */
const NOT_IN_NAMES = /[^a-zA-Z0-9_-]/g;

function callFor(call: ToolCallPart, { holds, losses, from, to }: CallOptions): ToolCallPart {
  const free = call.custom === true;
  if (free && holds.freeTextCalls) return { ...call, name: nameFor(call.name, losses) };
  if (free) losses.note("free_text_call");
  const { kind, id } = call;
  const text = free ? jsonOf({ input: call.arguments }) : call.arguments;
  const counterpart = from === to || free ? undefined : renamed({ name: call.name, arguments: text }, from, to);
  if (from !== to) losses.note(counterpart === undefined ? "foreign_call" : "renamed_call");
  const name = counterpart?.name ?? nameFor(call.name, losses);
  return { kind, id, name, arguments: argumentsFor(counterpart?.arguments ?? text, holds, losses) };
}

function nameFor(name: string, losses: Losses): string {
  const valid = name.replaceAll(NOT_IN_NAMES, "_");
  if (valid !== name) losses.note("tool_name");
  return valid;
}

function argumentsFor(text: string, holds: Holds, losses: Losses): string {
  if (holds.argumentText) return text;
  const value = text === "" ? {} : tryParseJson(text);
  if (fieldsOf(value) !== undefined) return jsonOf(value);
  losses.note("wrapped_arguments");
  return jsonOf({ arguments: value ?? text });
}

/** Every id that the format would refuse gets one that it takes, the same for the call and its result. */
export function callIdsFor(session: Session, holds: Holds, losses: Losses): Session {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  const idFor = (id: string): string => {
    const known = ids.get(id);
    if (known !== undefined) return known;
    let valid = holds.callIds.test(id) ? id : id.replaceAll(NOT_IN_NAMES, "_").slice(0, CALL_ID_CHARS_MAX) || "call";
    for (let at = 2; taken.has(valid); at++) valid = `${valid.slice(0, CALL_ID_CHARS_MAX - 8)}_${at}`;
    taken.add(valid);
    ids.set(id, valid);
    if (valid !== id) losses.note("call_id");
    return valid;
  };
  const messages = session.messages.map((one) => {
    const parts = one.message.parts.map((part): Part => {
      if (part.kind === "tool-call") return { ...part, id: idFor(part.id) };
      return part.kind === "tool-result" ? { ...part, callId: idFor(part.callId) } : part;
    });
    return { ...one, message: withParts(one.message, parts) };
  });
  return { ...session, messages };
}

/** OpenAI's Responses API takes ids of at most this length. */
const CALL_ID_CHARS_MAX = 64;
