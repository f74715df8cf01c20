/** Chats of aider: one Markdown file in the folder it works in, `.aider.chat.history.md`. */
import { firstLines, type SessionFormat } from "../format.ts";
import { timeOf } from "../fields.ts";
import type { LogText } from "../lines.ts";
import type { FormatReading, History, LogNote, MessageDraft } from "../log.ts";

/** The lines that mean something in aider's history. */
const STARTED = "# aider chat started at ";
const USER = "#### ";
const CONSOLE = "> ";

function isAiderText(beginning: string): boolean {
  return beginning.startsWith(STARTED) || beginning.includes(`\n${STARTED}`);
}

interface Block {
  readonly role: "user" | "assistant";
  readonly line: number;
  readonly lines: string[];
}

function readAider(text: LogText, _history: History): FormatReading {
  const lines = typeof text === "string" ? text.split("\n") : [...text];
  const blocks: Block[] = [];
  const times = new Map<number, number>();
  let printed = 0;
  let started: number | undefined;
  let open: Block | undefined;
  lines.forEach((line, index) => {
    const isUser = line.startsWith(USER);
    if (line.startsWith(STARTED)) started = timeOf(`${line.slice(STARTED.length).trim().replace(" ", "T")}Z`);
    if (line.startsWith(CONSOLE)) printed++;
    if (!isUser && (line.startsWith("# ") || line.startsWith(CONSOLE))) return void (open = undefined);
    const role = isUser ? "user" : "assistant";
    if (open?.role !== role) {
      blocks.push((open = { role, line: index + 1, lines: [] }));
      if (started !== undefined) times.set(index + 1, started);
    }
    open.lines.push(isUser ? line.slice(USER.length) : line);
  });
  const notes: readonly LogNote[] =
    printed === 0 ? [] : [{ code: "not_sent", line: 0, text: `lines that aider printed for the user (${printed})` }];
  const drafts = blocks.map(draftOf);
  return { drafts, notes, recognised: lines.filter((line) => line.startsWith(STARTED)).length, times };
}

function draftOf({ role, line, lines }: Block): MessageDraft {
  // Two spaces at the end are how Markdown ends a line.
  const text = (
    role === "user" ? lines.map((one, at) => (at < lines.length - 1 ? one.replace(/ {2}$/, "") : one)) : lines
  )
    .join("\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
  return { kind: "said", line, message: { role, parts: [{ kind: "text", text }] } };
}

export const aider: SessionFormat = {
  name: "aider",
  title: "aider",
  speaks: "openai-chat",
  marks: { text: isAiderText, path: /\.aider\.chat\.history\.md$/ },
  read: readAider,
  upTo: firstLines,
  tools: {},
};
