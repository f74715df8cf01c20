/** A Chat request as a Messages request that says the same. */
import { requestOf, type ChatMessage } from "../../../test/support/chat-to-wire.ts";

interface ChatBody {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: object } }[];
  readonly model: string;
  readonly stream?: boolean;
}

export function anthropicBodyOf({ messages, tools = [], model, stream }: ChatBody): object {
  const body = requestOf("anthropic-messages", messages) as object;
  const described = tools.map(({ function: { name, parameters } }) => ({ name, input_schema: parameters }));
  return { ...body, model, tools: described, ...(stream === true ? { stream } : {}) };
}
