/** Sessions of Codex: rollouts as JSON lines in `~/.codex/sessions`, a folder for each day. */
import { join } from "node:path";
import { EVERYTHING, SPACELESS_ID, fileStamp, keepFirstLines, type SessionFormat } from "../format.ts";
import { isCodexLine, readCodex } from "./read.ts";
import { contentText, type ContentPart, type Message, type Part } from "../../core/transcript/message.ts";
import { findRecordedOnly, type RecordedCompaction, type Session, type SessionMessage } from "../log.ts";
import { dataUrl, isoOf, jsonLines, fillTimes, type WriteContext } from "../document.ts";

export const codex: SessionFormat = {
  name: "codex",
  title: "Codex",
  speaks: "openai-responses",
  marks: { line: isCodexLine, path: /(?:^|[/\\])rollout-[^/\\]*\.jsonl$/ },
  read: readCodex,
  upTo: keepFirstLines,
  write: writeCodex,
  kept: ({ environment, home }) => ({
    roots: [join(environment["CODEX_HOME"] ?? join(home, ".codex"), "sessions")],
    isSession: (path) => /[/\\]rollout-[^/\\]*\.jsonl$/.test(path),
    destination: (root, session) => {
      const stamp = fileStamp(session);
      const [day = ""] = stamp.split("T");
      const path = join(root, ...day.split("-"), `rollout-${stamp}-${session.id}.jsonl`);
      return { kind: "file", path, resume: ["codex", "resume", session.id] };
    },
  }),
  holds: {
    ...EVERYTHING,
    // Reasoning goes back to the provider only as it was encrypted.
    thinking: false,
    files: false,
    callIds: SPACELESS_ID,
    errorMarks: false,
    injectedMarks: false,
    mergesReplies: true,
  },
  // Its shell takes other arguments, and it has no tools for single files.
  tools: {},
};

function writeCodex(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const compactions = new Map(session.compactions.map((one) => [one.summary, one]));
  // What a compaction added is only in the history that it lists.
  const listed = findRecordedOnly(session.compactions);
  const records: object[] = [];
  const add = (at: number, type: string, payload: object): void =>
    void records.push({ timestamp: isoOf(stamps[at] ?? nowMs), type, payload });
  add(0, "session_meta", writeMeta(session, { id, timestamp: isoOf(stamps[0] ?? nowMs) }));
  for (const message of session.system.slice(hasInstructions(session) ? 1 : 0))
    for (const item of writeItems(message)) add(0, "response_item", item);
  session.messages.forEach((one, at) => {
    const compaction = compactions.get(at);
    if (compaction !== undefined) add(at, "compacted", writeCompacted(compaction, session));
    if (listed.has(at)) return;
    for (const item of writeItems(one.message)) add(at, "response_item", item);
    const shown = writeEvent(one);
    if (shown !== undefined) add(at, "event_msg", shown);
  });
  return jsonLines(records);
}

/** The first system message is the agent's instructions if it came from them: developer messages follow. */
function hasInstructions({ system }: Session): boolean {
  return system.length > 0;
}

function writeMeta(session: Session, { id, timestamp }: { readonly id: string; readonly timestamp: string }): object {
  const [instructions] = session.system;
  return {
    id,
    timestamp,
    cwd: session.cwd ?? "",
    originator: "precis",
    cli_version: "0.0.0",
    source: "cli",
    ...(instructions !== undefined && { base_instructions: { text: contentText(instructions.parts) } }),
  };
}

function writeCompacted({ context, summary }: RecordedCompaction, { messages }: Session): object {
  return {
    message: contentText(messages[summary]!.message.parts),
    replacement_history: context.flatMap((at) => writeItems(messages[at]!.message)),
  };
}

/** Codex shows and lists a session by these events. */
function writeEvent({ message }: SessionMessage): object | undefined {
  const text = contentText(message.parts);
  if (text === "") return undefined;
  if (message.role === "user") return { type: "user_message", message: text };
  return message.role === "assistant" ? { type: "agent_message", message: text } : undefined;
}

/** Words that are next to each other are one item; every call and result is an item of its own. */
function writeItems({ role, parts }: Message): readonly object[] {
  const items: object[] = [];
  let words: object[] = [];
  const endMessage = (): void => {
    if (words.length > 0) items.push({ type: "message", role: role === "system" ? "developer" : role, content: words });
    words = [];
  };
  for (const part of parts) {
    const item = writeItem(part);
    if (item === undefined)
      words.push(writeBlock(part as ContentPart, role === "assistant" ? "output_text" : "input_text"));
    else {
      endMessage();
      items.push(item);
    }
  }
  endMessage();
  return items;
}

function writeItem(part: Part): object | undefined {
  switch (part.kind) {
    case "tool-call":
      return part.custom === true
        ? { type: "custom_tool_call", status: "completed", call_id: part.id, name: part.name, input: part.arguments }
        : { type: "function_call", name: part.name, arguments: part.arguments, call_id: part.id };
    case "tool-result":
      return { type: "function_call_output", call_id: part.callId, output: writeOutput(part.content) };
    default:
      return undefined;
  }
}

function writeOutput(content: readonly ContentPart[]): string | readonly object[] {
  const [only] = content;
  if (content.length === 0) return "";
  return content.length === 1 && only?.kind === "text"
    ? only.text
    : content.map((part) => writeBlock(part, "input_text"));
}

function writeBlock(part: ContentPart, type: "input_text" | "output_text"): object {
  if (part.kind === "text") return { type, text: part.text };
  return part.kind === "image" ? { type: "input_image", image_url: dataUrl(part.source) } : { type, text: "" };
}
