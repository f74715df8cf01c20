/** What is kept verbatim beside a handoff: what it says need not be said again. Remembers what each message was asked. */
import { described } from "../../digest/call.ts";
import type { AlreadyVisible } from "../../handoff/items.ts";
import { callsOf, contentText, type Message } from "../../transcript/message.ts";

interface VisibleSource {
  readonly text: string;
  /** The message's place in what is remembered of a text that was asked for. */
  readonly number: number;
}

/** Texts that are remembered; a compaction asks for a few hundred, most of them again in the next. */
const TEXTS_MAX = 5_000;
const YES = 1;
const NO = 2;

export interface ShownKeeper {
  /** What a model reads of a message. */
  readonly textOf: (message: Message) => string;
  readonly shownIn: (messages: readonly Message[]) => AlreadyVisible;
}

export function createShownKeeper(): ShownKeeper {
  let known = new WeakMap<Message, VisibleSource>();
  let answers = new Map<string, number[]>();
  let numbers = 0;
  const knownOf = (message: Message): VisibleSource => {
    let one = known.get(message);
    if (one === undefined) known.set(message, (one = { text: readable(message), number: numbers++ }));
    return one;
  };
  const answersFor = (text: string): number[] => {
    let own = answers.get(text);
    if (own === undefined) answers.set(text, (own = []));
    return own;
  };
  return {
    textOf: (message) => knownOf(message).text,
    shownIn: (messages) => {
      if (answers.size > TEXTS_MAX) [known, answers, numbers] = [new WeakMap(), new Map(), 0];
      const all = messages.map(knownOf);
      return {
        includes: (text) => {
          const own = answersFor(text);
          for (const { text: whole, number } of all)
            if ((own[number] ??= whole.includes(text) ? YES : NO) === YES) return true;
          return false;
        },
      };
    },
  };
}

function readable(message: Message): string {
  const calls = callsOf(message).map((call) => `${call.name} ${described(call).values.join("\n")}`);
  return [contentText(message.parts), ...calls].join("\n");
}
