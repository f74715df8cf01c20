/** The body of an agent's request, in each protocol. */
import type { ProtocolName } from "../../protocols/index.ts";
import type { Fields } from "../contract.ts";

/** How a request is told. */
interface Speaking {
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly stream: boolean;
}

export interface Sending {
  readonly history: readonly unknown[];
  readonly system: unknown;
  readonly tools: unknown;
  readonly maxOutputTokens: number;
}

export function bodyOf({ protocol, model, stream }: Speaking, sending: Sending): Fields {
  const { history, system, tools, maxOutputTokens } = sending;
  const more = { ...(stream ? { stream } : {}), ...(tools === undefined ? {} : { tools }) };
  switch (protocol) {
    case "openai-chat": {
      const usage = stream ? { stream_options: { include_usage: true } } : {};
      return { model, max_completion_tokens: maxOutputTokens, messages: history, ...usage, ...more };
    }
    case "openai-responses":
      return {
        model,
        max_output_tokens: maxOutputTokens,
        instructions: system,
        input: history,
        store: false,
        include: ["reasoning.encrypted_content"],
        ...more,
      };
    case "anthropic-messages":
      return { model, max_tokens: maxOutputTokens, system, messages: history, ...more };
  }
}
