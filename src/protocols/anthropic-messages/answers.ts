/**
 * Answers of Anthropic Messages. Before content come `message_start` and pings only. An overflow is refused over HTTP;
 * inside of a stream it is an `error` event in place of `message_start` or behind it, or a `message_delta` whose stop
 * reason is the window, without a content block before it.
 */
import { fieldsOf, parsed, textOf } from "../fields.ts";
import { anthropicUsage, compactionUsage } from "../usage.ts";
import {
  BEGINS,
  ENDS,
  failure,
  isFilled,
  NOTHING,
  typeOf,
  untypedFailure,
  type AnswerDialect,
  type AnswerSignal,
} from "../answers/signal.ts";

const WINDOW_STOP = "model_context_window_exceeded";

export const anthropicAnswers: AnswerDialect = {
  event: (event) => {
    switch (typeOf(event)) {
      case "ping":
        return NOTHING;
      case "message_start":
        return readStart(parsed(event.data));
      case "message_delta":
        return readDelta(parsed(event.data));
      case "message_stop":
        return ENDS;
      case "error":
        return failure(event.data);
      default:
        return untypedFailure(event) ?? BEGINS;
    }
  },
  whole: (members) => {
    const answer = { usage: parsed(members.get("usage")) };
    const usage = anthropicUsage(answer);
    const windowFull = parsed(members.get("stop_reason")) === WINDOW_STOP;
    return {
      usage,
      besides: compactionUsage(answer),
      id: textOf(parsed(members.get("id"))),
      ends: true,
      ...(isFilled(members.get("content")) ? BEGINS : {}),
      ...(windowFull ? { overflow: { kind: "context" } } : {}),
    };
  },
};

function readStart(start: unknown): AnswerSignal {
  return { usage: anthropicUsage(start), id: textOf(fieldsOf(fieldsOf(start)["message"])["id"]) };
}

function readDelta(delta: unknown): AnswerSignal {
  const usage = anthropicUsage(delta);
  const windowFull = fieldsOf(fieldsOf(delta)["delta"])["stop_reason"] === WINDOW_STOP;
  const spent = { usage, besides: compactionUsage(delta) };
  return windowFull ? { ...spent, overflow: { kind: "context" } } : { ...spent, begins: true };
}
