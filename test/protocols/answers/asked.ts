/** Answers of the strict provider, as bytes: streamed or whole, as scripted, with what was ordered to go wrong. */
import { createProvider, type Provider, type ProviderOptions } from "../../../src/provider/index.ts";
import type { ProtocolName } from "../../../src/protocols/index.ts";

export const PROTOCOLS: readonly ProtocolName[] = ["openai-chat", "openai-responses", "anthropic-messages"];

const ROUTES: Readonly<Record<ProtocolName, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
};

export interface Asking {
  readonly stream: boolean;
  /** What the user says. */
  readonly text?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

function bodyOf(protocol: ProtocolName, { stream, text = "Read a.", more }: Asking): unknown {
  const message = { role: "user", content: text };
  switch (protocol) {
    case "openai-chat":
      return {
        model: "gpt-4o",
        messages: [message],
        stream,
        ...(stream ? { stream_options: { include_usage: true } } : {}),
        ...more,
      };
    case "openai-responses":
      return { model: "gpt-5.6-sol", instructions: "Be brief.", input: [message], stream, ...more };
    case "anthropic-messages":
      return { model: "claude-sonnet-4-5", max_tokens: 8_000, messages: [message], stream, ...more };
  }
}

export interface Answered {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly provider: Provider;
}

export async function answered(
  protocol: ProtocolName,
  asking: Asking,
  options: ProviderOptions = {},
): Promise<Answered> {
  return again(createProvider(options), protocol, asking);
}

export async function again(provider: Provider, protocol: ProtocolName, asking: Asking): Promise<Answered> {
  const response = await provider.fetch(
    new Request(`http://provider${ROUTES[protocol]}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer k",
        "x-api-key": "k",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify(bodyOf(protocol, asking)),
    }),
  );
  return { status: response.status, bytes: await bytesOf(response), provider };
}

/** Everything that came, also of an answer that breaks off. */
async function bytesOf(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body!) chunks.push(chunk as Uint8Array);
  } catch {
    // What came before is what there is.
  }
  return Buffer.concat(chunks);
}
