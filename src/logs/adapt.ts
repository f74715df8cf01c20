/**
 * A session as another format can hold it. Everything that has to change or stay behind is counted; nothing is made up. The
 * writers take what comes out of here, so that each says only how its format is spelled.
 */
import {
  withParts,
  type ContentPart,
  type Message,
  type Part,
  type ToolResultPart,
  type ToolCallPart,
  textMessage,
} from "../core/transcript/message.ts";
import { type Holds, type SessionFormat, type ToolNames, translateCall } from "./format.ts";
import { createLosses, type Losses, type Remark } from "./losses.ts";
import { type Session, type SessionMessage, liveMessages, type RecordedCompaction } from "./log.ts";
import { asFields, toJson, tryParseJson } from "./fields.ts";

interface Adapted {
  readonly session: Session;
  readonly remarks: readonly Remark[];
}

export function adapt(session: Session, { holds, name, tools }: SessionFormat, from: ToolNames): Adapted {
  const losses = createLosses();
  const own = session.format === name;
  const keepsSystem = own && holds.ownSystem;
  if (!keepsSystem) losses.note("system_prompt", session.system.length);
  losses.note("record", session.otherRecords ?? 0);
  const chosen = compactionsFor(session, holds, losses);
  const spoken = { ...chosen, messages: chosen.messages.map((one) => messageFor(one, holds, losses)) };
  const called = callsFor(callIdsFor(spoken, holds, losses), { holds, losses, from, to: own ? from : tools });
  const merged = openedFor(mergedFor(sortedFor(called, holds, losses), holds, losses), holds, losses);
  const messages = merged.messages.map((one) => trimmedFor(one, holds, losses));
  return { session: { ...merged, messages, system: keepsSystem ? session.system : [] }, remarks: losses.remarks() };
}

function messageFor(one: SessionMessage, holds: Holds, losses: Losses): SessionMessage {
  const { message, injected, timeMs } = one;
  const system = message.role === "system" && !holds.systemMessages;
  if (system) losses.note("system_message");
  const marked = injected === true || system;
  if (marked && !holds.injectedMarks) losses.note("injected_mark");
  const parts = message.parts.flatMap((part) => partFor(part, message, holds, losses));
  const role = system ? "user" : message.role;
  return {
    message: {
      ...withParts({ role, parts }, parts),
      ...(message.origin === "summary" && { origin: "summary" }),
    },
    ...(timeMs !== undefined && { timeMs }),
    ...(marked && holds.injectedMarks && { injected: true }),
  };
}

function partFor(part: Part, message: Message, holds: Holds, losses: Losses): readonly Part[] {
  switch (part.kind) {
    case "reasoning":
      if (holds.thinking && part.text !== "") return [{ kind: "reasoning", text: part.text }];
      losses.note("thinking");
      return [];
    case "tool-call":
      return [part];
    case "tool-result":
      return [resultFor(part, holds, losses)];
    case "text":
      // An empty text says nothing, and most formats drop it.
      return part.text.trim() === "" ? [] : [{ kind: "text", text: part.text }];
    default:
      return [contentFor(part, message.role === "user" ? "user" : "elsewhere", holds, losses)];
  }
}

/** Removes the white space around a text for formats that keep none, and counts it. */
function trimmedFor(one: SessionMessage, holds: Holds, losses: Losses): SessionMessage {
  if (holds.outerSpace || one.message.role === "tool") return one;
  const parts = one.message.parts.map((part): Part => {
    if (part.kind !== "text") return part;
    const text = part.text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
    if (text === part.text) return part;
    losses.note("trimmed_text");
    return { kind: "text", text };
  });
  return { ...one, message: withParts(one.message, parts) };
}

function resultFor(part: ToolResultPart, holds: Holds, losses: Losses): ToolResultPart {
  const { kind, callId } = part;
  const isError = part.isError === true && holds.errorMarks;
  if (part.isError === true && !isError) losses.note("error_mark");
  const content = part.content.flatMap((piece): readonly ContentPart[] =>
    piece.kind !== "text"
      ? [contentFor(piece, part.isError === true ? "failed" : "result", holds, losses)]
      : piece.text === ""
        ? []
        : [{ kind: "text", text: piece.text }],
  );
  const one = resultContent(content, holds, losses);
  return isError ? { kind, callId, content: one, isError: true } : { kind, callId, content: one };
}

/** Texts of a result come first, joined to one if the format has a place for only one. */
function resultContent(content: readonly ContentPart[], holds: Holds, losses: Losses): readonly ContentPart[] {
  if (holds.oneText === "nowhere") return content;
  const texts = content.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const rest = content.filter((part) => part.kind !== "text");
  if (texts.length > 1) losses.note("joined_texts");
  return [...(texts.length === 0 ? [] : [{ kind: "text", text: texts.join("\n") } as const]), ...rest];
}

function remark(what: string): ContentPart {
  return { kind: "text", text: `[precis: ${what} that could not be carried]` };
}

type Where = "user" | "result" | "failed" | "elsewhere";

const IMAGE_PLACES: Readonly<Record<Holds["images"], readonly Where[]>> = {
  everywhere: ["user", "result", "failed"],
  not_in_errors: ["user", "result"],
  user: ["user"],
  nowhere: [],
};

/** Media as data if the format has a place for them, otherwise a remark. */
function contentFor(
  part: Exclude<ContentPart, { kind: "text" }>,
  where: Where,
  holds: Holds,
  losses: Losses,
): ContentPart {
  if (part.kind === "opaque") {
    if (part.told !== undefined) return { kind: "text", text: part.told };
    losses.note("block");
    return remark(`a block of the type ${part.type}`);
  }
  const { source } = part;
  if (part.kind === "image") {
    if (IMAGE_PLACES[holds.images].includes(where) && source.type === "data") return { kind: "image", source };
    losses.note("image");
    return remark("an image");
  }
  if (holds.files && where === "user" && source.type === "data")
    return part.name === undefined ? { kind: "file", source } : { kind: "file", source, name: part.name };
  losses.note("file");
  return remark(part.name === undefined ? "a file" : `the file ${part.name}`);
}

function compactionsFor(session: Session, holds: Holds, losses: Losses): Session {
  const { messages, compactions } = session;
  const recorded = new Set(compactions.map(({ summary }) => summary));
  switch (holds.compactions) {
    case "live": {
      const live = liveMessages(session);
      losses.note("replaced_history", messages.length - live.length);
      return { ...asMessages({ ...session, messages: live }, losses, () => false), compactions: [] };
    }
    case "any": {
      const ordered = holds.summaryFirst ? compactions.map((one) => summaryFirst(one, losses)) : compactions;
      return { ...asMessages(session, losses, (at) => recorded.has(at)), compactions: ordered };
    }
    case "newest":
      return withNewest(
        asMessages(session, losses, (at) => recorded.has(at)),
        losses,
      );
  }
}

/** Summaries that no recorded compaction has are ordinary messages. */
function asMessages(session: Session, losses: Losses, isRecorded: (at: number) => boolean): Session {
  const messages = session.messages.map((one, at): SessionMessage => {
    if (one.message.origin !== "summary" || isRecorded(at)) return one;
    losses.note("summary_as_message");
    const { role, parts } = one.message;
    return { ...one, message: { role, parts } };
  });
  return { ...session, messages };
}

function summaryFirst(compaction: RecordedCompaction, losses: Losses): RecordedCompaction {
  const { summary, context } = compaction;
  if (context[0] === summary) return compaction;
  losses.note("context_order");
  return { ...compaction, context: [summary, ...context.filter((at) => at !== summary)] };
}

/**
 * A format that names the first message that stays can keep no others: those are repeated behind the summary, where the
 * model reads them as before.
 */
function withNewest(session: Session, losses: Losses): Session {
  const messages: SessionMessage[] = [];
  const places: number[] = [];
  const compactions: RecordedCompaction[] = [];
  const due = new Map(session.compactions.map((one) => [one.summary, one]));
  session.messages.forEach((one, at) => {
    places.push(messages.length);
    messages.push(one);
    const compaction = due.get(at);
    if (compaction === undefined) return;
    const { context } = summaryFirst(compaction, losses);
    const kept = context.filter((index) => index < at);
    const isRun = kept.every((index, place) => index === at - kept.length + place);
    const copies = isRun ? [] : kept.map((index) => session.messages[index]!);
    losses.note("kept_copy", copies.length);
    for (const each of copies) messages.push(each);
    const left = isRun ? kept.map((index) => places[index]!) : [];
    compactions.push({ at: places[at]!, summary: places[at]!, context: [places[at]!, ...left] });
  });
  return { ...session, messages, compactions };
}

interface CallOptions {
  readonly holds: Holds;
  readonly losses: Losses;
  readonly from: ToolNames;
  readonly to: ToolNames;
}

function callsFor(session: Session, options: CallOptions): Session {
  const messages = session.messages.map((one) => {
    if (!one.message.parts.some((part) => part.kind === "tool-call")) return one;
    const parts = one.message.parts.map((part) => (part.kind === "tool-call" ? callFor(part, options) : part));
    return { ...one, message: withParts(one.message, parts) };
  });
  return { ...session, messages };
}

/** What every provider takes as the name of a tool. */
const NOT_IN_NAMES = /[^a-zA-Z0-9_-]/g;

function callFor(call: ToolCallPart, { holds, losses, from, to }: CallOptions): ToolCallPart {
  const free = call.custom === true;
  if (free && holds.freeTextCalls) return { ...call, name: nameFor(call.name, losses) };
  if (free) losses.note("free_text_call");
  const { kind, id } = call;
  const text = free ? toJson({ input: call.arguments }) : call.arguments;
  const counterpart = from === to || free ? undefined : translateCall({ name: call.name, arguments: text }, from, to);
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
  if (asFields(value) !== undefined) return toJson(value);
  losses.note("wrapped_arguments");
  return toJson({ arguments: value ?? text });
}

/** Every id that the format would refuse gets one that it takes, the same for the call and its result. */
function callIdsFor(session: Session, holds: Holds, losses: Losses): Session {
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

function sortedFor(session: Session, holds: Holds, losses: Losses): Session {
  const messages = holds.resultOrder ? session.messages : withResultsInOrder(session.messages, losses);
  return {
    ...session,
    messages: messages.map((one) => {
      const parts = oneText(sortedParts(one, holds, losses), one, holds, losses);
      return parts === one.message.parts ? one : { ...one, message: withParts(one.message, parts) };
    }),
  };
}

const PART_RANKS: Partial<Readonly<Record<Part["kind"], number>>> = { reasoning: 0, "tool-call": 2 };

function sortedParts({ message }: SessionMessage, holds: Holds, losses: Losses): readonly Part[] {
  if (holds.parts === "any" || message.role !== "assistant") return message.parts;
  const sorted = message.parts.toSorted((a, b) => (PART_RANKS[a.kind] ?? 1) - (PART_RANKS[b.kind] ?? 1));
  if (sorted.some((part, at) => part !== message.parts[at])) losses.note("part_order");
  return sorted;
}

/** Texts become one text, and pieces of thinking one piece, each in the place of its first. */
function oneText(parts: readonly Part[], { message }: SessionMessage, holds: Holds, losses: Losses): readonly Part[] {
  if (holds.oneText !== "everywhere" || message.role === "tool") return parts;
  const joined = joinParts(joinParts(parts, "text"), "reasoning");
  if (joined.length < parts.length) losses.note("joined_texts");
  return joined.length < parts.length ? joined : parts;
}

function joinParts(parts: readonly Part[], kind: "text" | "reasoning"): readonly Part[] {
  const texts = parts.flatMap((part) => (part.kind === kind ? [part.text] : []));
  if (texts.length < 2) return parts;
  const first = parts.findIndex((part) => part.kind === kind);
  return parts.flatMap((part, at): readonly Part[] => {
    if (part.kind !== kind) return [part];
    return at === first ? [{ kind, text: texts.join("\n\n") }] : [];
  });
}

const OPENING = "[precis: the session begins with this reply]";

function openedFor(session: Session, holds: Holds, losses: Losses): Session {
  const [first] = session.messages;
  if (!holds.opensWithUser || first === undefined || first.message.role === "user") return session;
  losses.note("opening");
  const { timeMs } = first;
  const opening = { message: textMessage("user", OPENING), ...(timeMs !== undefined && { timeMs }) };
  const compactions = session.compactions.map(({ at, summary, context }) => ({
    at: at + 1,
    summary: summary + 1,
    context: context.map((index) => index + 1),
  }));
  return { ...session, messages: [opening, ...session.messages], compactions };
}

/** Results are right behind their turn; a compaction's context is a list of places, which stay. */
function withResultsInOrder(messages: readonly SessionMessage[], losses: Losses): readonly SessionMessage[] {
  const ordered = [...messages];
  for (let from = 0; from < ordered.length; from++) {
    const calls = ordered[from]!.message.parts.flatMap((part) => (part.kind === "tool-call" ? [part.id] : []));
    let end = from + 1;
    while (ordered[end]?.message.role === "tool") end++;
    if (calls.length < 2) continue;
    const results = ordered.slice(from + 1, end);
    const sorted = results.toSorted((a, b) => calls.indexOf(findCallId(a)) - calls.indexOf(findCallId(b)));
    if (sorted.some((one, at) => one !== results[at])) losses.note("result_order");
    for (const [at, one] of sorted.entries()) ordered[from + 1 + at] = one;
  }
  return ordered;
}

function findCallId({ message }: SessionMessage): string {
  const [part] = message.parts;
  return part?.kind === "tool-result" ? part.callId : "";
}

function mergedFor(session: Session, holds: Holds, losses: Losses): Session {
  const said = session.messages.map((one) => one.message.parts.length > 0);
  const fixed = new Set(session.compactions.flatMap(({ at, summary }) => [at, summary, summary + 1]));
  const messages: SessionMessage[] = [];
  // Where each message went; an empty one is nowhere.
  const places = session.messages.map((one, at) => {
    if (!said[at]) return -1;
    const last = messages.at(-1);
    if (last === undefined || fixed.has(at) || !isOneWith(last, one, holds)) return messages.push(one) - 1;
    losses.note("merged_messages");
    const parts = oneText([...last.message.parts, ...one.message.parts], last, holds, losses);
    messages[messages.length - 1] = { ...last, message: withParts(last.message, parts) };
    return messages.length - 1;
  });
  return { ...session, messages, compactions: session.compactions.map((one) => movedTo(one, places, messages.length)) };
}

function isOneWith(last: SessionMessage, next: SessionMessage, { mergesReplies }: Holds): boolean {
  if (!mergesReplies || last.injected !== next.injected) return false;
  return [last, next].every(({ message: { role, origin } }) => role === "assistant" && origin !== "summary");
}

function movedTo(
  { at, summary, context }: RecordedCompaction,
  places: readonly number[],
  count: number,
): RecordedCompaction {
  const next = places.slice(at).find((place) => place >= 0) ?? count;
  return {
    at: next,
    summary: places[summary]!,
    context: [...new Set(context.map((index) => places[index]!).filter((place) => place >= 0))],
  };
}
