/** A long session in whose middle something was read that only the recall tool can bring back. */
import { RECALL_TOOL } from "../../../../src/session/recall/answer.ts";
import type { Message, Transcript } from "../../../../src/core/transcript/message.ts";
import type { Answer, ScriptedRequest } from "../../../../provider/src/answers.ts";
import { fieldsOf, listOf } from "../../../../src/protocols/fields.ts";
import { worked } from "../../support/asking.ts";

export const WINDOW_TOKENS = 16_000;
const SECRET_PLACE = "the harbour keeper likes";
export const VALUE = "quince marmalade on rainy mornings";

/** The value is in the third result. */
export function longSession(name = "harbour"): Transcript {
  const session = worked(name, 24);
  const messages = session.messages.map((message, at): Message => {
    const [part] = message.parts;
    if (at !== 6 || part?.kind !== "tool-result") return message;
    const [content] = part.content;
    const text = content?.kind === "text" ? content.text : "";
    const lines = text.split("\n");
    const told = [...lines.slice(0, 12), `${SECRET_PLACE} ${VALUE}`, ...lines.slice(12)].join("\n");
    return { ...message, parts: [{ ...part, content: [{ kind: "text", text: told }] }] };
  });
  return { ...session, messages };
}

export const recallCall = (query = "harbour keeper", id?: string) => ({
  name: RECALL_TOOL,
  arguments: /^r[0-9a-f]{9}(?:[0-9a-f]{7})?$/.test(query) ? { id: query } : { query },
  ...(id === undefined ? {} : { id }),
});

/** Answers one request after another; each sees what it is asked. */
export function scripted(
  ...steps: readonly (Answer | ((asked: ScriptedRequest) => Answer))[]
): (asked: ScriptedRequest) => Answer {
  let at = 0;
  return (asked) => {
    const step = steps[Math.min(at++, steps.length - 1)]!;
    return typeof step === "function" ? step(asked) : step;
  };
}

/** The list of messages or items of a body. */
export function listIn(body: string): readonly unknown[] {
  const value = fieldsOf(JSON.parse(body));
  return listOf(value["messages"] ?? value["input"] ?? value["contents"]);
}

/** The text of the list without its closing bracket. */
export function listText(body: string): string {
  return JSON.stringify(listIn(body)).slice(0, -1);
}

/** What the model was last told, as text. */
export function lastTold({ body }: ScriptedRequest): string {
  const list = listOf(body["messages"] ?? body["input"] ?? body["contents"]);
  return JSON.stringify(list.at(-1));
}
