/** A transcript as a protocol writes it, and what a provider would refuse in it. */
import type { Transcript, Message } from "../../core/transcript/message.ts";
import { protocols } from "../../protocols/index.ts";
import { type EncodedParts } from "../../protocols/protocol.ts";
import { type ProtocolName } from "../../core/protocols.ts";
import type { Input } from "../files/input.ts";
import { returnsReasoning } from "../../models/registry/registry.ts";
import { fieldsOf, textOf } from "../../protocols/fields.ts";
import { definitions } from "../../protocols/registry.ts";
import { checkForm } from "../../protocols/request-form/form.ts";
import { violationsOf, type Violation } from "../../core/transcript/oracle.ts";
import { counted } from "../screen/amounts.ts";

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

/** What the vendor of the protocol says of the form of a request or its messages; nothing where it takes it. */
export function findRefusal(
  { decoded }: Pick<Input, "decoded">,
  protocol: ProtocolName,
  windowTokens: number,
): string | undefined {
  if (decoded === undefined) return undefined;
  const body: unknown = JSON.parse(decoded.body);
  const request = Array.isArray(body) ? { [definitions[protocol].dialect.listKey]: body } : fieldsOf(body);
  return checkForm[protocol](request, {
    bytes: Buffer.byteLength(decoded.body),
    windowTokens,
    returnsReasoning: returnsReasoning(textOf(request["model"]) ?? ""),
  })?.message;
}

export interface Verdict {
  /** Those that take it; where none does, the one whose violations these are. */
  readonly named: readonly ProtocolName[];
  readonly violations: readonly Violation[];
}

export function checkInput(
  input: Input,
  candidates: readonly ProtocolName[] = candidateProtocols(input),
  { transcript }: { readonly transcript: Transcript } = input,
): Verdict {
  const verdicts = candidates.map((protocol) => ({
    protocol,
    violations: violationsOf(transcript, protocols[protocol].rules),
  }));
  const taking = verdicts.filter(({ violations }) => violations.length === 0);
  const { violations } = taking[0] ?? verdicts[0]!;
  return { named: (taking.length === 0 ? verdicts.slice(0, 1) : taking).map(({ protocol }) => protocol), violations };
}

/** Checks the result as it is written, because another protocol's encoder may repair what its own would refuse. */
export function checkResult(input: Input, transcript: Transcript, to: ProtocolName): Verdict {
  if (to === input.protocol) return checkInput(input, candidateProtocols(input), { transcript });
  return checkInput(input, [to], protocols[to].decode(written(input, transcript, to)));
}

/**
 * A bare array of messages that holds nothing but a user's and an assistant's text is the same in Chat Completions and
 * in Messages: both are checked, and both are named.
 */
function candidateProtocols({ protocol, decoded, transcript }: Input): readonly ProtocolName[] {
  const { system, messages, tools } = transcript;
  const shared =
    decoded?.form === "messages" &&
    system.length === 0 &&
    tools === undefined &&
    messages.every(({ role, parts: own }) => isSharedRole(role) && own.every(({ kind }) => kind === "text"));
  return shared && protocol === "openai-chat" ? ["openai-chat", "anthropic-messages"] : [protocol];
}

const isSharedRole = (role: Message["role"]): boolean => role === "user" || role === "assistant";

export function violationText(violation: Violation, transcript: Transcript): string {
  return `${findPlace(violation, transcript)}: ${violation.text} (${violation.code})`;
}

/** Counted as the conversation is: without the leading system prompt, each result a message of its own. */
function findPlace({ message }: Violation, { messages }: Transcript): string {
  return message < 0 ? "as a whole" : `message ${message + 1}, ${messages[message]!.role}`;
}

const VIOLATIONS_SHOWN_MAX = 5;

export interface Repair {
  readonly before: readonly Violation[];
  readonly after: readonly Violation[];
  readonly refusal?: string | undefined;
}

export function repairLines(
  { before, after, refusal }: Repair,
  input: Transcript,
  result: Transcript,
): readonly string[] {
  if (after.length === 0 && refusal !== undefined)
    return ["a provider would refuse the result; it was written anyway: fix the input", refusal];
  if (before.length === 0 && after.length === 0) return [];
  if (after.length === 0)
    return [
      `a provider would refuse the input (${counted(before.length, "violation")}); the result has none`,
      ...listViolations(before, input),
    ];
  return [
    "a provider would refuse the result, like the input; it was written anyway: fix the input",
    ...listViolations(after, result),
  ];
}

function listViolations(found: readonly Violation[], transcript: Transcript): readonly string[] {
  const more = found.length - VIOLATIONS_SHOWN_MAX;
  const shown = found.slice(0, VIOLATIONS_SHOWN_MAX).map((one) => violationText(one, transcript));
  return [...shown, ...(more > 0 ? [`and ${counted(more, "more violation")}; \`precis check\` lists all`] : [])];
}
