/**
 * Messages of Chat Completions for servers that want user and assistant to take turns: neighbours of one role become one
 * message. The chat templates of Mistral and Gemma refuse a request otherwise
 * (https://huggingface.co/docs/transformers/chat_templating).
 */
import { fieldsOf } from "../fields.ts";
import {
  applyEdits,
  patchObject,
  type Edit,
  elementsOf,
  elementTexts,
  membersOf,
  memberText,
  skipSpace,
} from "../json.ts";

/** A bare list of messages is read as that of a request. */
const LIST_OPENING = '{"messages":';

const JOINED_ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant"]);

interface WrittenMessage {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly role: unknown;
  /** Only words: nothing of it is lost when the next message takes them. */
  readonly isPlain: boolean;
}

/** The body with neighbours of one role joined, their texts a blank line apart; the same body where there are none. */
export function withAlternatingRoles(body: string): string {
  if (body.trimStart().startsWith("["))
    return withAlternatingRoles(`${LIST_OPENING}${body}}`).slice(LIST_OPENING.length, -1);
  const list = membersOf(body, skipSpace(body, 0)).findLast(({ key }) => key === "messages");
  if (list === undefined) return body;
  const edits: Edit[] = [];
  let group: WrittenMessage[] = [];
  const close = (): void => {
    if (group.length > 1) edits.push({ start: group[0]!.start, end: group.at(-1)!.end, text: joined(group) });
    group = [];
  };
  for (const { start, end } of elementsOf(body, list.start)) {
    const message = readMessage(body, start, end);
    const last = group.at(-1);
    if (last !== undefined && !(last.isPlain && last.role === message.role && message.hasContent)) close();
    if (JOINED_ROLES.has(message.role) && message.hasContent) group.push(message);
  }
  close();
  return applyEdits(body, edits);
}

function readMessage(body: string, start: number, end: number): WrittenMessage & { readonly hasContent: boolean } {
  const text = body.slice(start, end);
  const { role, content, tool_calls: calls, function_call: call, audio, refusal } = fieldsOf(JSON.parse(text));
  const isPlain = [calls, call, audio, refusal].every((field) => field === undefined || field === null);
  return { start, end, text, role, isPlain, hasContent: typeof content === "string" || Array.isArray(content) };
}

/** The last of them, with the words of all. */
function joined(group: readonly WrittenMessage[]): string {
  const contents = group.map(({ text }) => memberText(text, "content")!);
  const content = contents.every((one) => one.startsWith('"'))
    ? JSON.stringify(contents.map((one) => JSON.parse(one) as string).join("\n\n"))
    : `[${contents.flatMap(partTexts).join(",")}]`;
  return patchObject(group.at(-1)!.text, { content });
}

function partTexts(content: string): readonly string[] {
  return content.startsWith('"') ? [`{"type":"text","text":${content}}`] : elementTexts(content);
}

/** Longer refusals are about something else. */
const EXAMINED_CHARS_MAX = 16_384;
/** Servers of open models answer with 400 or 422, llama.cpp with 500. */
const STATUSES: ReadonlySet<number> = new Set([400, 422, 500]);
/** "Conversation roles must alternate user/assistant/…", "user and assistant roles should be alternating". */
const ALTERNATES = /\balternat(?:e|es|ing)\b/i;
const OF_ROLES = /\b(?:roles?|user|assistant)\b/i;

/** Whether a server says that it wants roles to take turns. */
export function refusesNeighbours(status: number, error: string): boolean {
  return STATUSES.has(status) && error.length <= EXAMINED_CHARS_MAX && ALTERNATES.test(error) && OF_ROLES.test(error);
}
