/**
 * An answer put together from the events of its stream, as the vendors' own clients do it: what a whole answer would
 * have said, or its error.
 */
import { isFields, type Fields } from "../../../src/protocols/fields.ts";
import { parsedJson } from "../../../provider/src/arguments.ts";
import { CHAT_END } from "../../../provider/src/chat/reply.ts";
import type { AgentForm } from "./form.ts";

export interface Assembler {
  /** One event's data as it came. */
  readonly take: (data: string) => void;
  /** The answer, or `{ error }` where the stream reported one or ended before the answer did. */
  readonly answer: () => Fields;
}

const BROKEN_OFF: Fields = { error: { message: "the stream ended before the answer did" } };

export function assemblerOf(form: AgentForm): Assembler {
  const { take, answer } = form.readStream();
  let error: unknown;
  return {
    take: (data) => {
      const event = data === CHAT_END ? { type: CHAT_END } : parsedJson(data)?.value;
      if (!isFields(event)) error ??= { message: "an event of the stream is no JSON" };
      else if (isFields(event["error"])) error ??= event["error"];
      else take(event);
    },
    answer: () => (error === undefined ? (answer() ?? BROKEN_OFF) : { error }),
  };
}
