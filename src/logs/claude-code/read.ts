/**
 * Claude Code sessions: one line for every block of a reply, results between the lines of the reply that asked, the
 * conversations of subagents among them, and what the person typed while the agent worked in lines of their own.
 */
import type { Usage } from "../../core/engines/contract.ts";
import type { ContentPart, Part } from "../../core/transcript/message.ts";
import { readBlocks, contentParts, replyPart, activeBranch, readMessage, withoutKept } from "./branch.ts";
import { asFields, toJson, asText, type Fields, asList } from "../fields.ts";
import { readLines, readTimes, type Line, type LogText } from "../lines.ts";
import {
  type MessageDraft,
  type History,
  type LogNote,
  type FormatReading,
  makeNote,
  makeSaid,
  readUsage,
} from "../log.ts";

export function readClaudeCode(text: LogText, history: History): FormatReading {
  const { lines, notes } = readLines(text);
  const { main, skipped } = mainConversation(lines);
  const branch = activeBranch(main, history);
  const sent = history === "all" ? withoutKept(branch.lines) : branch.lines;
  const read = tell(sent, deliveredTexts(main), findBoundaries(main));
  return {
    id: asText(lines.findLast((line) => asText(line.record["sessionId"]) !== undefined)?.record["sessionId"]),
    title: asText(lines.findLast((line) => line.record["type"] === "custom-title")?.record["customTitle"]),
    drafts: read.drafts,
    model: read.model,
    usage: read.usage,
    notes: [...notes, ...skipped, ...branch.notes, ...read.notes, ...unknownTypes(lines)],
    recognised: lines.filter((line) => isClaudeLine(line.record)).length,
    cwd: asText(lines.findLast((line) => asText(line.record["cwd"]) !== undefined)?.record["cwd"]),
    times: readTimes(lines),
  };
}

export function isClaudeLine(record: Fields): boolean {
  const type = asText(record["type"]);
  if (type === "user" || type === "assistant")
    return asText(record["uuid"]) !== undefined && asFields(record["message"])?.["content"] !== undefined;
  if (type === "file-history-snapshot" || (type === "summary" && "leafUuid" in record)) return true;
  // A relative of this format has lines of the same kinds, recognised by their payloads and messages.
  const linked = "uuid" in record && ("parentUuid" in record || "logicalParentUuid" in record);
  return (
    type !== undefined &&
    BOOKKEEPING.has(type) &&
    "sessionId" in record &&
    linked &&
    !("systemPayload" in record) &&
    !("message" in record)
  );
}

/** Lines that carry no conversation of their own. */
const BOOKKEEPING = new Set(
  `agent-name ai-title api-request api-request-blob api-request-shape atis-latch attachment cost-state custom-title
   file-history-snapshot frame-link last-prompt mode permission-mode pr-link progress queue-operation relocated result started
   summary system tag task-summary tools-used worktree-state`.split(/\s+/),
);

/** A file that is nothing but a subagent's conversation is read as one. */
function mainConversation(lines: readonly Line[]): {
  readonly main: readonly Line[];
  readonly skipped: readonly LogNote[];
} {
  const side = lines.filter((line) => line.record["isSidechain"] === true);
  const main = lines.filter((line) => line.record["isSidechain"] !== true);
  if (side.length === 0) return { main, skipped: [] };
  if (!main.some((line) => readMessage(line) !== undefined)) return { main: lines, skipped: [] };
  const text = `${side.length} lines of subagents are not part of the conversation`;
  return { main, skipped: [{ code: "sidechain_skipped", line: side[0]!.at, text }] };
}

function unknownTypes(lines: readonly Line[]): readonly LogNote[] {
  const found = Map.groupBy(lines, (line) => asText(line.record["type"]) ?? "none");
  return [...found].flatMap(([type, group]) =>
    type === "user" || type === "assistant" || BOOKKEEPING.has(type)
      ? []
      : makeNote("unknown_type", group[0]!.at, `${group.length} lines of the unknown type ${type}`),
  );
}

/** What comes right behind one took the place of the messages before it, whoever wrote it. */
function findBoundaries(lines: readonly Line[]): ReadonlySet<unknown> {
  const boundaries = lines.filter(({ record }) => record["subtype"] === "compact_boundary" && "uuid" in record);
  return new Set(boundaries.map(({ record }) => record["uuid"]));
}

interface ReadState {
  readonly boundaries: ReadonlySet<unknown>;
  readonly drafts: MessageDraft[];
  readonly notes: LogNote[];
  readonly replies: Map<string, Reply>;
  model?: string | undefined;
  usage?: Usage | undefined;
}

interface Reply {
  readonly parts: Part[];
  readonly seen: Set<string>;
}

function tell(lines: readonly Line[], queued: ReadonlyMap<Line, string>, boundaries: ReadonlySet<unknown>): ReadState {
  const telling: ReadState = { boundaries, drafts: [], notes: [], replies: new Map() };
  for (const line of lines) {
    switch (line.record["type"]) {
      case "assistant":
        addReply(telling, line);
        break;
      case "user":
        addUser(telling, line);
        break;
      case "attachment":
        addAttachment(telling, line);
        break;
      case "queue-operation":
        addMessage(telling, line, contentParts(queued.get(line)));
        break;
      case "system":
        // The output of a command that the person ran inside the agent.
        if (line.record["subtype"] === "local_command")
          addMessage(telling, line, contentParts(line.record["content"]), { injected: true });
        break;
    }
  }
  return telling;
}

function addReply(telling: ReadState, line: Line): void {
  const message = readMessage(line);
  if (line.record["isApiErrorMessage"] === true) {
    telling.notes.push(makeNote("not_sent", line.at, "an API error that only the user saw"));
    return;
  }
  telling.model = readModel(message) ?? telling.model;
  telling.usage = readUsage(asFields(message?.["usage"]), USAGE) ?? telling.usage;
  const id = asText(message?.["id"]);
  const reply = (id === undefined ? undefined : telling.replies.get(id)) ?? newReply(telling, line, id);
  for (const block of readBlocks(message?.["content"])) addBlock(telling, reply, { line, block });
}

function newReply(telling: ReadState, line: Line, id: string | undefined): Reply {
  const reply: Reply = { parts: [], seen: new Set() };
  if (id !== undefined) telling.replies.set(id, reply);
  // The message shares the growing list: the lines of one reply may be anywhere until its results end.
  telling.drafts.push(makeSaid(line.at, { role: "assistant", parts: reply.parts }));
  return reply;
}

/** Retries and streaming write a block again, or a longer version of it: the last is the whole. */
function addBlock(
  telling: ReadState,
  reply: Reply,
  { line, block }: { readonly line: Line; readonly block: Fields },
): void {
  const part = replyPart(block);
  const key = part.kind === "tool-call" && part.id !== "" ? part.id : toJson(part);
  if (reply.seen.has(key)) {
    telling.notes.push(makeNote("repeated", line.at, "a block of a reply is in the file more than once"));
    return;
  }
  reply.seen.add(key);
  const last = reply.parts.at(-1);
  const grown =
    part.kind === "text" && last?.kind === "text" && last.text.trim() !== "" && part.text.startsWith(last.text);
  if (grown) reply.parts.pop();
  reply.parts.push(part);
}

const USAGE = {
  fresh: "input_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens",
  output: "output_tokens",
};

function readModel(message: Fields | undefined): string | undefined {
  const model = asText(message?.["model"]);
  return model?.startsWith("<") ? undefined : model;
}

function addUser(telling: ReadState, line: Line): void {
  const { record } = line;
  const summary = record["isCompactSummary"] === true || telling.boundaries.has(record["parentUuid"]);
  if (record["isVisibleInTranscriptOnly"] === true && !summary) {
    telling.notes.push(makeNote("not_sent", line.at, "a message that only the user saw"));
    return;
  }
  const blocks = readBlocks(readMessage(line)?.["content"]);
  for (const block of blocks) {
    if (block["type"] !== "tool_result") continue;
    const [callId, content] = [asText(block["tool_use_id"]), contentParts(block["content"])];
    telling.drafts.push({ kind: "result", line: line.at, callId, content, isError: block["is_error"] === true });
  }
  const rest = contentParts(blocks.filter((block) => block["type"] !== "tool_result"));
  addMessage(telling, line, rest, summary ? { origin: "summary" } : { injected: record["isMeta"] === true });
}

function addAttachment(telling: ReadState, line: Line): void {
  const attachment = asFields(line.record["attachment"]);
  if (attachment?.["type"] === "queued_command") {
    addMessage(telling, line, contentParts(attachment["prompt"]), { injected: attachment["isMeta"] === true });
    return;
  }
  const content = asFields(attachment?.["content"]);
  const text = [
    attachment?.["content"],
    content?.["content"],
    asFields(content?.["file"])?.["content"],
    attachment?.["snippet"],
  ].find((candidate) => typeof candidate === "string" && candidate !== "");
  const name = asText(attachment?.["filename"]) ?? asText(attachment?.["path"]);
  if (typeof text !== "string") return;
  const shown = name === undefined ? text : `${name}\n${text}`;
  addMessage(telling, line, [{ kind: "text", text: `<system-reminder>\n${shown}\n</system-reminder>` }], {
    injected: true,
  });
}

interface SpeechOptions {
  readonly injected?: boolean;
  readonly origin?: "summary";
}

function addMessage(
  telling: ReadState,
  line: Line,
  parts: readonly ContentPart[],
  { injected = false, origin }: SpeechOptions = {},
): void {
  telling.drafts.push(makeSaid(line.at, { role: "user", parts, ...(origin && { origin }) }, injected));
}

/**
 * What a person types while Claude Code works is queued. Taken from the queue between turns it becomes an ordinary
 * line; delivered in the middle of a turn it may leave no trace but the queue's own records, though the model read it.
 */
interface QueuedPrompt {
  readonly text: string;
  readonly at: number;
}

/** By the queue record that delivered it: each text that reached the model and that no other line holds. */
function deliveredTexts(lines: readonly Line[]): ReadonlyMap<Line, string> {
  const delivered = new Map<Line, string>();
  const recorded = lastRecorded(lines);
  let waiting: QueuedPrompt[] = [];
  for (const line of lines) {
    if (line.record["type"] !== "queue-operation") continue;
    const content = asText(line.record["content"]);
    const operation = asText(line.record["operation"]);
    if (operation === "enqueue" && content !== undefined) waiting.push({ text: content, at: line.at });
    // Back into the editor: nothing was sent.
    if (operation === "popAll") waiting = [];
    if (operation !== "remove" && operation !== "dequeue") continue;
    const place = content === undefined ? 0 : waiting.findIndex((one) => one.text === content);
    const taken = place < 0 ? undefined : waiting.splice(place, 1)[0];
    if (taken === undefined || operation === "dequeue") continue;
    if ((recorded.get(taken.text.trim()) ?? 0) < taken.at) delivered.set(line, taken.text);
  }
  return delivered;
}

/** The last line at which a person's text is an ordinary record. */
function lastRecorded(lines: readonly Line[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const { record, at } of lines) {
    const add = (value: unknown): void => void (typeof value === "string" && last.set(value.trim(), at));
    if (record["type"] === "attachment") add(asFields(record["attachment"])?.["prompt"]);
    if (record["type"] !== "user") continue;
    const content = asFields(record["message"])?.["content"];
    add(content);
    for (const block of asList(content)) add(asFields(block)?.["text"]);
  }
  return last;
}
