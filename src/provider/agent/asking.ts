/** One request of an agent and its answer, whichever way it comes: whole, or as a stream that is read to its end. */
import { createParser } from "eventsource-parser";
import { fieldsOf } from "../../protocols/fields.ts";
import type { ProtocolName } from "../../protocols/index.ts";
import { parsedJson } from "../arguments.ts";
import type { Fields } from "../contract.ts";
import { assemblerOf } from "./assembled.ts";
import { bodyOf, type Sending } from "./body.ts";

export interface Addressee {
  /** Of the server, without `/v1`. */
  readonly url: string;
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly key: string;
  readonly stream: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Laid over every body. */
  readonly body: Fields;
}

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly answer: Fields;
  readonly sent: string;
}

const PATHS: Readonly<Record<ProtocolName, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
};

const BROKEN_OFF: Fields = { error: { message: "the connection broke off" } };

export async function ask(to: Addressee, sending: Sending): Promise<Asked> {
  const sent = JSON.stringify({ ...bodyOf(to, sending), ...to.body });
  const response = await fetch(`${to.url}${PATHS[to.protocol]}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...credentialsOf(to), ...to.headers },
    body: sent,
  });
  const { status, headers } = response;
  const events = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const answer = events ? await readEvents(response, to.protocol) : await readWhole(response);
  return { status, headers, answer, sent };
}

function credentialsOf({ protocol, key }: Addressee): Readonly<Record<string, string>> {
  return protocol === "anthropic-messages"
    ? { "x-api-key": key, "anthropic-version": "2023-06-01" }
    : { authorization: `Bearer ${key}` };
}

async function readWhole(response: Response): Promise<Fields> {
  const text = await response.text().catch(() => undefined);
  if (text === undefined) return BROKEN_OFF;
  const parsed = parsedJson(text);
  return parsed === undefined ? { error: { message: "the answer is no JSON" } } : fieldsOf(parsed.value);
}

/** A connection that breaks ends the reading: what is missing says the assembler. */
async function readEvents({ body }: Response, protocol: ProtocolName): Promise<Fields> {
  const { take, answer } = assemblerOf(protocol);
  const parser = createParser({ onEvent: ({ data }) => take(data) });
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
  } catch {
    return BROKEN_OFF;
  }
  return answer();
}
