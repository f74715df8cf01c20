/** Single requests of each protocol, as long as a test wants them. */
import { textMessage, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { PROTOCOL_NAMES } from "../../../src/core/protocols.ts";
import { agentForms } from "../../support/agent/forms.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";

export const PROTOCOLS = PROTOCOL_NAMES;

export const MAX_OUTPUT_TOKENS = 500;

/** An agent at work: a person asks, that many files are read, and the last result is yet unanswered. */
export function worked(name: string, steps: number, resultWords = 300): Transcript {
  const messages = Array.from({ length: steps }, (_, step): readonly Message[] => [
    {
      role: "assistant",
      parts: [
        { kind: "text", text: `Step ${step} of ${name}.` },
        {
          kind: "tool-call",
          id: `call_${step}`,
          name: "read",
          arguments: JSON.stringify({ path: `src/${name}/${step}.ts` }),
        },
      ],
    },
    {
      role: "tool",
      parts: [
        {
          kind: "tool-result",
          callId: `call_${step}`,
          content: [{ kind: "text", text: page(name, step, resultWords) }],
        },
      ],
    },
  ]);
  return {
    system: [textMessage("system", "You read files and say what you found.")],
    messages: [textMessage("user", `Read all of ${name}.`), ...messages.flat()],
  };
}

/** The same conversation is asked for at every length, by hundreds of tests: its pages are written once. */
const PAGES_MAX = 2_000;
const pages = new Map<string, string>();

function page(name: string, step: number, words: number): string {
  const key = `${words} ${step} ${name}`;
  const known = pages.get(key);
  if (known !== undefined) return known;
  if (pages.size >= PAGES_MAX) pages.clear();
  const text = Array.from({ length: words }, (_, at) =>
    at % 12 === 0 ? `\n${name} line ${at} of ${step}:` : `word${at * 7 + step}`,
  ).join(" ");
  pages.set(key, text);
  return text;
}

export function bodyOf(protocol: ProtocolName, transcript: Transcript, more: object = {}): string {
  const { messages, system, tools } = protocols[protocol].encode(transcript);
  const agent = agentForms[protocol];
  const sending = { model: PROTOCOL_MODELS[protocol], stream: false, maxOutputTokens: MAX_OUTPUT_TOKENS };
  const { store: _, include: _i, ...body } = agent.bodyOf({ ...sending, history: messages, system, tools });
  return JSON.stringify({ ...body, ...more });
}

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** What the gateway says that it did. */
  readonly treatment: string;
}

export interface Asking {
  readonly protocol: ProtocolName;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function ask(url: string, asking: Asking): Promise<Told> {
  const response = await send(url, asking);
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, text, treatment: headers.get("x-precis") ?? "" };
}

function send(url: string, { protocol, body, key = "key", headers = {} }: Asking): Promise<Response> {
  const agent = agentForms[protocol];
  return fetch(`${url}${agent.pathOf({ model: PROTOCOL_MODELS[protocol], stream: false })}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...agent.credentials(key), ...headers },
    body,
  });
}
