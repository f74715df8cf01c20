/** The rows in which Claude Code hands a conversation to a module of a plugin: recognised in the messages of its session file, and written. */
import { personText } from "../../core/events/person.ts";
import { callsOf, contentText, resultOf, type Message } from "../../core/transcript/message.ts";
import { parsedArguments } from "../framework/conversation.ts";

/** What the plugin's module sends of a row: enough to recognise it. */
export interface ClaudeRow {
  readonly role: "user" | "assistant";
  /** Of its text, as `shortenKey` has it; empty for thinking. */
  readonly key: string;
  /** Ids of its calls, or of the calls that its results answer. */
  readonly ids: readonly string[];
}

/** A row that is written anew. */
export interface WrittenRow {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly toolUses: readonly { readonly tool_use_id: string; readonly tool: string; readonly input: unknown }[];
  readonly toolResults?: readonly { readonly tool_use_id: string; readonly text: string; readonly isError: boolean }[];
}

/** So many characters of a text distinguish it from others. The plugin's module does the same (.claude-plugin/compact.mjs). */
const KEY_CHARS = 200;

/**
 * The rows for the messages from one on: what a person wrote as Claude Code has it, by its index, and replies and results anew,
 * because a resumed session would otherwise hold a reply twice. Rows newer than the file stay too. Undefined if no message is
 * among the rows: the file is not that of this conversation.
 */
export function keepRows(
  messages: readonly Message[],
  from: number,
  rows: readonly ClaudeRow[],
): readonly (number | WrittenRow)[] | undefined {
  const newest = messages.map((message) => findRow(message, rows)).findLast((row) => row !== undefined);
  if (newest === undefined) return undefined;
  const kept: (number | WrittenRow)[] = [];
  let before = newest + 1;
  for (const message of messages.slice(from).toReversed()) {
    const row = findRow(message, rows.slice(0, before));
    before = row ?? before;
    if (message.role !== "user") kept.push(writeRow(message));
    else if (row !== undefined) kept.push(row);
    // Of what Claude Code adds itself, it adds again what is needed.
    else if (personText(message) !== "") kept.push(writeRow(message));
  }
  return [...kept.toReversed(), ...[...rows.keys()].slice(newest + 1)];
}

/** The last one that holds a part of a message. */
function findRow(message: Message, rows: readonly ClaudeRow[]): number | undefined {
  const result = resultOf(message);
  const ids = new Set(result === undefined ? callsOf(message).map(({ id }) => id) : [result.callId]);
  const key = shortenKey(joinText(message));
  const at = rows.findLastIndex((row) =>
    ids.size > 0 ? row.ids.some((id) => ids.has(id)) : row.role === message.role && key !== "" && row.key === key,
  );
  return at < 0 ? undefined : at;
}

function shortenKey(text: string): string {
  return text.replaceAll(/\s+/g, "").slice(0, KEY_CHARS);
}

function joinText({ parts }: Message): string {
  return contentText(parts.filter(({ kind }) => kind === "text"));
}

export function writeText(text: string): WrittenRow {
  return { role: "user", text, toolUses: [] };
}

/** Its thinking and pictures are not part of a row that is written. */
function writeRow(message: Message): WrittenRow {
  const result = resultOf(message);
  if (result !== undefined) {
    const { callId, content, isError = false } = result;
    const answer = { tool_use_id: callId, text: contentText(content), isError };
    return { role: "user", text: "", toolUses: [], toolResults: [answer] };
  }
  const toolUses = callsOf(message).map(({ id, name, arguments: text }) => ({
    tool_use_id: id,
    tool: name,
    input: parsedArguments(text),
  }));
  return { role: message.role === "assistant" ? "assistant" : "user", text: joinText(message), toolUses };
}
