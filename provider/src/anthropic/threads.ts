/**
 * Message threads (Anthropic's docs, "Message threads", 2026-11): `create` has the provider keep the conversation under the
 * id of its answer, `continue` brings only what is new. A thread lives five minutes, and each answer is continued once.
 */
import { fieldsOf, isFields, listOf, textOf, type Fields } from "../../../src/protocols/fields.ts";
import { invalid, type Refusal } from "../../../src/protocols/request-form/openai-refusals.ts";
import { hasBeta } from "./compaction.ts";
import type { RecentMap } from "../../../src/store/recent-map.ts";

const THREADS_BETA = "message-threads-2026-08-12";
const THREAD_TTL_MS = 5 * 60_000;

/** What is kept under the id of an answer. */
export interface StoredThread {
  /** `system` and `tools`, which only a `create` brings. */
  readonly fixed: Fields;
  readonly messages: readonly unknown[];
  readonly stopReason: unknown;
  readonly expiresAtMs: number;
  continued: boolean;
}

export interface ThreadContext {
  readonly threads: RecentMap<StoredThread>;
  readonly nowMs: number;
}

/** A request with everything in it that its thread holds. */
export interface WholeRequest {
  readonly body: Fields;
  /** Keeps the conversation with its answer where the request asked for that. */
  readonly answered: (answer: Fields) => void;
}

const FIXED = ["system", "tools"] as const;

export function wholeRequest(body: Fields, headers: Headers, context: ThreadContext): Refusal | WholeRequest {
  const { thread } = body;
  if (thread === undefined || thread === null) return { body, answered: () => undefined };
  if (!hasBeta(headers, THREADS_BETA)) return invalid("shape", "thread: Extra inputs are not permitted");
  const { type, previous_message_id: previous } = fieldsOf(thread);
  if (type !== "create" && type !== "continue")
    return invalid("shape", "thread: Input tag found using 'type' does not match any of the expected tags");
  if (body["context_management"] !== undefined && body["context_management"] !== null)
    return {
      ...invalid("thread", "thread: `context_management` is not supported on a thread"),
      details: { error_code: "thread_unsupported_request", unsupported: ["context_management"] },
    };
  if (type === "create") return kept(body, body, context);
  return continued(body, textOf(previous) ?? "", context);
}

function continued(body: Fields, previousId: string, context: ThreadContext): Refusal | WholeRequest {
  const { threads, nowMs } = context;
  const repeated = FIXED.find((field) => body[field] !== undefined);
  if (repeated !== undefined)
    return refused("thread_fingerprint_mismatch", `${repeated}: a thread keeps the value that it was created with`);
  const before = threads.get(previousId);
  if (before === undefined || nowMs >= before.expiresAtMs) return lost(previousId);
  if (before.continued)
    return refused("thread_already_continued", `The response ${previousId} has already been continued`);
  const { fixed, messages } = before;
  const sent = listOf(body["messages"]);
  const resumes = before.stopReason === "pause_turn" || before.stopReason === "compaction";
  if (sent.length === 0 && !resumes) return invalid("shape", "messages: at least one message is required");
  return kept(body, { ...body, ...fixed, messages: [...messages, ...sent] }, context, before);
}

function kept(
  { thread: _, ...asked }: Fields,
  { thread: _thread, ...body }: Fields,
  { threads, nowMs }: ThreadContext,
  before?: StoredThread,
): WholeRequest {
  const answered = (answer: Fields): void => {
    if (before !== undefined) before.continued = true;
    threads.set(String(answer["id"]), {
      fixed: Object.fromEntries(FIXED.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]]))),
      // Markers belong to the request that brings them.
      messages: [...listOf(body["messages"]).map(withoutMarkers), { role: "assistant", content: answer["content"] }],
      stopReason: answer["stop_reason"],
      expiresAtMs: nowMs + THREAD_TTL_MS,
      continued: false,
    });
  };
  return { body: { ...asked, ...body }, answered };
}

function withoutMarkers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarkers);
  if (!isFields(value)) return value;
  const { cache_control: _, ...rest } = value;
  return "content" in rest ? { ...rest, content: withoutMarkers(rest["content"]) } : rest;
}

function lost(previousId: string): Refusal {
  return {
    status: 404,
    reason: "thread",
    message: `No usable thread was found for ${previousId}. Send the full conversation with thread.type create.`,
    details: { error_code: "thread_not_found" },
  };
}

function refused(code: string, message: string): Refusal {
  return { ...invalid("thread", message), details: { error_code: code } };
}
