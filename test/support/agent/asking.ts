/** One request of an agent and its answer, whichever way it comes: whole, or as a stream that is read to its end. */
import { createParser } from "eventsource-parser";
import { fieldsOf, type Fields } from "../../../src/protocols/fields.ts";
import { parsedJson } from "../../../provider/src/arguments.ts";
import { assemblerOf } from "./assembled.ts";
import type { AgentForm, Sending } from "./form.ts";

export interface AgentTarget {
  /** Of the server, without `/v1`. */
  readonly url: string;
  readonly form: AgentForm;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Laid over every body. */
  readonly body: Fields;
  /** The body as it goes out. */
  readonly rewrite?: (body: string) => string;
}

export interface AgentRequest {
  readonly status: number;
  readonly headers: Headers;
  readonly answer: Fields;
  readonly sent: string;
}

const BROKEN_OFF: Fields = { error: { message: "the connection broke off" } };

export async function ask(to: AgentTarget, sending: Sending): Promise<AgentRequest> {
  const body = JSON.stringify({ ...to.form.bodyOf(sending), ...to.body });
  const sent = to.rewrite?.(body) ?? body;
  const response = await fetch(`${to.url}${to.form.pathOf(sending)}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...to.form.credentials(to.key), ...to.headers },
    body: sent,
  });
  const { status, headers } = response;
  const events = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const answer = events ? await readEvents(response, to.form) : await readWhole(response);
  return { status, headers, answer, sent };
}

async function readWhole(response: Response): Promise<Fields> {
  const text = await response.text().catch(() => undefined);
  if (text === undefined) return BROKEN_OFF;
  const parsed = parsedJson(text);
  return parsed === undefined ? { error: { message: "the answer is no JSON" } } : fieldsOf(parsed.value);
}

/** A connection that breaks ends the reading: what is missing says the assembler. */
async function readEvents({ body }: Response, form: AgentForm): Promise<Fields> {
  const { take, answer } = assemblerOf(form);
  const parser = createParser({ onEvent: ({ data }) => take(data) });
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
  } catch {
    return BROKEN_OFF;
  }
  return answer();
}
