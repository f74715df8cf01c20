/** The three protocols as a provider speaks them: what a request asks for, and how an answer is written. */
import { estimateText } from "../../../src/core/transcript/estimate.ts";

export type WireProtocol = "openai-chat" | "openai-responses" | "anthropic-messages";

export const PATHS: Readonly<Record<string, WireProtocol>> = {
  "/v1/chat/completions": "openai-chat",
  "/v1/responses": "openai-responses",
  "/v1/messages": "anthropic-messages",
};

/** One request as the endpoint understood it. */
export interface Asked {
  readonly protocol: WireProtocol;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** All text of the system prompt. */
  readonly system: string;
  /** All text of the other messages. */
  readonly user: string;
  readonly maxOutputTokens: number | undefined;
  /** System and user by our estimator: what the endpoint counts and charges. */
  readonly inputTokens: number;
  /** True once the client hung up before it had its answer. */
  readonly abandoned: boolean;
}

/** Why an answer ended: as OpenAI says it; each protocol has its own words. */
export type Finish = "stop" | "length" | "content_filter";

export interface Reply {
  readonly text: string;
  readonly finish: Finish;
  /** A refusal in its own field (OpenAI), beside an empty text. */
  readonly refusal?: string;
  readonly usage: { readonly input: number; readonly output: number; readonly cacheRead: number } | undefined;
}

export function readRequest(path: string, text: string): Omit<Asked, "headers" | "abandoned"> {
  const body = JSON.parse(text) as Record<string, unknown>;
  const protocol = PATHS[path]!;
  const messages = (body["messages"] ?? body["input"] ?? []) as readonly { role: string; content: unknown }[] | string;
  const listed = typeof messages === "string" ? [{ role: "user", content: messages }] : messages;
  const isSystem = ({ role }: { role: string }): boolean => role === "system" || role === "developer";
  const own = [body["system"], body["instructions"]].map(textsIn);
  const system = [...own, ...listed.filter(isSystem).map(({ content }) => textsIn(content))].filter(Boolean).join("\n");
  const user = listed
    .filter((message) => !isSystem(message))
    .map(({ content }) => textsIn(content))
    .join("\n");
  const limit = body["max_tokens"] ?? body["max_completion_tokens"] ?? body["max_output_tokens"];
  return {
    protocol,
    path,
    body,
    model: String(body["model"]),
    system,
    user,
    maxOutputTokens: limit as number | undefined,
    inputTokens: estimateText(system) + estimateText(user),
  };
}

function textsIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly { text?: string }[]).map(({ text }) => text ?? "").join("\n");
}

/** The JSON of an answer. */
export function replyBody(asked: Asked, reply: Reply): unknown {
  switch (asked.protocol) {
    case "openai-chat":
      return chatReply(asked, reply);
    case "openai-responses":
      return responsesReply(asked, reply);
    case "anthropic-messages":
      return messagesReply(asked, reply);
  }
}

function chatReply({ model }: Asked, { text, finish, refusal, usage }: Reply): unknown {
  const message = { role: "assistant", content: refusal === undefined ? text : null, refusal: refusal ?? null };
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 1_790_000_000,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    ...(usage === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: usage.input,
            completion_tokens: usage.output,
            total_tokens: usage.input + usage.output,
            prompt_tokens_details: { cached_tokens: usage.cacheRead },
          },
        }),
  };
}

function responsesReply({ model }: Asked, { text, finish, refusal, usage }: Reply): unknown {
  const part =
    refusal === undefined ? { type: "output_text", text, annotations: [], logprobs: [] } : { type: "refusal", refusal };
  const cut = finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: "resp_scripted",
    object: "response",
    created_at: 1_790_000_000,
    status: finish === "stop" ? "completed" : "incomplete",
    incomplete_details: finish === "stop" ? null : { reason: cut },
    error: null,
    model,
    output: [{ type: "message", id: "msg_scripted", status: "completed", role: "assistant", content: [part] }],
    usage: {
      input_tokens: usage?.input ?? 0,
      input_tokens_details: { cached_tokens: usage?.cacheRead ?? 0 },
      output_tokens: usage?.output ?? 0,
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
}

const STOP_REASONS = { stop: "end_turn", length: "max_tokens", content_filter: "refusal" } as const;

function messagesReply({ model }: Asked, { text, finish, refusal, usage }: Reply): unknown {
  const cacheRead = usage?.cacheRead ?? 0;
  return {
    id: "msg_scripted",
    type: "message",
    role: "assistant",
    model,
    content: text === "" ? [] : [{ type: "text", text }],
    stop_reason: refusal === undefined ? STOP_REASONS[finish] : "refusal",
    stop_sequence: null,
    usage: {
      input_tokens: (usage?.input ?? 0) - cacheRead,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: 0,
      output_tokens: usage?.output ?? 0,
    },
  };
}
