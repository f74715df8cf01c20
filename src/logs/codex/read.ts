/**
 * Codex rollouts: the items of the Responses API in the order in which they were recorded, among events for the
 * screen. The live history is what Codex itself rebuilds from them: a compaction replaces what came before it, and a
 * rollback takes the newest turns away. Files of the first versions hold bare items.
 */
import type { Usage } from "../../core/engines/contract.ts";
import { textMessage, type ContentPart, type Message, type Part } from "../../core/transcript/message.ts";
import {
  compacted,
  isContext,
  isRequest,
  withoutTurns,
  type HistoryItem,
  type TurnStart,
  readItem,
  outputParts,
  type Item,
} from "./items.ts";
import { asCount, asFields, toJson, asText, type Fields } from "../fields.ts";
import { readLines, readTimes, type Line, type LogText } from "../lines.ts";
import { type MessageDraft, type History, type LogNote, type FormatReading, makeNote, makeSaid } from "../log.ts";

interface Replay {
  readonly history: History;
  readonly notes: LogNote[];
  entries: HistoryItem[];
  readonly turns: TurnStart[];
  readonly shown: HistoryItem[];
  /** How calls ended, by their id, according to events for the screen. */
  readonly ends: Map<string, HistoryItem>;
  recognised: number;
  id?: string | undefined;
  instructions?: string | undefined;
  model?: string | undefined;
  cwd?: string | undefined;
  usage?: Usage | undefined;
}

export function readCodex(text: LogText, history: History): FormatReading {
  const { lines, notes } = readLines(text);
  const replay: Replay = {
    history,
    notes: [...notes],
    entries: [],
    turns: [],
    shown: [],
    ends: new Map(),
    recognised: 0,
  };
  for (const line of lines) play(replay, line);
  const entries = collectHistory(replay);
  const first = entries.findIndex(({ item }) => item.kind !== "message" || item.role !== "system");
  const leading = first < 0 ? entries.length : first;
  const instructions = replay.instructions === undefined ? [] : [textMessage("system", replay.instructions)];
  return {
    id: replay.id,
    drafts: readDrafts(entries.slice(leading), replay.notes),
    notes: replay.notes,
    recognised: replay.recognised,
    system: [
      ...instructions,
      ...entries.slice(0, leading).flatMap(({ item }) => (item.kind === "message" ? saidBy(item) : [])),
    ],
    model: replay.model,
    cwd: replay.cwd,
    usage: replay.usage,
    times: readTimes(lines),
  };
}

/** The history, with what only events have: all words if no item holds any, and the outcome of a call that no item answers. */
function collectHistory({ entries, shown, ends }: Replay): readonly HistoryItem[] {
  const answered = new Set(entries.map(({ item }) => (item.kind === "result" ? item.callId : undefined)));
  const onlyShown = entries.flatMap(({ item }) => {
    const id = item.kind === "reply" && item.part.kind === "tool-call" ? item.part.id : undefined;
    return id === undefined || answered.has(id) ? [] : (ends.get(id) ?? []);
  });
  const words = entries.some(({ item }) => item.kind === "message") ? [] : shown;
  return [...entries, ...words, ...onlyShown].toSorted((a, b) => a.line - b.line);
}

export function isCodexLine(record: Fields): boolean {
  const type = asText(record["type"]);
  if (type !== undefined && WRAPPERS.has(type)) return asFields(record["payload"]) !== undefined;
  if (record["record_type"] === "state") return true;
  if (type === undefined && "instructions" in record && "timestamp" in record && "id" in record) return true;
  return isDatedItem(record) && readItem(record).kind !== "unknown";
}

const WRAPPERS = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
  "world_state",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "token_usage_record",
  "security_risk_score",
  "realtime_item",
]);

/** Bare items say when they were written; those of a request body do not. */
function isDatedItem(record: Fields): boolean {
  if (!("timestamp" in record || "created_at" in record)) return false;
  if ("role" in record) return "content" in record || "message" in record;
  return ["call_id", "function", "result"].some((key) => key in record);
}

function play(replay: Replay, line: Line): void {
  const { record, at } = line;
  const payload = asFields(record["payload"]);
  if (isCodexLine(record)) replay.recognised++;
  if (payload === undefined) return playBare(replay, line);
  switch (record["type"]) {
    case "session_meta":
      replay.id ??= asText(payload["id"]);
      replay.cwd ??= asText(payload["cwd"]);
      replay.instructions ??=
        asText(asFields(payload["base_instructions"])?.["text"]) ?? asText(payload["instructions"]);
      break;
    case "turn_context":
      replay.cwd = asText(payload["cwd"]) ?? replay.cwd;
      replay.model = asText(payload["model"]) ?? replay.model;
      break;
    case "response_item":
      add(replay, at, payload);
      break;
    case "compacted":
      rewrite(replay, at, compacted(replay.entries, at, { payload, history: replay.history }));
      break;
    case "inter_agent_communication":
      add(replay, at, agentMessage(payload));
      break;
    case "token_usage_record":
      replay.usage = readUsage(asFields(payload["usage"])) ?? replay.usage;
      break;
    case "event_msg":
      playEvent(replay, at, payload);
      break;
    default:
      if (WRAPPERS.has(asText(record["type"]) ?? "")) break;
      replay.notes.push(
        makeNote("unknown_type", at, `a record of the unknown type ${asText(record["type"]) ?? "none"}`),
      );
  }
}

function playBare(replay: Replay, { record, at }: Line): void {
  replay.model = asText(record["model"]) ?? replay.model;
  if (!("type" in record) && !("role" in record)) replay.instructions ??= asText(record["instructions"]);
  else add(replay, at, record);
}

function agentMessage({ author, recipient, content, encrypted_content: sealed }: Fields): Fields {
  const words = content === "" ? [] : [{ type: "input_text", text: content }];
  const secret = sealed === undefined ? [] : [{ type: "encrypted_content", encrypted_content: sealed }];
  return { type: "agent_message", author, recipient, content: [...words, ...secret] };
}

function add(replay: Replay, line: number, record: Fields): void {
  const item = readItem(record);
  if (item.kind === "unknown")
    replay.notes.push(
      makeNote("unknown_type", line, `an item of the unknown type ${asText(record["type"]) ?? "none"}`),
    );
  else if (item.kind !== "nothing") {
    if (isRequest(item)) replay.turns.push({ entries: replay.entries, length: replay.entries.length });
    replay.entries.push({ line, item });
  }
}

function playEvent(replay: Replay, line: number, payload: Fields): void {
  const show = (role: "user" | "assistant"): void => {
    const text = asText(payload["message"]) ?? "";
    replay.shown.push({ line, item: { kind: "message", role, parts: [{ kind: "text", text }] } });
  };
  switch (payload["type"]) {
    case "user_message":
      return show("user");
    case "agent_message":
      return show("assistant");
    case "thread_rolled_back":
      return rollBack(replay, line, asCount(payload["num_turns"]));
  }
  const end = readEnd(payload);
  if (end?.callId !== undefined) replay.ends.set(end.callId, { line, item: end });
  const info = asFields(payload["info"]);
  replay.usage = readUsage(asFields(info?.["last_token_usage"]) ?? asFields(payload["usage"]) ?? info) ?? replay.usage;
}

function readUsage(usage: Fields | undefined): Usage | undefined {
  const input = asCount(usage?.["input_tokens"]) || asCount(usage?.["prompt"]);
  const output = asCount(usage?.["output_tokens"]) || asCount(usage?.["completion"]);
  return input === 0 ? undefined : { input, output, cacheRead: asCount(usage?.["cached_input_tokens"]), cacheWrite: 0 };
}

function rewrite(replay: Replay, line: number, entries: readonly HistoryItem[]): void {
  const before = replay.entries.length;
  replay.entries = [...entries];
  if (replay.history === "all" || before === 0) return;
  const text = `${before} items were replaced by a compaction of ${entries.length}`;
  replay.notes.push(makeNote("history_replaced", line, text));
}

function rollBack(replay: Replay, line: number, turns: number): void {
  const kept = withoutTurns(replay.entries, replay.turns, turns);
  const known = new Set(kept);
  const dropped = replay.entries.filter((entry) => !known.has(entry)).length;
  replay.entries = [...kept];
  replay.turns.length = Math.max(0, replay.turns.length - turns);
  if (dropped > 0) replay.notes.push(makeNote("branch_skipped", line, `a rollback removed ${dropped} items`));
}

/** Items of the model that are next to each other are one reply. */
function readDrafts(entries: readonly HistoryItem[], notes: LogNote[]): readonly MessageDraft[] {
  const drafts: MessageDraft[] = [];
  let reply: Part[] | undefined;
  const answer = (line: number, parts: readonly Part[]): void => {
    if (reply === undefined) drafts.push(makeSaid(line, { role: "assistant", parts: (reply = []) }));
    for (const each of parts) reply.push(each);
  };
  for (const { line, item, summary } of entries) {
    if (item.kind === "reply") {
      answer(line, [checked(item.part, line, notes)]);
      continue;
    }
    if (item.kind === "message" && item.role === "assistant") {
      answer(line, item.parts);
      continue;
    }
    reply = undefined;
    if (item.kind === "result") drafts.push({ ...item, line });
    else if (item.kind === "compaction")
      drafts.push(makeSaid(line, { role: "user", parts: [item.part], origin: "summary" }));
    else if (item.kind === "message") drafts.push(makeSaid(line, saidBy(item, summary), isContext(item)));
  }
  return drafts;
}

function saidBy(
  { role, parts }: { readonly role: Message["role"]; readonly parts: readonly ContentPart[] },
  summary = false,
): Message {
  return summary ? { role, parts, origin: "summary" } : { role, parts };
}

/** The Responses API takes back arguments that are not JSON; most others do not. As a JSON string they say the same. */
function checked(part: Part, line: number, notes: LogNote[]): Part {
  if (part.kind !== "tool-call" || part.custom === true || part.arguments === "") return part;
  try {
    JSON.parse(part.arguments);
    return part;
  } catch {
    const text = `the arguments of ${part.name} are not JSON and are carried as a string`;
    notes.push(makeNote("arguments_not_json", line, text));
    return { ...part, arguments: toJson(part.arguments) };
  }
}

/**
 * Results that are only in events for the screen: a rollout may hold no output item of a call, because Codex was
 * stopped before it wrote one, or because only its events were kept (`codex-rs/protocol/src/protocol.rs`).
 */
type Result = Extract<Item, { kind: "result" }>;

function readEnd(event: Fields): Result | undefined {
  const ending = TOLD[asText(event["type"]) ?? ""]?.(event);
  return ending === undefined ? undefined : { kind: "result", callId: asText(event["call_id"]), ...ending };
}

type Told = Omit<Result, "kind" | "callId">;

const TOLD: Readonly<Record<string, (event: Fields) => Told>> = {
  exec_command_end: commandEnd,
  patch_apply_end: (event) =>
    event["status"] === "declined"
      ? DECLINED
      : told(
          [firstText(`${asText(event["stdout"]) ?? ""}${asText(event["stderr"]) ?? ""}`)],
          event["success"] === true,
        ),
  mcp_tool_call_end: ({ result }) => {
    const given = asFields(result);
    const answer = asFields(given?.["Ok"]);
    if (answer === undefined) return told([firstText(asText(given?.["Err"]))], false);
    return { content: outputParts(answer), ...(answer["isError"] === true && FAILED) };
  },
  dynamic_tool_call_response: (event) => {
    const content = outputParts(event["content_items"]);
    const error = asText(event["error"]);
    return {
      content: error === undefined ? content : [...content, textPart(error)],
      ...(event["success"] !== true && FAILED),
    };
  },
};

const FAILED = { isError: true } as const;
/** In the words that Codex sends to its model. */
const DECLINED: Told = told(["rejected by user"], false);

/** Codex puts the status above what a command printed; of the output it keeps one form of several. */
function commandEnd(event: Fields): Told {
  if (event["status"] === "declined") return DECLINED;
  const streams = `${asText(event["stdout"]) ?? ""}${asText(event["stderr"]) ?? ""}`;
  const output = firstText(asText(event["formatted_output"]), asText(event["aggregated_output"]), streams);
  const exit = event["exit_code"];
  if (typeof exit !== "number") return told([output], event["status"] !== "failed");
  return told([`Exit code: ${exit}`, "Output:", output], exit === 0);
}

function told(lines: readonly string[], worked: boolean): Told {
  return { content: [textPart(lines.join("\n"))], ...(!worked && FAILED) };
}

function textPart(words: string): ContentPart {
  return { kind: "text", text: words };
}

function firstText(...texts: readonly (string | undefined)[]): string {
  return texts.find((one) => one !== undefined && one !== "") ?? "";
}
