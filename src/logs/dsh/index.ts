/** Sessions of the DeepSeek Harness: a log of events in `~/.dsh/sessions`, a folder for each, compressed frame by frame. */
import { join } from "node:path";
import { CONVERSATION_ALONE, keepFirstLines, SPACELESS_ID, type SessionFormat } from "../format.ts";
import { contentText, textMessage, type Message, type ContentPart, type Part } from "../../core/transcript/message.ts";
import { asFields, asText, type Fields } from "../fields.ts";
import { readLines, readTimes, type Line, type LogText } from "../lines.ts";
import {
  type FormatReading,
  type History,
  type LogNote,
  type MessageDraft,
  makeNote,
  makeSaid,
  NEVER_RUN,
  makeUnrunResult,
  readUsage,
  type RecordedCompaction,
  type Session,
  type SessionMessage,
} from "../log.ts";
import { checkpointText, dshParts, dshResults, isInjected, checkpointBlocks } from "./blocks.ts";
import { fillTimes, jsonLines, deriveUuid, type WriteContext } from "../document.ts";

export const dsh: SessionFormat = {
  name: "dsh",
  title: "DeepSeek Harness",
  speaks: "openai-chat",
  marks: { line: isDshLine, path: /[/\\]\.dsh[/\\]/ },
  read: readDsh,
  upTo: keepFirstLines,
  write: writeDsh,
  kept: ({ environment, home }) => ({
    roots: [join(environment["DSH_HOME"] ?? join(home, ".dsh"), "sessions")],
    isSession: (path) => /[/\\]session\.jsonl(?:\.zstd)?$/.test(path),
    destination: (root, { cwd, ownId }) => ({
      kind: "frames",
      path: join(root, projectFolder(cwd), ownId, "session.jsonl.zstd"),
      resume: ["dsh", "--profile", "tui", "--resume", ownId],
    }),
  }),
  holds: {
    ...CONVERSATION_ALONE,
    images: "nowhere",
    files: false,
    argumentText: true,
    callIds: SPACELESS_ID,
    compactions: "newest",
    summaryFirst: true,
  },
  tools: {
    shell: { name: "bash", arguments: { command: "command", description: "description" } },
    read: { name: "read", arguments: { path: "file_path", offset: "offset", limit: "limit" } },
    write: { name: "write", arguments: { path: "file_path", content: "content" } },
    edit: { name: "edit", arguments: { path: "file_path", before: "old_string", after: "new_string" } },
  },
};

/**
 * Sessions of the DeepSeek Harness: a header and a log of events. Those with a message are on its surface, which is what the model is
 * sent: most are appended, and some take the place of what is there, a checkpoint or a result that was made shorter.
 */
function readDsh(text: LogText, history: History): FormatReading {
  const { lines, notes } = readLines(text);
  const header = lines.find(({ record }) => isHeader(record))?.record;
  const surface = history === "live" ? surfaceAfter(lines) : lines.filter(isOriginal);
  const envelope = lastData(lines, "request/header")?.["header"];
  const started = new Set(
    lines.flatMap(({ record }) => (record["type"] === "tool/call" ? [dataIn(record)["callId"]] : [])),
  );
  return {
    id: asText(header?.["id"]),
    title: asText(lastData(lines, "session/title")?.["title"]),
    drafts: surface.flatMap((line) => readDrafts(line, started)),
    notes: [...notes, ...(history === "live" ? replacedNote(lines, surface) : [])],
    recognised: lines.filter(({ record }) => isDshLine(record)).length,
    system: readPrompt(asFields(envelope)),
    model: asText(asFields(asFields(envelope)?.["config"])?.["model"]),
    cwd: asText(header?.["cwd"]),
    usage: lines
      .map(({ record }) => readUsage(asFields(dataIn(record)["usage"]), USAGE))
      .findLast((one) => one !== undefined),
    times: readTimes(lines, "time"),
  };
}

function isDshLine(record: Fields): boolean {
  return isHeader(record) || (typeof record["seq"] === "number" && asText(record["type"])?.includes("/") === true);
}

function isHeader(record: Fields): boolean {
  return record["type"] === "session" && typeof record["delegationDepth"] === "number";
}

const dataIn = (record: Fields): Fields => asFields(record["data"]) ?? {};

function lastData(lines: readonly Line[], type: string): Fields | undefined {
  const last = lines.findLast(({ record }) => record["type"] === type)?.record;
  return last === undefined ? undefined : dataIn(last);
}

/** From which event to which one a later event takes the place of others; undefined for one that is appended. */
function readRange({ record }: Line): { readonly start: unknown; readonly end: unknown } | undefined {
  const operation = asFields(record["surfaceOp"]);
  return operation?.["op"] === "replace" ? { start: operation["start"], end: operation["end"] } : undefined;
}

function isCheckpoint(line: Line): boolean {
  return line.record["type"] === "user/message" && readRange(line) !== undefined;
}

/** What was said, and checkpoints; of a result that was made shorter, the whole one. */
function isOriginal(line: Line): boolean {
  return line.record["surfaceOp"] === "append" || isCheckpoint(line);
}

function surfaceAfter(lines: readonly Line[]): readonly Line[] {
  const surface: Line[] = [];
  const placeFrom = (seq: unknown): number => surface.findLastIndex(({ record }) => record["seq"] === seq);
  for (const line of lines) {
    if (line.record["surfaceOp"] === undefined) continue;
    const range = readRange(line);
    const [start, end] = [placeFrom(range?.start), placeFrom(range?.end)];
    if (start < 0 || end < start) surface.push(line);
    else surface.splice(start, end - start + 1, line);
  }
  return surface;
}

function replacedNote(lines: readonly Line[], surface: readonly Line[]): readonly LogNote[] {
  const checkpoint = surface.find(isCheckpoint);
  if (checkpoint === undefined) return [];
  const said = lines.filter((line) => line.record["surfaceOp"] === "append").length;
  const left = surface.filter((line) => !isCheckpoint(line)).length;
  return [makeNote("history_replaced", checkpoint.at, `${said - left} messages were replaced by a recorded summary`)];
}

function readDrafts(line: Line, started: ReadonlySet<unknown>): readonly MessageDraft[] {
  const { record, at } = line;
  const data = dataIn(record);
  switch (record["type"]) {
    case "user/message": {
      const parts = dshParts(data["content"]);
      if (!isCheckpoint(line)) return [makeSaid(at, { role: "user", parts }, isInjected(data["source"]))];
      return [makeSaid(at, textMessage("user", checkpointText(contentText(parts)), "summary"))];
    }
    case "assistant/message": {
      const parts = dshParts(asFields(data["message"])?.["content"]);
      const calls = parts.flatMap((part) => (part.kind === "tool-call" && !started.has(part.id) ? [part.id] : []));
      return [makeSaid(at, { role: "assistant", parts }), ...calls.map((id) => makeUnrunResult(id, at, NEVER_RUN))];
    }
    default:
      return dshResults(asFields(data["message"])?.["content"]).map((result) => ({
        kind: "result",
        line: at,
        ...result,
      }));
  }
}

function readPrompt(envelope: Fields | undefined): readonly Message[] {
  const prompt = asText(envelope?.["system"]);
  return prompt === undefined ? [] : [textMessage("system", prompt)];
}

const USAGE = {
  fresh: "inputTokens",
  cacheRead: "cacheReadTokens",
  cacheWrite: "cacheWriteTokens",
  output: "outputTokens",
};

function writeDsh(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const compactions = new Map(session.compactions.map((one) => [one.summary, one]));
  const log = createEvents(session);
  const begin = stamps[0] ?? nowMs;
  log.add(begin, "turn/start", { turn: TURN });
  log.add(begin, "step/start", { turn: TURN, step: STEP });
  for (const [at, one] of session.messages.entries()) {
    const compaction = compactions.get(at);
    const messageId = deriveUuid(id, String(at));
    if (compaction !== undefined)
      log.compact(stamps[at]!, { compaction, messageId, summary: contentText(one.message.parts) });
    else log.say(stamps[at]!, one, { at, messageId });
  }
  const end = stamps.at(-1) ?? nowMs;
  log.add(end, "step/end", { turn: TURN, step: STEP });
  log.add(end, "turn/end", { turn: TURN, reason: { kind: "completed" } });
  const { cwd } = session;
  const header = { type: "session", version: 0, id: `session-${id}`, createdAt: begin, cwd, delegationDepth: 0 };
  return jsonLines([header, ...log.events]);
}

const TURN = 1;
const STEP = 1;
/** Required of every reply. */
const PROVIDER = "precis";

interface Compacting {
  readonly compaction: RecordedCompaction;
  readonly summary: string;
  readonly messageId: string;
}

function createEvents({ model = "unknown" }: Session) {
  const events: object[] = [];
  /** What the model is sent: which message, and the event that it is in; a checkpoint stands for none. */
  let surface: { readonly at: number | undefined; readonly seq: number }[] = [];
  const add = (time: number, type: string, data: object, more: object = {}): number => {
    events.push({ type, seq: events.length, time, data, ...more });
    return events.length - 1;
  };
  const called = { provider: PROVIDER, model };
  return {
    events,
    add,
    say: (
      time: number,
      one: SessionMessage,
      { at, messageId }: { readonly at: number; readonly messageId: string },
    ): void => {
      const [type, data] = dataFor(one, messageId, called);
      surface.push({ at, seq: add(time, type, data, { surfaceOp: "append" }) });
      for (const part of one.message.parts)
        if (part.kind === "tool-call")
          add(time, "tool/call", { ...PLACE, callId: part.id, name: part.name, arguments: part.arguments });
    },
    compact: (time: number, { compaction, summary, messageId }: Compacting): void => {
      const kept = new Set(compaction.context);
      const firstKept = surface.findIndex(({ at }) => at !== undefined && kept.has(at));
      const shadowed = surface.slice(0, firstKept < 0 ? undefined : firstKept).map(({ seq }) => seq);
      const range = { start: shadowed[0]!, end: shadowed.at(-1)! };
      const compactionId = deriveUuid(messageId, "compaction");
      const begun = add(time, "compaction/start", { compactionId, turn: TURN });
      const content = [{ type: "text", text: summary }];
      const told = add(time, "compaction/summary", {
        compactionId,
        summary: content,
        shadowedRange: range,
        shadowedSeqs: shadowed,
        shadowedTokenCount: 0,
        ...called,
      });
      const source = { kind: "plugin", plugin: "compact", compactionId };
      const message = { content: checkpointBlocks(summary), source, role: "user", id: messageId };
      const seq = add(time, "user/message", message, {
        sourceEventSeqs: [begun, told, ...shadowed],
        surfaceOp: { op: "replace", ...range },
      });
      surface = [{ at: undefined, seq }, ...surface.slice(shadowed.length)];
      add(time, "compaction/end", { compactionId, turn: TURN });
    },
  };
}

const PLACE = { turn: TURN, step: STEP };

function dataFor({ message, injected }: SessionMessage, id: string, called: object): readonly [string, object] {
  const [first] = message.parts;
  if (first?.kind === "tool-result") {
    const { callId, isError = false } = first;
    const content = first.content.map(blockFor);
    const block = { type: "tool-result", toolCallId: callId, content, ...(isError && { isError }) };
    return [
      "tool/result",
      { ...PLACE, message: { source: { kind: "tool", callId }, content: [block], role: "user", id } },
    ];
  }
  const content = message.parts.map(blockFor);
  if (message.role === "assistant")
    return [
      "assistant/message",
      { ...PLACE, message: { role: "assistant", content, source: { kind: "model", ...called }, id } },
    ];
  const source = injected === true ? { kind: "plugin", plugin: PROVIDER } : { kind: "user" };
  return ["user/message", { content, source, role: "user", id }];
}

function blockFor(part: Part | ContentPart): object {
  if (part.kind === "reasoning") return { type: "reasoning", text: part.text };
  if (part.kind !== "tool-call") return { type: "text", text: contentText([part as ContentPart]) };
  return { type: "tool-call", id: part.id, name: part.name, arguments: part.arguments };
}

/** As dsh names a project's folder (0.1). */
function projectFolder(cwd: string): string {
  const readable = cwd
    .replaceAll(/[^A-Za-z0-9._/\\:-]/g, (one) => `~${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`)
    .replaceAll(/[/\\:]+/g, "-");
  return `--${(readable.replace(/^-+/, "") || "root").slice(0, PROJECT_CHARS_MAX)}--`;
}

const PROJECT_CHARS_MAX = 251;
