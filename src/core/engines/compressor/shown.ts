/** What stands verbatim beside a handoff: what it says need not be said again. Remembers what each message was asked. */
import { describeCall } from "../../digest/call.ts";
import type { Beside } from "../../summary/items.ts";
import { callsOf, contentText, type Message } from "../../transcript/message.ts";

interface Known {
  readonly text: string;
  readonly answers: Map<string, boolean>;
}

/** Answers that are remembered a message; most texts are asked for once a compaction. */
const ANSWERS_MAX = 2_000;

export interface ShownKeeper {
  /** What a model reads of a message. */
  readonly textOf: (message: Message) => string;
  readonly shownIn: (messages: readonly Message[]) => Beside;
}

export function createShownKeeper(): ShownKeeper {
  const known = new WeakMap<Message, Known>();
  const knownOf = (message: Message): Known => {
    let one = known.get(message);
    if (one === undefined) known.set(message, (one = { text: readable(message), answers: new Map() }));
    return one;
  };
  return {
    textOf: (message) => knownOf(message).text,
    shownIn: (messages) => {
      const all = messages.map(knownOf);
      return { includes: (text) => all.some((one) => says(one, text)) };
    },
  };
}

function says({ text: own, answers }: Known, text: string): boolean {
  if (own.length < text.length) return false;
  let answer = answers.get(text);
  if (answer === undefined) {
    if (answers.size >= ANSWERS_MAX) answers.clear();
    answers.set(text, (answer = own.includes(text)));
  }
  return answer;
}

function readable(message: Message): string {
  const calls = callsOf(message).map(
    (call) => `${call.name} ${describeCall(call.name, call.arguments).values.join("\n")}`,
  );
  return [contentText(message.parts), ...calls].join("\n");
}
