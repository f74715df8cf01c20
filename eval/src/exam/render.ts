/** Messages as a reader sees them: numbered, with roles and calls, and without secrets. */
import type { Redactor } from "../../../src/core/redaction/redactor.ts";
import { createMeasure, type Measure } from "../../../src/core/transcript/measure.ts";
import { callsOf, contentText, type Message, type Transcript } from "../../../src/core/transcript/message.ts";

export interface RenderContext {
  readonly mask: Redactor;
  readonly measure: Measure;
}

export function createRenderContext(mask: Redactor): RenderContext {
  return { mask, measure: createMeasure() };
}

export function renderTranscript({ system, messages }: Transcript, { mask }: RenderContext): string {
  return mask(renderMessages([...system, ...messages], 0));
}

/** `first` is the number of the first message. */
export function renderMessages(messages: readonly Message[], first: number): string {
  return messages.map((message, at) => `=== [${first + at}] ${message.role}\n${bodyOf(message)}`).join("\n\n");
}

function bodyOf(message: Message): string {
  const calls = callsOf(message).map(({ name, arguments: given }) => `--> call ${name} ${given}`);
  return [contentText(message.parts), ...calls].filter((text) => text !== "").join("\n");
}

/** The newest messages that fit, the oldest of them cut to its end. */
export function renderTail(messages: readonly Message[], room: number, { mask, measure }: RenderContext): string {
  let [from, spent] = [messages.length, 0];
  while (from > 0 && spent + measure.message(messages[from - 1]!) <= room) spent += measure.message(messages[--from]!);
  const tail = renderMessages(messages.slice(from), from);
  const left = room - spent;
  if (from === 0 || left < PARTIAL_TOKENS_MIN) return mask(tail);
  const partial = endOf(bodyOf(messages[from - 1]!), left, measure);
  return mask(`=== [${from - 1}] ${messages[from - 1]!.role}, its end\n${partial}\n\n${tail}`);
}

/** A shorter piece of a message tells nothing. */
const PARTIAL_TOKENS_MIN = 40;

/** The end of a text that has at most that many tokens. */
function endOf(text: string, tokens: number, measure: Measure): string {
  let chars = text.length;
  while (chars > 0 && measure.text(text.slice(-chars)) > tokens) chars = Math.floor(chars * SHRINK);
  return chars === 0 ? "" : text.slice(-chars);
}

const SHRINK = 0.85;
