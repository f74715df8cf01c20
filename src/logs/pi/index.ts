/** Sessions of pi: JSON lines in `~/.pi/agent/sessions`, a folder for each folder it worked in. */
import { join } from "node:path";
import { CONVERSATION_ALONE, fileStamp, keepFirstLines, type SessionFormat } from "../format.ts";
import { isPiLine, readPi } from "./read.ts";
import { contentText, type ContentPart, type Message, type Part } from "../../core/transcript/message.ts";
import { tryParseJson } from "../fields.ts";
import type { Session, SessionMessage } from "../log.ts";
import { toHash, isoOf, jsonLines, fillTimes, type WriteContext } from "../document.ts";

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
