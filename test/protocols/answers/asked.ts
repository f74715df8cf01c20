/** Answers of the strict provider, as bytes: streamed or whole, as scripted, with what was ordered to go wrong. */
import { createProvider, type Provider, type ProviderOptions } from "../../../provider/src/index.ts";
import { PROTOCOL_NAMES } from "../../../src/core/protocols.ts";
import { textMessage } from "../../../src/core/transcript/message.ts";
import { protocols } from "../../../src/protocols/index.ts";
import { type ProtocolName } from "../../../src/core/protocols.ts";
import { agentForms } from "../../support/agent/forms.ts";
import { PROTOCOL_MODELS } from "../../../provider/test/models.ts";

export const PROTOCOLS = PROTOCOL_NAMES;

const sendingOf = (protocol: ProtocolName, { stream }: Asking) => {
  return { model: PROTOCOL_MODELS[protocol], stream, maxOutputTokens: 8_000, system: undefined, tools: undefined };
};

export interface Asking {
  readonly stream: boolean;
  /** What the user says. */
  readonly text?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

function bodyOf(protocol: ProtocolName, asking: Asking): unknown {
  const { text = "Read a.", more } = asking;
  const { messages } = protocols[protocol].encode({ system: [], messages: [textMessage("user", text)] });
  return { ...agentForms[protocol].bodyOf({ ...sendingOf(protocol, asking), history: messages }), ...more };
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
    new Request(`http://provider${agentForms[protocol].pathOf(sendingOf(protocol, asking))}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...agentForms[protocol].credentials("k"),
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
