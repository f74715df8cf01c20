/** Sessions of Claude Code: JSON lines in `~/.claude/projects`, a folder for each folder it worked in. */
import { join } from "node:path";
import { CONVERSATION_ALONE, keepFirstLines, type SessionFormat } from "../format.ts";
import { isClaudeLine, readClaudeCode } from "./read.ts";
import type { ContentPart, Message, Part } from "../../core/transcript/message.ts";
import { tryParseJson } from "../fields.ts";
import type { RecordedCompaction, Session, SessionMessage } from "../log.ts";
import { isoOf, jsonLines, fillTimes, deriveUuid, type WriteContext } from "../document.ts";

export const claudeCode: SessionFormat = {
  name: "claude-code",
  title: "Claude Code",
  speaks: "anthropic-messages",
  marks: { line: isClaudeLine, path: /[/\\]\.claude[/\\]/ },
  read: readClaudeCode,
  upTo: keepFirstLines,
  write: writeClaudeCode,
  kept: ({ environment, home }) => ({
    roots: [join(environment["CLAUDE_CONFIG_DIR"] ?? join(home, ".claude"), "projects")],
    isSession: (path) => path.endsWith(".jsonl") && !/[/\\](?:subagents[/\\]|agent-)[^/\\]*$/.test(path),
    destination: (root, { id, cwd }) => ({
      kind: "file",
      path: join(root, cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), `${id}.jsonl`),
      resume: ["claude", "--resume", id],
    }),
  }),
  holds: {
    ...CONVERSATION_ALONE,
    // Thinking goes back to the provider only with a signature of its own.
    thinking: false,
    summaryFirst: true,
    opensWithUser: true,
  },
  tools: {
    shell: { name: "Bash", arguments: { command: "command", description: "description" } },
    read: { name: "Read", arguments: { path: "file_path", offset: "offset", limit: "limit" } },
    write: { name: "Write", arguments: { path: "file_path", content: "content" } },
    edit: {
      name: "Edit",
      arguments: { path: "file_path", before: "old_string", after: "new_string", all: "replace_all" },
    },
  },
};

function writeClaudeCode(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const uuids = session.messages.map((_, at) => deriveUuid(id, "message", String(at)));
  const compactions = new Map(session.compactions.map((one) => [one.summary, one]));
  const records: object[] = [];
  let parent: string | null = null;
  session.messages.forEach((one, at) => {
    const common = {
      isSidechain: false,
      userType: "external",
      cwd: session.cwd ?? "",
      sessionId: id,
      version: WRITTEN_AS_VERSION,
      gitBranch: "",
      timestamp: isoOf(stamps[at]!),
    };
    const compaction = compactions.get(at);
    if (compaction !== undefined) {
      const uuid = deriveUuid(id, "boundary", String(at));
      records.push({ parentUuid: null, ...common, uuid, ...boundary(compaction, uuids, parent) });
      parent = uuid;
    }
    const said = writeLine(one, { model: session.model, at, id, summary: compaction !== undefined });
    records.push({ parentUuid: parent, ...common, ...said, uuid: uuids[at]! });
    parent = uuids[at]!;
  });
  return jsonLines(records);
}

/** The version whose form is written (read from files of 2.1.330). */
const WRITTEN_AS_VERSION = "2.1.330";

function boundary({ summary, context }: RecordedCompaction, uuids: readonly string[], parent: string | null): object {
  const kept = context.filter((index) => index < summary).map((index) => uuids[index]!);
  return {
    logicalParentUuid: parent,
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    isMeta: false,
    level: "info",
    compactMetadata: {
      trigger: "auto",
      ...(kept.length > 0 && { preservedMessages: { anchorUuid: uuids[summary]!, uuids: kept } }),
    },
  };
}

interface LineOptions {
  readonly model: string | undefined;
  readonly at: number;
  readonly id: string;
  readonly summary: boolean;
}

function writeLine({ message, injected }: SessionMessage, { model, at, id, summary }: LineOptions): object {
  if (message.role === "assistant")
    return {
      type: "assistant",
      message: {
        id: `msg_${deriveUuid(id, "reply", String(at)).replaceAll("-", "")}`,
        type: "message",
        role: "assistant",
        model: model ?? "unknown",
        content: message.parts.map(writeBlock),
        stop_reason: message.parts.some(({ kind }) => kind === "tool-call") ? "tool_use" : "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    };
  return {
    type: "user",
    ...(injected === true && { isMeta: true }),
    ...(summary && { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
    message: { role: "user", content: writeContent(message) },
  };
}

function writeContent({ parts }: Message): string | readonly object[] {
  const [only] = parts;
  return parts.length === 1 && only?.kind === "text" ? only.text : parts.map(writeBlock);
}

function writeBlock(part: Part): object {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text };
    case "reasoning":
      return { type: "thinking", thinking: part.text, signature: "" };
    case "tool-call":
      return { type: "tool_use", id: part.id, name: part.name, input: tryParseJson(part.arguments) };
    case "tool-result":
      return {
        type: "tool_result",
        tool_use_id: part.callId,
        content: part.content.map(writeBlock),
        ...(part.isError === true && { is_error: true }),
      };
    default:
      return writeMedia(part);
  }
}

function writeMedia(part: Exclude<ContentPart, { kind: "text" }>): object {
  if (part.kind === "opaque") return tryParseJson(part.raw) as object;
  const { source } = part;
  const written =
    source.type === "data"
      ? { type: "base64", media_type: source.mediaType, data: source.data }
      : source.type === "url"
        ? { type: "url", url: source.url }
        : { type: "file", file_id: source.id };
  if (part.kind === "image") return { type: "image", source: written };
  return { type: "document", source: written, ...(part.name !== undefined && { title: part.name }) };
}
