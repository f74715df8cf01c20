/** Conversations written down briefly: calls with their results, and the events of all of it. */
import { eventsOf, type CallEvent, type Events } from "../../../src/core/events/events.ts";
import type { Message } from "../../../src/core/transcript/message.ts";
import { says, user } from "../../support/compacting.ts";

export { says, user };

let calls = 0;

/** One call with its result. */
export function does(
  name: string,
  args: Readonly<Record<string, unknown>>,
  result: string,
  options: { readonly isError?: true; readonly text?: string } = {},
): readonly Message[] {
  const { isError, text } = options;
  const id = `call-${++calls}`;
  const said = text === undefined ? [] : [{ kind: "text", text } as const];
  const flag = isError === undefined ? {} : { isError };
  return [
    { role: "assistant", parts: [...said, { kind: "tool-call", id, name, arguments: JSON.stringify(args) }] },
    { role: "tool", parts: [{ kind: "tool-result", callId: id, content: [{ kind: "text", text: result }], ...flag }] },
  ];
}

export function run(command: string, result: string, options: { readonly isError?: true } = {}): readonly Message[] {
  return does("Bash", { command }, result, options);
}

export function edits(path: string, before = "a", now = "b"): readonly Message[] {
  return does("Edit", { file_path: path, old_string: before, new_string: now }, `The file ${path} has been updated.`);
}

export function writes(path: string, content: string): readonly Message[] {
  return does("Write", { file_path: path, content }, `File created successfully at: ${path}`);
}

export function reads(path: string, shown = "1\tconst a = 1;"): readonly Message[] {
  return does("Read", { file_path: path }, shown);
}

/** A call that has no result. */
export function starts(name: string, args: Readonly<Record<string, unknown>>): Message {
  return does(name, args, "")[0]!;
}

export function eventsIn(...parts: readonly (Message | readonly Message[])[]): Events {
  return eventsOf(parts.flat());
}

/** What comes of one call and its result. */
export function eventOf(messages: readonly Message[]): CallEvent {
  return eventsOf(messages).calls[0]!;
}
