/**
 * Answers of Chat Completions. Before content come chunks that name a role only, or have no choices (Azure's prompt
 * filter); an overflow is refused over HTTP, or is an error in place of a chunk.
 */
import type { Fields } from "../dialect.ts";
import { fieldsOf, listOf, parsed, textOf } from "../fields.ts";
import { chatUsage } from "../usage.ts";
import {
  ENDS,
  failure,
  isFilled,
  NOTHING,
  type AnswerDialect,
  type AnswerSignal,
  type StreamedEvent,
} from "../answers/signal.ts";

const FINISH_KEY = '"finish_reason":';
/** Z.ai names the window as the reason why an answer ends. */
const WINDOW_STOP = "model_context_window_exceeded";

export const chatAnswers: AnswerDialect = {
  event: (event, began) => {
    if (event.data === "[DONE]") return ENDS;
    if (event.name === "error") return failure(event.data);
    return began && !mayMatter(event) ? NOTHING : readChunk(event.data);
  },
  whole: (members) => {
    const error = members.get("error");
    if (isFilled(error)) return failure(`{"error":${error}}`);
    const usage = chatUsage({ usage: parsed(members.get("usage")) });
    return { usage, ends: true, ...(isFilled(members.get("choices")) ? { begins: true } : {}) };
  },
};

/** Most chunks hold a piece of text and are not parsed. Where usage is asked for, every chunk has the key, mostly with null. */
function mayMatter({ data }: StreamedEvent): boolean {
  const finish = data.indexOf(FINISH_KEY);
  if (finish < 0 || !data.startsWith("null", finish + FINISH_KEY.length)) return true;
  return data.includes('"prompt_tokens"') || data.includes('"error"');
}

function readChunk(data: string): AnswerSignal {
  const value = parsed(data);
  if (value === undefined) return { begins: true };
  const chunk = fieldsOf(value);
  const { error } = chunk;
  if ((error !== undefined && error !== null) || chunk["object"] === "error") return failure(data);
  const choices = listOf(chunk["choices"]).map(fieldsOf);
  const reasons = choices.flatMap((choice) => textOf(choice["finish_reason"]) ?? []);
  const usage = chatUsage(chunk);
  if (reasons.includes(WINDOW_STOP)) return { usage, overflow: { kind: "context" } };
  const begins = usage !== undefined || reasons.length > 0 || choices.some(hasContent);
  return { usage, ...(begins ? { begins } : {}), ...(reasons.length > 0 ? { ends: true } : {}) };
}

/** Anything but the role, and fields that are there without a value. */
function hasContent(choice: Fields): boolean {
  const delta = fieldsOf(choice["delta"] ?? choice["message"]);
  return Object.entries(delta).some(([key, value]) => key !== "role" && isValue(value));
}

function isValue(value: unknown): boolean {
  return value !== null && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);
}
