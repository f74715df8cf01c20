/**
 * Answers of Responses. Before content come `response.created`, `response.queued` and `response.in_progress`; an overflow
 * is `response.failed` behind these, under HTTP 200. Their payload repeats tools and instructions, so it is never parsed
 * whole.
 */
import { parsed } from "../fields.ts";
import { responsesUsage } from "../usage.ts";
import {
  BEGINS,
  ENDS,
  failure,
  isFilled,
  memberTexts,
  NOTHING,
  typeOf,
  untypedFailure,
  type AnswerDialect,
  type AnswerSignal,
} from "../answers/signal.ts";

export const responsesAnswers: AnswerDialect = {
  event: (event, began) => {
    const type = typeOf(event);
    switch (type) {
      case "response.created":
      case "response.queued":
      case "response.in_progress":
      case "keepalive":
      case "ping":
        return NOTHING;
      case "response.completed":
      case "response.incomplete":
      case "response.done":
      case "response.failed":
      case "response.cancelled":
        return readFinal(memberTexts(memberTexts(event.data).get("response")));
      case "error":
        return failure(event.data);
      default:
        return began ? NOTHING : (untypedFailure(event) ?? BEGINS);
    }
  },
  whole: (response) => ({ ...readFinal(response), ...(isFilled(response.get("output")) ? BEGINS : {}) }),
};

function readFinal(response: ReadonlyMap<string, string>): AnswerSignal {
  const usage = responsesUsage({ usage: parsed(response.get("usage")) });
  const error = response.get("error");
  return isFilled(error) ? { usage, ...failure(`{"error":${error}}`) } : { usage, ...ENDS };
}
