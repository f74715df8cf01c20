/**
 * Message threads (Anthropic's docs, "Message threads", 2026-11): a `continue` shows neither the conversation nor its
 * system prompt and tools. The two refusals are those that clients act on: SDK 1.12.0 replays after `thread_not_found`,
 * and goes on without threads after `thread_unsupported_request` where it is told to; Claude Code 2.1.330 does both.
 */
import { fieldsOf, textOf } from "../fields.ts";
import type { ThreadForm, ThreadRefusal } from "../threads.ts";

const NOT_FOUND_STATUS = 404;
const BAD_REQUEST_STATUS = 400;

export const anthropicThreads: ThreadForm = {
  useOf: (member) => {
    const thread = fieldsOf(member("thread"));
    if (thread["type"] === "create") return { kind: "create" };
    const previousId = textOf(thread["previous_message_id"]);
    return thread["type"] === "continue" ? { kind: "continue", previousId: previousId ?? "" } : undefined;
  },
  notFound: (previousId) =>
    refusal(NOT_FOUND_STATUS, "not_found_error", {
      message: `precis: the thread of ${previousId} is due for compaction. Send the full conversation with thread.type "create".`,
      details: { error_code: "thread_not_found" },
    }),
  unsupported: () =>
    refusal(BAD_REQUEST_STATUS, "invalid_request_error", {
      // Claude Code 2.1.268 goes by these first words of the message, later versions by the code.
      message:
        "capability_rejected: beta_header:message-threads-2026-08-12. precis: threads are not available for this conversation. Send the full conversation without `thread`.",
      details: { error_code: "thread_unsupported_request", unsupported: [] },
    }),
};

function refusal(status: number, type: string, error: Readonly<Record<string, unknown>>): ThreadRefusal {
  return { status, body: JSON.stringify({ type: "error", error: { type, ...error } }) };
}
