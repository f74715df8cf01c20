/** What a provider would refuse in what was read, and in what a compaction made of it, in words. */
import type { Message, Transcript } from "../core/transcript/message.ts";
import { violationsOf, type Violation } from "../core/transcript/oracle.ts";
import { protocols, type ProtocolName } from "../protocols/index.ts";
import { counted } from "./amounts.ts";
import type { Input } from "./input.ts";
import { written } from "./output.ts";

export interface Verdict {
  /** Those that take it; where none does, the one whose violations these are. */
  readonly named: readonly ProtocolName[];
  readonly violations: readonly Violation[];
}

/** Of the input, or of a transcript in its place, in the protocols it may be meant for. */
export function verdictOf(
  input: Input,
  candidates: readonly ProtocolName[] = protocolsOf(input),
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
export function verdictOfResult(input: Input, transcript: Transcript, to: ProtocolName): Verdict {
  if (to === input.protocol) return verdictOf(input, protocolsOf(input), { transcript });
  return verdictOf(input, [to], protocols[to].decode(written(input, transcript, to)));
}

/**
 * A bare array of messages that holds nothing but a user's and an assistant's text is the same in Chat Completions and
 * in Messages: both are checked, and both are named.
 */
function protocolsOf({ protocol, decoded, transcript }: Input): readonly ProtocolName[] {
  const { system, messages, tools } = transcript;
  const shared =
    decoded?.form === "messages" &&
    system.length === 0 &&
    tools === undefined &&
    messages.every(({ role, parts }) => isSharedRole(role) && parts.every(({ kind }) => kind === "text"));
  return shared && protocol === "openai-chat" ? ["openai-chat", "anthropic-messages"] : [protocol];
}

const isSharedRole = (role: Message["role"]): boolean => role === "user" || role === "assistant";

export function violationText(violation: Violation, transcript: Transcript): string {
  return `${placeOf(violation, transcript)}: ${violation.text} (${violation.code})`;
}

/** Counted as the conversation is: without the leading system prompt, each result a message of its own. */
function placeOf({ message }: Violation, { messages }: Transcript): string {
  return message < 0 ? "as a whole" : `message ${message + 1}, ${messages[message]!.role}`;
}

const VIOLATIONS_SHOWN_MAX = 5;

export interface Repair {
  /** Of the input. */
  readonly before: readonly Violation[];
  /** Of the result. */
  readonly after: readonly Violation[];
  /** What the vendor would say of the form of the result. */
  readonly refusal?: string | undefined;
}

/** What was wrong with the input of a compaction, and what became of that; nothing where nothing was and is wrong. */
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
      ...listed(before, input),
    ];
  return [
    "a provider would refuse the result, like the input; it was written anyway: fix the input",
    ...listed(after, result),
  ];
}

function listed(found: readonly Violation[], transcript: Transcript): readonly string[] {
  const more = found.length - VIOLATIONS_SHOWN_MAX;
  const shown = found.slice(0, VIOLATIONS_SHOWN_MAX).map((one) => violationText(one, transcript));
  return [...shown, ...(more > 0 ? [`and ${counted(more, "more violation")}; \`precis check\` lists all`] : [])];
}
