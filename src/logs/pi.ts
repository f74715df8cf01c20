/**
 * Sessions of pi: JSON lines in `~/.pi/agent/sessions`, a folder for each folder it worked in: an append-only tree of entries
 * behind a header. Version 1 has no ids and is a line; from version 2 on every entry names its parent. A compaction names the
 * first entry that stays.
 */
import { join } from "node:path";
import { CONVERSATION_ALONE, fileStamp, keepFirstLines, type SessionFormat } from "./format.ts";
import { contentText, type ContentPart, type Message, type Part, textMessage } from "../core/transcript/message.ts";
import { tryParseJson, asCount, asFields, toJson, asObjects, asText, type Fields } from "./fields.ts";
import {
  type Session,
  type SessionMessage,
  type MessageDraft,
  makeNote,
  makeSaid,
  sortTold,
  type Told,
  type History,
  type LogNote,
  type FormatReading,
  NEVER_RUN,
  makeUnrunResult,
  findBranch,
  recordedCall,
  readUsage,
} from "./log.ts";
import { toHash, isoOf, jsonLines, fillTimes, type WriteContext } from "./document.ts";
import { readLines, readTimes, type Line, type LogText } from "./lines.ts";
import { opaqueBlock } from "../protocols/content.ts";

export const pi: SessionFormat = {
  name: "pi",
  title: "pi",
  speaks: "openai-chat",
  marks: { line: isPiLine, path: /[/\\]\.pi[/\\]/ },
  read: readPi,
  upTo: keepFirstLines,
  write: writePi,
  kept: ({ environment, home }) => ({
    roots: [join(environment["PI_CODING_AGENT_DIR"] ?? join(home, ".pi", "agent"), "sessions")],
    isSession: (path) => path.endsWith(".jsonl"),
    destination: (root, session) => {
      const name = `--${session.cwd.replace(/^[/\\]/, "").replaceAll(/[/\\:]/g, "-")}--`;
      const path = join(root, name, `${fileStamp(session)}_${session.id}.jsonl`);
      return { kind: "file", path, resume: ["pi", "--session", session.id] };
    },
  }),
  holds: {
    ...CONVERSATION_ALONE,
    files: false,
    compactions: "newest",
    summaryFirst: true,
  },
  tools: {
    shell: { name: "bash", arguments: { command: "command" } },
    read: { name: "read", arguments: { path: "path", offset: "offset", limit: "limit" } },
    write: { name: "write", arguments: { path: "path", content: "content" } },
  },
};

function writePi(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const ids = session.messages.map((_, at) => toHash(id, String(at)).slice(0, ENTRY_ID_CHARS));
  const compactions = new Map(session.compactions.map((one) => [one.summary, one]));
  const names = new Map<string, string>();
  const header = { type: "session", version: 3, id, timestamp: isoOf(stamps[0] ?? nowMs), cwd: session.cwd ?? "" };
  const entries = session.messages.map((one, at) => {
    for (const part of one.message.parts) if (part.kind === "tool-call") names.set(part.id, part.name);
    const compaction = compactions.get(at);
    const link = { id: ids[at]!, parentId: ids[at - 1] ?? null, timestamp: isoOf(stamps[at]!) };
    if (compaction === undefined) return writeEntry(one, { link, names, model: session.model, timestamp: stamps[at]! });
    const kept = compaction.context.filter((index) => index < at);
    return {
      type: "compaction",
      ...link,
      summary: contentText(one.message.parts),
      // Its own id means that nothing before it stays.
      firstKeptEntryId: ids[kept[0] ?? at]!,
      tokensBefore: 0,
    };
  });
  return jsonLines([header, ...entries]);
}

const ENTRY_ID_CHARS = 16;

interface EntryOptions {
  readonly link: object;
  readonly names: ReadonlyMap<string, string>;
  readonly model: string | undefined;
  readonly timestamp: number;
}

function writeEntry({ message, injected }: SessionMessage, { link, names, model, timestamp }: EntryOptions): object {
  const content = message.parts.map(writeBlock);
  if (injected === true) return { type: "custom_message", ...link, customType: "precis", content, display: true };
  return { type: "message", ...link, message: { ...writeMessage(message, names, model), timestamp } };
}

function writeMessage(message: Message, names: ReadonlyMap<string, string>, model: string | undefined): object {
  const [first] = message.parts;
  if (first?.kind === "tool-result")
    return {
      role: "toolResult",
      toolCallId: first.callId,
      toolName: names.get(first.callId) ?? "unknown",
      content: first.content.map(writeBlock),
      isError: first.isError === true,
    };
  const content = message.parts.map(writeBlock);
  if (message.role !== "assistant") return { role: "user", content };
  return {
    role: "assistant",
    content,
    api: "openai-completions",
    provider: "precis",
    model: model ?? "unknown",
    usage: NO_USAGE,
    stopReason: message.parts.some(({ kind }) => kind === "tool-call") ? "toolUse" : "stop",
  };
}

/** Required; what another provider counted says nothing here. */
const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: NO_COST };

function writeBlock(part: Part): object {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "reasoning":
      return { type: "thinking", thinking: part.text };
    case "tool-call":
      return { type: "toolCall", id: part.id, name: part.name, arguments: tryParseJson(part.arguments) };
    default:
      return writeImage(part as ContentPart);
  }
}

function writeImage(part: ContentPart): object {
  const source = part.kind === "image" ? part.source : undefined;
  if (source?.type === "data") return { type: "image", data: source.data, mimeType: source.mediaType };
  return { type: "text", text: "" };
}

function readPi(text: LogText, history: History): FormatReading {
  const { lines, notes } = readLines(text);
  const header = lines.find((line) => line.record["type"] === "session")?.record;
  const branch = activeEntries(lines);
  const shown = history === "live" ? liveEntries(branch, lines) : { entries: branch, notes: NO_NOTES };
  const skipped = notOnBranch(lines, branch);
  const told = shown.entries.map(readDraft);
  const usages = branch.map(({ record }) => asFields(asFields(record["message"])?.["usage"]));
  const answered = new Set(shown.entries.map(({ record }) => asFields(record["message"])?.["toolCallId"]));
  return {
    id: asText(header?.["id"]),
    drafts: told.flatMap((one, at) => ("kind" in one ? [one, ...neverRun(shown.entries[at]!, answered)] : [])),
    notes: [...notes, ...skipped, ...shown.notes, ...sortTold(told).notes],
    recognised: lines.filter((line) => isPiLine(line.record)).length,
    model: readModel(branch) ?? asText(header?.["modelId"]),
    cwd: asText(header?.["cwd"]),
    usage: readUsage(
      usages.findLast((one) => asCount(one?.["totalTokens"]) + asCount(one?.["input"]) > 0),
      USAGE,
    ),
    system: readPrompt(branch),
    times: readTimes(lines),
  };
}

const ENTRY_TYPES = new Set([
  "context_edit",
  "usage",
  "compaction",
  "branch_summary",
  "model_change",
  "thinking_level_change",
  "custom",
  "custom_message",
  "label",
  "session_info",
]);
/** What only pi writes into a message: other agents have entries with a `message` too. */
const OWN_KEYS = ["toolCallId", "stopReason", "provider", "exitCode"];

function isPiLine(record: Fields): boolean {
  const type = asText(record["type"]);
  if (type === "session") return asText(record["id"]) !== undefined && ("cwd" in record || "version" in record);
  if (type === "compaction") return asText(record["summary"]) !== undefined;
  if (type !== "message")
    return type !== undefined && ENTRY_TYPES.has(type) && asText(record["timestamp"]) !== undefined;
  const message = asFields(record["message"]);
  return (
    message !== undefined &&
    (OWN_KEYS.some((key) => key in message) || blocks(message).some((block) => block["type"] === "toolCall"))
  );
}

const blocks = (message: Fields): readonly Fields[] => asObjects(message["content"]);

function activeEntries(lines: readonly Line[]): readonly Line[] {
  const entries = lines.filter((line) => line.record["type"] !== "session");
  const nodes = entries.map(({ record, at }) => ({
    id: asText(record["id"]) ?? `line ${at}`,
    parent: record["parentId"] === null ? null : (asText(record["parentId"]) ?? ""),
  }));
  return findBranch(nodes, nodes.length - 1).map((at) => entries[at]!);
}

/** The last summary, the entries it kept, and what came after. */
function liveEntries(
  branch: readonly Line[],
  lines: readonly Line[],
): { readonly entries: readonly Line[]; readonly notes: readonly LogNote[] } {
  const at = branch.findLastIndex((line) => line.record["type"] === "compaction");
  const compaction = branch[at];
  if (compaction === undefined) return { entries: withEdits(branch, branch), notes: NO_NOTES };
  const index = compaction.record["firstKeptEntryIndex"];
  // Version 1 counts the records of the file, header included.
  const byIndex = typeof index === "number" ? lines[index] : undefined;
  const first = branch.findIndex(
    (line) =>
      line === byIndex ||
      (line.record["id"] !== undefined && line.record["id"] === compaction.record["firstKeptEntryId"]),
  );
  const kept = (first < 0 ? [] : branch.slice(first, at)).filter((line) => line.record["type"] !== "compaction");
  const replaced = at - kept.length;
  const note = makeNote("history_replaced", compaction.at, `${replaced} entries were replaced by a recorded summary`);
  const entries = withEdits([compaction, ...kept, ...branch.slice(at + 1)], branch);
  return { entries, notes: replaced === 0 ? NO_NOTES : [note] };
}

const NO_NOTES: readonly LogNote[] = [];

/** The latest edit of an entry holds (pi 1.6): null leaves it out, but a result stays, empty, with its call. */
function withEdits(entries: readonly Line[], branch: readonly Line[]): readonly Line[] {
  const edits = new Map(
    branch.flatMap(({ record }) =>
      record["type"] === "context_edit" ? [[record["targetId"], record["replacement"]] as const] : [],
    ),
  );
  return entries.flatMap((line) => {
    const { record } = line;
    if (!edits.has(record["id"])) return [line];
    const message = asFields(record["message"]);
    const replacement = edits.get(record["id"]);
    if (replacement === null && message?.["role"] !== "toolResult") return [];
    const content = replacement ?? [];
    return [
      {
        ...line,
        record: { ...record, ...(message === undefined ? { content } : { message: { ...message, content } }) },
      },
    ];
  });
}

/** The system prompt as its sections are after all changes; a compaction repeats them. */
function readPrompt(branch: readonly Line[]): readonly Message[] {
  const sections = new Map<string, string>();
  for (const { record } of branch) {
    const message = asFields(record["message"] ?? record["systemMessage"]);
    if (message?.["role"] !== "system") continue;
    for (const [name, text] of Object.entries(asFields(message["sections"]) ?? {}))
      if (typeof text === "string") sections.set(name, text);
      else sections.delete(name);
  }
  return sections.size === 0 ? [] : [textMessage("system", [...sections.values()].join("\n\n"))];
}

function notOnBranch(lines: readonly Line[], branch: readonly Line[]): readonly LogNote[] {
  const active = new Set(branch);
  const left = lines.filter((line) => line.record["type"] === "message" && !active.has(line));
  const text = `${left.length} messages are on an abandoned branch`;
  return left.length === 0 ? [] : [makeNote("branch_skipped", left[0]!.at, text)];
}

function readDraft({ record, at: line }: Line): Told {
  const type = asText(record["type"]) ?? "none";
  switch (type) {
    case "message":
      return readMessage(asFields(record["message"]) ?? {}, line);
    case "custom_message":
      return makeSaid(line, { role: "user", parts: contentParts(record["content"]) }, true);
    case "compaction":
    case "branch_summary":
      return makeSaid(line, summaryMessage(record));
    default:
      // An empty message is left out on assembly.
      return ENTRY_TYPES.has(type)
        ? makeSaid(line, { role: "user", parts: [] })
        : makeNote("unknown_type", line, `an entry of the unknown type ${type}`);
  }
}

/** pi runs no calls of a reply that was stopped, or that ended in an error. */
function neverRun({ record, at: line }: Line, answered: ReadonlySet<unknown>): readonly MessageDraft[] {
  const message = asFields(record["message"]) ?? {};
  if (message["stopReason"] !== "aborted" && message["stopReason"] !== "error") return [];
  const calls = blocks(message).filter((block) => block["type"] === "toolCall" && !answered.has(block["id"]));
  return calls.map((call) => makeUnrunResult(asText(call["id"]), line, NEVER_RUN));
}

function readMessage(message: Fields, line: number): Told {
  const role = asText(message["role"]) ?? "none";
  const parts = contentParts(message["content"]);
  switch (role) {
    case "user":
    case "system":
      return makeSaid(line, { role, parts });
    case "assistant": {
      const said = typeof message["content"] === "string" ? parts : blocks(message).map(replyPart);
      return makeSaid(line, { role, parts: said });
    }
    case "toolResult": {
      const isError = message["isError"] === true;
      return { kind: "result", line, callId: asText(message["toolCallId"]), content: parts, isError };
    }
    case "custom":
    case "hookMessage":
      return makeSaid(line, { role: "user", parts }, true);
    case "branchSummary":
    case "compactionSummary":
      return makeSaid(line, summaryMessage(message));
    case "bashExecution":
      if (message["excludeFromContext"] === true)
        return makeNote("not_sent", line, "a command that the user hid from the model");
      return makeSaid(line, textMessage("user", commandText(message)), true);
    default:
      return makeNote("unknown_type", line, `a message of the unknown role ${role}`);
  }
}

function summaryMessage(record: Fields): Message {
  return { role: "user", parts: contentParts(record["summary"]), origin: "summary" };
}

/** A command that the person ran outside the conversation, and what it printed: in the words in which pi sends it. */
export function commandText(message: Fields): string {
  const output = asText(message["output"]) ?? "";
  const printed = output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``;
  const code = asCount(message["exitCode"]);
  const cancelled = message["cancelled"] === true ? "\n\n(command cancelled)" : undefined;
  const failed = code === 0 ? "" : `\n\nCommand exited with code ${code}`;
  const rest = message["truncated"] === true ? asText(message["fullOutputPath"]) : undefined;
  const more = rest === undefined ? "" : `\n\n[Output truncated. Full output: ${rest}]`;
  return `Ran \`${asText(message["command"]) ?? ""}\`\n${printed}${cancelled ?? failed}${more}`;
}

export function contentParts(content: unknown): readonly ContentPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
  return asObjects(content).map(contentPart);
}

export function replyPart(block: Fields): Part {
  switch (block["type"]) {
    case "thinking":
      return { kind: "reasoning", text: asText(block["thinking"]) ?? "" };
    case "toolCall":
      return recordedCall(block["id"], block["name"], block["arguments"]);
    default:
      return contentPart(block);
  }
}

function contentPart(block: Fields): ContentPart {
  const type = asText(block["type"]) ?? "unknown";
  const data = asText(block["data"]);
  if (type === "text") return { kind: "text", text: asText(block["text"]) ?? "" };
  if (type === "image" && data !== undefined)
    return { kind: "image", source: { type: "data", mediaType: asText(block["mimeType"]) ?? "image/png", data } };
  return opaqueBlock(block, toJson(block));
}

function readModel(branch: readonly Line[]): string | undefined {
  const models = branch.map(
    ({ record }) => asText(record["modelId"]) ?? asText(asFields(record["message"])?.["model"]),
  );
  return models.findLast((model) => model !== undefined);
}

const USAGE = { fresh: "input", cacheRead: "cacheRead", cacheWrite: "cacheWrite", output: "output" };
