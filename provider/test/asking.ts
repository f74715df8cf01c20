/** A strict provider on a real port, and bodies that it takes, for tests to spoil. */
import { onTestFinished } from "vitest";
import { createProvider, type Provider, type ProviderOptions } from "../src/provider.ts";

export type Json = Readonly<Record<string, unknown>>;

export const PATHS = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  count: "/v1/messages/count_tokens",
} as const;

export type Route = keyof typeof PATHS;

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a JSON answer. */
  readonly json: Json;
}

export interface Served extends Provider {
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly send: (route: Route, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  readonly ask: (route: Route, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Told>;
}

/** Closed after the test that is running. */
export async function served(options: ProviderOptions = {}): Promise<Served> {
  const provider = createProvider(options);
  const { url, close } = await provider.listen();
  const send: Served["send"] = (route, body, headers = {}) =>
    fetch(`${url}${PATHS[route]}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...keyFor(route), ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const ask: Served["ask"] = async (...asked) => {
    const response = await send(...asked);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
  };
  onTestFinished(() => close());
  return { ...provider, url, close, send, ask };
}

function keyFor(route: Route): Readonly<Record<string, string>> {
  if (route === "chat" || route === "responses") return { authorization: "Bearer test-key" };
  return { "x-api-key": "test-key", "anthropic-version": "2023-06-01" };
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

export function messageOf({ json }: Told): string {
  return String((json["error"] as Json | undefined)?.["message"]);
}

/** A request in the middle of a tool loop, in each protocol. */
export const BODIES = {
  chat: {
    model: "gpt-4o",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Read a." },
      { role: "assistant", content: null, tool_calls: [chatCall("call_1"), chatCall("call_2")] },
      { role: "tool", tool_call_id: "call_2", content: "two" },
      { role: "tool", tool_call_id: "call_1", content: "one" },
    ],
  },
  responses: {
    model: "gpt-5.6-sol",
    instructions: "Be brief.",
    input: [
      { role: "user", content: "Read a." },
      { type: "function_call", call_id: "call_1", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "one" },
    ],
  },
  messages: {
    model: "claude-sonnet-4-5",
    max_tokens: 1_000,
    system: "Be brief.",
    messages: [
      { role: "user", content: "Read a." },
      { role: "assistant", content: [{ type: "text", text: "I read." }, use("toolu_1"), use("toolu_2")] },
      { role: "user", content: [result("toolu_1"), result("toolu_2"), { type: "text", text: "Go on." }] },
    ],
  },
} as const;

export function chatCall(id: string, args = "{}"): Json {
  return { id, type: "function", function: { name: "read", arguments: args } };
}

export function use(id: string, input: unknown = {}): Json {
  return { type: "tool_use", id, name: "read", input };
}

export function result(id: string, content: unknown = "ok"): Json {
  return { type: "tool_result", tool_use_id: id, content };
}

/** The body with something else at a path: `messages.1.content.0.text`. `undefined` takes it out. */
export function spoiled(body: unknown, path: string, value: unknown): Json {
  const copy = structuredClone(body) as Record<string, unknown>;
  const keys = path.split(".");
  const last = keys.pop()!;
  let place = copy;
  for (const key of keys) place = place[key] as Record<string, unknown>;
  if (value !== undefined) place[last] = value;
  else if (Array.isArray(place)) place.splice(Number(last), 1);
  else delete place[last];
  return copy;
}
