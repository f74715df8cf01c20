/** Sessions of Gemini CLI: chats in `~/.gemini/tmp`, a folder for each project. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CONVERSATION_ALONE, fileStamp, keepFirstLines, type SessionFormat } from "../format.ts";
import { isGeminiDocument, isGeminiLine, readGemini } from "./read.ts";
import { contentText, type ContentPart, type Part, type ToolResultPart } from "../../core/transcript/message.ts";
import { asFields, asText, tryParseJson } from "../fields.ts";
import { findResults, type Results, type Session, type SessionMessage } from "../log.ts";
import { isoOf, jsonLines, fillTimes, deriveUuid, type WriteContext } from "../document.ts";
import { createHash } from "node:crypto";

export const gemini: SessionFormat = {
  name: "gemini",
  title: "Gemini CLI",
  speaks: "openai-chat",
  marks: { line: isGeminiLine, document: isGeminiDocument, path: /[/\\]\.gemini[/\\]/ },
  read: readGemini,
  upTo: keepFirstLines,
  write: writeGemini,
  kept: ({ home }) => ({
    roots: [join(home, ".gemini", "tmp")],
    isSession: (path) => /[/\\]chats[/\\][^/\\]*\.jsonl?$/.test(path),
    destination: (root, session) => {
      const { id, cwd } = session;
      const name = `session-${fileStamp(session).slice(0, "2026-01-01T00-00".length)}-${id.slice(0, 8)}.jsonl`;
      return {
        kind: "file",
        path: join(root, projectFolder(root, cwd), "chats", name),
        resume: ["gemini", "--resume", id],
      };
    },
  }),
  holds: {
    ...CONVERSATION_ALONE,
    files: false,
    injectedMarks: false,
    compactions: "live",
    opensWithUser: true,
    parts: "sorted",
    oneText: "everywhere",
    resultOrder: false,
  },
  tools: {
    shell: { name: "run_shell_command", arguments: { command: "command", description: "description" } },
    read: { name: "read_file", arguments: { path: "file_path", offset: "offset", limit: "limit" } },
    write: { name: "write_file", arguments: { path: "file_path", content: "content" } },
    edit: { name: "replace", arguments: { path: "file_path", before: "old_string", after: "new_string" } },
  },
};

function writeGemini(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const results = findResults(session.messages);
  const header = {
    sessionId: id,
    projectHash: hashProject(session.cwd ?? ""),
    startTime: isoOf(stamps[0] ?? nowMs),
    lastUpdated: isoOf(stamps.at(-1) ?? nowMs),
    kind: "main",
  };
  const records = session.messages.flatMap((one, at): readonly object[] => {
    if (one.message.role === "tool") return [];
    const link = { id: deriveUuid(id, String(at)), timestamp: isoOf(stamps[at]!) };
    if (one.message.role !== "assistant") return [{ ...link, type: "user", content: one.message.parts.map(writePart) }];
    return [{ ...link, ...writeReply(one, { model: session.model, timestamp: link.timestamp, results }) }];
  });
  return jsonLines([header, ...records]);
}

interface ReplyOptions {
  readonly model: string | undefined;
  readonly timestamp: string;
  readonly results: Results;
}

function writeReply({ message: { parts } }: SessionMessage, { model, timestamp, results }: ReplyOptions): object {
  const thoughts = parts.flatMap((part) => (part.kind === "reasoning" ? [{ description: part.text, timestamp }] : []));
  const toolCalls = parts.flatMap((part) => {
    if (part.kind !== "tool-call") return [];
    const result = results.get(part);
    const call = { id: part.id, name: part.name, args: tryParseJson(part.arguments), timestamp };
    if (result === undefined) return [{ ...call, status: "cancelled" }];
    return [
      { ...call, status: result.isError === true ? "error" : "success", result: [writeResponse(part.name, result)] },
    ];
  });
  const content = parts.flatMap((part) => (part.kind === "text" ? [{ text: part.text }] : []));
  return {
    type: "gemini",
    content,
    thoughts,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(model !== undefined && { model }),
  };
}

function writeResponse(name: string, { callId, content, isError }: ToolResultPart): object {
  const text = contentText(content);
  const media = content.flatMap((part) => (part.kind === "text" ? [] : [writePart(part)]));
  return {
    functionResponse: {
      id: callId,
      name,
      response: isError === true ? { error: text } : { output: text },
      ...(media.length > 0 && { parts: media }),
    },
  };
}

function writePart(part: Part): object {
  const source = part.kind === "image" || part.kind === "file" ? part.source : undefined;
  if (source?.type === "data") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  return { text: contentText([part as ContentPart]) };
}

/**
 * Gemini CLI names a project's folder in a registry beside them. A project that is not in there yet has a folder by the
 * hash of its path, which Gemini CLI moves when it starts there (0.61).
 */
function projectFolder(root: string, cwd: string): string {
  const registry = join(dirname(root), "projects.json");
  const known = existsSync(registry) ? asFields(tryParseJson(readFileSync(registry, "utf8"))) : undefined;
  return asText(asFields(known?.["projects"])?.[cwd]) ?? hashProject(cwd);
}

function hashProject(cwd: string): string {
  return createHash("sha256").update(cwd).digest("hex");
}
