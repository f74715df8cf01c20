/**
 * Sessions of Hermes. In its database a session is a row and its messages are others; read and written here is the one
 * document that `hermes sessions export` prints, which `database.ts` makes from them.
 */
import { join } from "node:path";
import { EVERYTHING, SPACELESS_ID, type SessionFormat } from "../format.ts";
import { isHermesDocument, readHermes, cutAfterRow } from "./read.ts";
import { contentText, type Message, type Part } from "../../core/transcript/message.ts";
import { findRecordedOnly, type Session } from "../log.ts";
import { dataUrl, fillTimes, type WriteContext } from "../document.ts";

export const hermes: SessionFormat = {
  name: "hermes",
  title: "Hermes",
  speaks: "openai-chat",
  marks: { document: isHermesDocument },
  read: readHermes,
  upTo: cutAfterRow,
  write: writeHermes,
  kept: ({ environment, home }) => {
    const folder = environment["HERMES_HOME"] ?? join(home, ".hermes");
    return {
      roots: [join(folder, "state.db"), join(folder, "sessions")],
      isSession: (path) => /(?:\.db|session[^/\\]{0,255}\.json)$/.test(path),
      destination: (path, { ownId }) => ({ kind: "database", path, resume: ["hermes", "--resume", ownId] }),
    };
  },
  holds: {
    ...EVERYTHING,
    images: "user",
    files: false,
    freeTextCalls: false,
    callIds: SPACELESS_ID,
    errorMarks: false,
    injectedMarks: false,
    systemMessages: false,
    parts: "sorted",
    oneText: "everywhere",
    outerSpace: false,
  },
  tools: {
    shell: { name: "terminal", arguments: { command: "command" } },
    read: { name: "read_file", arguments: { path: "path", offset: "offset", limit: "limit" } },
    write: { name: "write_file", arguments: { path: "path", content: "content" } },
  },
};

function writeHermes(session: Session, { id, nowMs }: WriteContext): string {
  const stamps = fillTimes(session, nowMs);
  const seconds = toSeconds(stamps);
  const compactions = new Map(session.compactions.map((one) => [one.summary, one]));
  const listed = findRecordedOnly(session.compactions);
  const names = new Map<string, string>();
  const own = session.messages.map(({ message }, at) => {
    for (const part of message.parts) if (part.kind === "tool-call") names.set(part.id, part.name);
    return { ...writeRow(message, names), timestamp: seconds[at]! };
  });
  let rows: object[] = [];
  own.forEach((row, at) => {
    const compaction = compactions.get(at);
    if (compaction === undefined) return void (listed.has(at) || rows.push(row));
    const archived = rows.map((one) => ({ ...one, active: 0, compacted: 1 }));
    rows = [...archived, ...compaction.context.map((index) => own[index]!)];
  });
  const messages = rows.map((row) => ("active" in row ? row : { ...row, active: 1, compacted: 0 }));
  const [prompt] = session.system;
  return `${JSON.stringify(
    {
      id,
      session_id: id,
      source: "cli",
      model: session.model ?? null,
      system_prompt: prompt === undefined ? null : contentText(prompt.parts),
      title: session.title ?? null,
      cwd: session.cwd ?? null,
      started_at: (stamps[0] ?? nowMs) / 1_000,
      message_count: messages.length,
      messages,
    },
    null,
    1,
  )}\n`;
}

/** Seconds, as Python counts them. A microsecond distinguishes messages of one time: copies are known by their times. */
function toSeconds(stamps: readonly number[]): readonly number[] {
  let run = 0;
  return stamps.map((stamp, at) => {
    run = stamp === stamps[at - 1] ? run + 1 : 0;
    return (stamp * 1_000 + run) / 1_000_000;
  });
}

function writeRow({ role, parts, origin }: Message, names: ReadonlyMap<string, string>): object {
  const [first] = parts;
  if (first?.kind === "tool-result") {
    const name = names.get(first.callId);
    return {
      role,
      content: contentText(first.content),
      tool_call_id: first.callId,
      ...(name !== undefined && { tool_name: name }),
    };
  }
  const thinking = parts.find((part) => part.kind === "reasoning");
  const calls = parts.flatMap((part) => (part.kind === "tool-call" ? [writeCall(part)] : []));
  const content = writeContent(parts.filter(({ kind }) => kind !== "reasoning" && kind !== "tool-call"));
  return {
    role,
    content: origin === "summary" ? summaryText(String(content)) : content,
    ...(thinking !== undefined && { reasoning: thinking.text }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** By this Hermes knows a summary again. */
const SUMMARY_MARK = "[CONTEXT SUMMARY]:";

function summaryText(text: string): string {
  return text.startsWith("[CONTEXT ") ? text : `${SUMMARY_MARK}\n${text}`;
}

function writeCall({ id, name, arguments: text }: Extract<Part, { kind: "tool-call" }>): object {
  return { id, type: "function", function: { name, arguments: text } };
}

function writeContent(parts: readonly Part[]): string | readonly object[] {
  if (!parts.some(({ kind }) => kind === "image")) return contentText(parts);
  return parts.map((part) =>
    part.kind === "image"
      ? { type: "image_url", image_url: { url: dataUrl(part.source) } }
      : { type: "text", text: contentText([part]) },
  );
}
