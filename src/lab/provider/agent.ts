/**
 * A recorded session lived again from the agent's side: it sends what was said, takes the answer as it comes, and goes on
 * with the results that the recording has, to any server of the three protocols, until the end or until it is refused.
 */
import { callsOf, resultOf, withParts, type Message, type Transcript } from "../../core/transcript/message.ts";
import { createMeasure } from "../../core/transcript/measure.ts";
import { protocols, type ProtocolName } from "../../protocols/index.ts";
import { fieldsOf, isFields, listOf, textOf } from "../../protocols/fields.ts";
import type { Fields } from "./contract.ts";
import { openingEnd } from "./replay.ts";

export interface AgentOptions {
  /** Of the server, without `/v1`. */
  readonly url: string;
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly recording: Transcript;
  readonly key?: string;
  /** What the longest recorded answer needs, by default. */
  readonly maxOutputTokens?: number;
  /** Laid over every body: thinking, cache markers… */
  readonly body?: Fields;
  readonly headers?: Readonly<Record<string, string>>;
  /** Told of each answer. */
  readonly onTurn?: (turn: AgentTurn) => void;
}

export interface AgentTurn {
  readonly index: number;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed answer. */
  readonly answer: Fields;
  /** Characters of the body that was sent. */
  readonly sentChars: number;
}

export interface AgentRun {
  /** Turns of the model in the recording. */
  readonly turns: number;
  readonly answered: number;
  /** What ended the session early. */
  readonly refusal?: { readonly turn: number; readonly status: number; readonly message: string };
}

/** Left over the longest answer, because each server counts in its own way. */
const OUTPUT_ROOM = 1.5;
const MAX_OUTPUT_TOKENS_MIN = 1_000;
const PATHS: Readonly<Record<ProtocolName, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
};

export async function replayAsAgent(options: AgentOptions): Promise<AgentRun> {
  const { protocol, recording } = options;
  const start = openingEnd(recording.messages);
  const rounds = roundsOf(recording.messages.slice(start));
  const { messages: opening, system, tools } = protocols[protocol].encode({ ...recording, messages: [] });
  const history: unknown[] = [...opening];
  // Anthropic takes no conversation that the model opens.
  if (protocol !== "anthropic-messages")
    history.push(...encoded(recording.messages.slice(0, start), new Map(), protocol));
  const { maxOutputTokens = outputNeeded(rounds) } = options;
  let issued = new Map<string, string>();
  for (const [index, round] of rounds.entries()) {
    history.push(...encoded(round.said, issued, protocol));
    const { status, headers, answer, sentChars } = await ask(options, { history, system, tools, maxOutputTokens });
    options.onTurn?.({ index, status, headers, answer, sentChars });
    if (status !== 200)
      return { turns: rounds.length, answered: index, refusal: { turn: index, status, message: messageOf(answer) } };
    const reply = replyIn(answer, protocol);
    history.push(...reply.messages);
    const calls = round.answer.flatMap(callsOf).map(({ id }) => id);
    issued = new Map(calls.map((id, at) => [id, reply.callIds[at] ?? id]));
  }
  return { turns: rounds.length, answered: rounds.length };
}

interface Round {
  readonly said: readonly Message[];
  readonly answer: readonly Message[];
}

/** What was said before each turn of the model, and the turn. What comes after the last is never sent. */
function roundsOf(messages: readonly Message[]): readonly Round[] {
  const rounds: { said: Message[]; answer: Message[] }[] = [];
  let said: Message[] = [];
  for (const message of messages) {
    if (message.role !== "assistant") said.push(message);
    else if (said.length === 0 && rounds.length > 0) rounds.at(-1)!.answer.push(message);
    else {
      rounds.push({ said, answer: [message] });
      said = [];
    }
  }
  return rounds;
}

function outputNeeded(rounds: readonly Round[]): number {
  const measure = createMeasure();
  const largest = Math.max(0, ...rounds.map(({ answer }) => measure.messages(answer)));
  return Math.max(MAX_OUTPUT_TOKENS_MIN, Math.ceil(largest * OUTPUT_ROOM));
}

/** Results answer the calls as this server named them. */
function encoded(
  said: readonly Message[],
  issued: ReadonlyMap<string, string>,
  protocol: ProtocolName,
): readonly unknown[] {
  const renamed = said.map((message) => {
    const result = resultOf(message);
    const callId = result === undefined ? undefined : issued.get(result.callId);
    return result === undefined || callId === undefined ? message : withParts(message, [{ ...result, callId }]);
  });
  return protocols[protocol].encode({ system: [], messages: renamed.map(({ wire: _, ...message }) => message) })
    .messages;
}

interface Sending {
  readonly history: readonly unknown[];
  readonly system: unknown;
  readonly tools: unknown;
  readonly maxOutputTokens: number;
}

async function ask(options: AgentOptions, sending: Sending): Promise<Omit<AgentTurn, "index">> {
  const { url, protocol, key = "agent" } = options;
  const body = JSON.stringify({ ...bodyOf(options, sending), ...options.body });
  const credentials =
    protocol === "anthropic-messages"
      ? { "x-api-key": key, "anthropic-version": "2023-06-01" }
      : { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}${PATHS[protocol]}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...credentials, ...options.headers },
    body,
  });
  const answer = fieldsOf(await response.json());
  return { status: response.status, headers: response.headers, answer, sentChars: body.length };
}

function bodyOf({ protocol, model }: AgentOptions, sending: Sending): Fields {
  const { history, system, tools, maxOutputTokens } = sending;
  const declared = tools === undefined ? {} : { tools };
  switch (protocol) {
    case "openai-chat":
      return { model, max_completion_tokens: maxOutputTokens, messages: history, ...declared };
    case "openai-responses":
      return {
        model,
        max_output_tokens: maxOutputTokens,
        instructions: system,
        input: history,
        store: false,
        include: ["reasoning.encrypted_content"],
        ...declared,
      };
    case "anthropic-messages":
      return { model, max_tokens: maxOutputTokens, system, messages: history, ...declared };
  }
}

interface WireReply {
  readonly messages: readonly unknown[];
  readonly callIds: readonly string[];
}

/** The answer as it goes back with the next request, and its calls in order. */
function replyIn(answer: Fields, protocol: ProtocolName): WireReply {
  switch (protocol) {
    case "openai-chat": {
      const message = fieldsOf(fieldsOf(listOf(answer["choices"])[0])["message"]);
      return { messages: [message], callIds: idsOf(message["tool_calls"], "id") };
    }
    case "openai-responses":
      return { messages: listOf(answer["output"]), callIds: idsOf(answer["output"], "call_id") };
    case "anthropic-messages": {
      const { content } = answer;
      return { messages: [{ role: "assistant", content }], callIds: idsOf(content, "id") };
    }
  }
}

function idsOf(list: unknown, key: string): readonly string[] {
  return listOf(list)
    .filter(isFields)
    .flatMap((one) => (isCall(one) ? (textOf(one[key]) ?? []) : []));
}

const CALL_TYPES = new Set(["function", "custom", "function_call", "custom_tool_call", "tool_use"]);

function isCall({ type }: Fields): boolean {
  return typeof type === "string" && CALL_TYPES.has(type);
}

function messageOf(answer: Fields): string {
  return textOf(fieldsOf(answer["error"])["message"]) ?? JSON.stringify(answer);
}
