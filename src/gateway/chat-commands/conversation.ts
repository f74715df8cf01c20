/**
 * A conversation without the commands in it and without our answers to them, so that no model reads either. A command that a
 * model answered, while commands were off, stays.
 */
import { personText } from "../../core/events/person.ts";
import { contentText, withParts, type Message } from "../../core/transcript/message.ts";
import { readCommand, type ChatCommand } from "./command.ts";

/** Opens every answer of ours, so that it is known again when the client sends it back. */
export const ANSWER_START = "[precis] ";

export interface CleanConversation {
  readonly messages: readonly Message[];
  /** The command that the newest message is, still to be answered. */
  readonly command?: ChatCommand;
}

/** Undefined where nothing is to be left out. */
export function withoutCommands(messages: readonly Message[], prefix: string): CleanConversation | undefined {
  const left: Message[] = [];
  let newest: ChatCommand | undefined;
  let changed = false;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    const command = commandIn(message, prefix);
    const end = command === undefined ? at : spokenUntil(messages, at);
    const reply = messages[end + 1];
    if (command === undefined || (reply?.role === "assistant" && !isOurs(reply))) {
      left.push(message);
      continue;
    }
    changed = true;
    for (const each of [...withoutWords(message), ...messages.slice(at + 1, end + 1)]) left.push(each);
    newest = reply === undefined ? command : undefined;
    at = reply?.role === "assistant" ? end + 1 : end;
  }
  if (!changed) return undefined;
  return newest === undefined ? { messages: left } : { messages: left, command: newest };
}

function commandIn(message: Message, prefix: string): ChatCommand | undefined {
  if (message.role !== "user" || message.parts.some(({ kind }) => kind !== "text")) return undefined;
  return readCommand(personText(message), prefix);
}

/** The last of the messages after a command in which its client says something in the person's name. */
function spokenUntil(messages: readonly Message[], from: number): number {
  let end = from;
  for (let at = from + 1; at < messages.length; at++) {
    const next = messages[at]!;
    const isReminder =
      next.role === "user" && personText(next) === "" && next.parts.every(({ kind }) => kind === "text");
    if (!isReminder) break;
    end = at;
  }
  return end;
}

function isOurs(message: Message): boolean {
  return contentText(message.parts).startsWith(ANSWER_START);
}

/** What the client itself wrote beside the command, such as reminders. */
function withoutWords(message: Message): readonly Message[] {
  const kept = message.parts.filter(
    (part) => part.kind === "text" && part.text.trim() !== "" && personText(withParts(message, [part])) === "",
  );
  return kept.length === 0 ? [] : [withParts(message, kept)];
}
