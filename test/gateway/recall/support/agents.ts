/** The vendors' own clients as agents: each keeps what it was answered and sends all of it back. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { Transcript } from "../../../../src/core/transcript/message.ts";
import type { SdkProtocol } from "./sdk-protocols.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../../../../src/protocols/fields.ts";
import { bodyOf } from "../../support/asking.ts";

export interface AgentOptions {
  readonly url: string;
  readonly protocol: SdkProtocol;
  readonly history: Transcript;
  readonly stream: boolean;
  readonly key?: string;
  /** Beside what the history says. */
  readonly body?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Said {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  readonly usage: Fields;
}

export interface Agent {
  /** Sends everything there is, and takes the answer into its history. */
  readonly ask: () => Promise<Said>;
  readonly says: (text: string) => void;
  /** Answers calls. */
  readonly results: (calls: readonly { readonly id: string }[], text: string) => void;
  /** What it would send now. */
  readonly list: unknown[];
}

const READ_TOOL = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export function toolsOf(protocol: SdkProtocol): readonly unknown[] {
  const { name, description, parameters } = READ_TOOL;
  switch (protocol) {
    case "anthropic-messages":
      return [{ name, description, input_schema: parameters }];
    case "openai-chat":
      return [{ type: "function", function: READ_TOOL }];
    case "openai-responses":
      return [{ type: "function", ...READ_TOOL, strict: false }];
  }
}

export function agentOf(options: AgentOptions): Agent {
  switch (options.protocol) {
    case "anthropic-messages":
      return messagesAgent(options);
    case "openai-chat":
      return chatAgent(options);
    case "openai-responses":
      return responsesAgent(options);
  }
}

function bodyFor({ protocol, history, body }: AgentOptions): Record<string, unknown> {
  const own = protocol === "openai-responses" ? { store: false, include: ["reasoning.encrypted_content"] } : {};
  return JSON.parse(bodyOf(protocol, history, { tools: toolsOf(protocol), ...own, ...body })) as Record<
    string,
    unknown
  >;
}

const clientOptions = ({ url, key = "key", headers = {} }: AgentOptions) => ({
  baseURL: url,
  apiKey: key,
  maxRetries: 0,
  defaultHeaders: headers,
});

function messagesAgent(options: AgentOptions): Agent {
  const client = new Anthropic(clientOptions(options));
  const base = bodyFor(options);
  const list = [...listOf(base["messages"])];
  const { signal } = options;
  return {
    list,
    says: (text) => void list.push({ role: "user", content: text }),
    results: (calls, text) =>
      void list.push({
        role: "user",
        content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: text })),
      }),
    ask: async () => {
      const body = { ...base, messages: list } as unknown as Anthropic.MessageCreateParamsNonStreaming;
      const { content, usage } = options.stream
        ? await client.messages.stream(body, { signal }).finalMessage()
        : await client.messages.create(body, { signal });
      list.push({ role: "assistant", content });
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
      const calls = content.flatMap((block) => (block.type === "tool_use" ? { id: block.id, name: block.name } : []));
      return { text, calls, usage: fieldsOf(usage) };
    },
  };
}

function chatAgent(options: AgentOptions): Agent {
  const client = new OpenAI({ ...clientOptions(options), baseURL: `${options.url}/v1` });
  const base = bodyFor(options);
  const list = [...listOf(base["messages"])];
  const { signal } = options;
  return {
    list,
    says: (text) => void list.push({ role: "user", content: text }),
    results: (calls, text) =>
      void list.push(...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: text }))),
    ask: async () => {
      const body = { ...base, messages: list } as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming;
      const { choices, usage } = options.stream
        ? await client.chat.completions
            .stream({ ...body, stream: true, stream_options: { include_usage: true } }, { signal })
            .finalChatCompletion()
        : await client.chat.completions.create(body, { signal });
      const { message } = choices[0]!;
      list.push(message);
      const calls = (message.tool_calls ?? []).flatMap((call) =>
        call.type === "function" ? { id: call.id, name: call.function.name } : [],
      );
      return { text: message.content ?? "", calls, usage: fieldsOf(usage) };
    },
  };
}

function responsesAgent(options: AgentOptions): Agent {
  const client = new OpenAI({ ...clientOptions(options), baseURL: `${options.url}/v1` });
  const base = bodyFor(options);
  const list = [...listOf(base["input"])];
  const { signal } = options;
  return {
    list,
    says: (text) => void list.push({ role: "user", content: text }),
    results: (calls, text) =>
      void list.push(...calls.map(({ id }) => ({ type: "function_call_output", call_id: id, output: text }))),
    ask: async () => {
      const body = { ...base, input: list } as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming;
      const { output, usage, status, error } = options.stream
        ? await client.responses.stream(body as never, { signal }).finalResponse()
        : await client.responses.create(body, { signal });
      if (status === "failed") throw new Error(error?.message);
      list.push(...output);
      const items = output.map((item) => fieldsOf(item));
      const text = items
        .flatMap((item) => listOf(item["content"]).map(fieldsOf))
        .map((part) => textOf(part["text"]) ?? "")
        .join("");
      const calls = items.flatMap((item) =>
        item["type"] === "function_call" ? { id: String(item["call_id"]), name: String(item["name"]) } : [],
      );
      return { text, calls, usage: fieldsOf(usage) };
    },
  };
}
