/** A transcript as a protocol writes it: in the body it came in, or fresh. */
import type { Transcript } from "../core/transcript/message.ts";
import { protocols, type EncodedParts, type ProtocolName } from "../protocols/index.ts";
import type { Input } from "./input.ts";

/**
 * The input's own shape with its unchanged bytes where the protocol is its own; otherwise an array of messages, one a
 * line, or a request body where a system prompt or tools are next to them.
 */
export function written(input: Input, transcript: Transcript, to: ProtocolName): string {
  if (input.decoded !== undefined && to === input.protocol) return protocols[to].splice(input.decoded, transcript);
  const { messages, system, tools } = protocols[to].encode(transcript, { source: input.protocol });
  const list = listed(messages);
  if (system === undefined && tools === undefined) return `${list}\n`;
  const members = [
    ...(system === undefined ? [] : [`${JSON.stringify(protocols[to].keys.system)}: ${JSON.stringify(system)}`]),
    `${JSON.stringify(protocols[to].keys.messages)}: ${list}`,
    ...(tools === undefined ? [] : [`"tools": ${JSON.stringify(tools)}`]),
  ];
  return `{\n${members.join(",\n")}\n}\n`;
}

function listed(messages: readonly unknown[]): string {
  return messages.length === 0 ? "[]" : `[\n${messages.map((message) => JSON.stringify(message)).join(",\n")}\n]`;
}

/** The same as values, for `--json`; numbers keep their digits. */
export function parts(input: Input, transcript: Transcript, to: ProtocolName): EncodedParts {
  if (input.decoded === undefined || to !== input.protocol)
    return protocols[to].encode(transcript, { source: input.protocol });
  const body = parseExactly(protocols[to].splice(input.decoded, transcript)) as unknown[] | Record<string, unknown>;
  if (Array.isArray(body)) return { messages: body };
  const { messages, system } = protocols[to].keys;
  const list = body[messages];
  if (!Array.isArray(list)) return protocols[to].encode(transcript);
  return {
    messages: list,
    ...(system !== undefined && body[system] !== undefined ? { system: body[system] } : {}),
    ...(body["tools"] !== undefined ? { tools: body["tools"] } : {}),
  };
}

/** Parsing and writing would round a number of many digits; this one comes out as it went in. */
function parseExactly(text: string): unknown {
  type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;
  const { rawJSON } = JSON as unknown as { readonly rawJSON: (source: string) => unknown };
  const exact: Reviver = (_, value, context) =>
    typeof value === "number" && String(value) !== context.source ? rawJSON(context.source) : value;
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}
