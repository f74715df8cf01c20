/**
 * The validity oracle: one function that says what is wrong with a transcript, used by tests, engines and every door.
 * Core's own rules hold in every protocol; what differs between protocols arrives as data (`WireRules`).
 */
import { callsOf, resultOf, type Message, type ToolCallPart, type Transcript } from "./message.ts";
import { pairingOf, type PairedCall } from "./pairing.ts";

/** What a provider's wire format demands beyond the common rules. */
export interface WireRules {
  readonly protocol: string;
  /** Whether two messages of one role may follow each other (tool results count as one with a following user message where `resultsInUserMessage`). */
  readonly consecutiveRoles: "allowed" | "merged";
  /** Whether results travel inside user messages (Anthropic). */
  readonly resultsInUserMessage: boolean;
  /** Whether the conversation must open with a user message. */
  readonly opensWithUser: boolean;
  /** Where a system message may be inside the conversation: `behind_user` as `misplacedSystem` says. */
  readonly systemInConversation: "anywhere" | "behind_user";
}

export interface Violation {
  /** Stable code, for example `result_without_call`. */
  readonly code: string;
  /** Index into `messages`; -1 for the transcript as a whole. */
  readonly message: number;
  readonly text: string;
}

/** What a provider would refuse in this transcript. Empty when it is valid. */
export function violationsOf(transcript: Transcript, rules?: WireRules): readonly Violation[] {
  const { messages } = transcript;
  return [
    ...messages.flatMap(shapeViolations),
    ...pairViolations(messages),
    ...(rules === undefined ? [] : wireViolations(messages, rules)),
  ];
}

function shapeViolations(message: Message, at: number): Violation[] {
  const found: Violation[] = [];
  const says = (code: string, text: string): void => void found.push({ code, message: at, text });
  const result = resultOf(message);
  if (message.role === "tool" && (result === undefined || message.parts.length !== 1))
    says("tool_message_shape", "a tool message holds exactly one result");
  if (message.role !== "tool" && result !== undefined)
    says("result_outside_tool_message", `a ${message.role} message holds a result`);
  if (message.role !== "assistant" && callsOf(message).length > 0)
    says("call_outside_assistant", `a ${message.role} message holds a call`);
  for (const call of callsOf(message)) {
    if (!argumentsAreJson(call)) says("arguments_not_json", `the arguments of ${call.name} (${call.id}) are not JSON`);
    if (call.name === "") says("call_without_name", `the call ${call.id} names no tool`);
  }
  return found;
}

/** Whether a provider can parse a call's arguments; it reads an empty string as none, and free text is never parsed. */
export function argumentsAreJson(call: ToolCallPart): boolean {
  if (call.custom === true || call.arguments === "") return true;
  try {
    JSON.parse(call.arguments);
    return true;
  } catch {
    return false;
  }
}

/** A result comes after the turn that made its call, with nothing but other results of that turn between them. */
function pairViolations(messages: readonly Message[]): Violation[] {
  const { answers, unanswered } = pairingOf(messages);
  const found: Violation[] = [];
  const lacking = ({ call, message }: PairedCall): void =>
    void found.push({
      code: "call_without_result",
      message,
      text: `the call ${call.id} has no result before the next turn`,
    });
  let turn = -1;
  messages.forEach((message, at) => {
    if (message.role !== "tool") return void (turn = at);
    const asked = answers[at];
    if (asked?.message === turn) return;
    found.push({
      code: "result_without_call",
      message: at,
      text: `the result ${resultOf(message)?.callId ?? ""} answers no call of the turn before it`,
    });
    if (asked !== undefined) lacking(asked);
  });
  unanswered.forEach(lacking);
  return found.toSorted((a, b) => a.message - b.message);
}

function wireViolations(messages: readonly Message[], rules: WireRules): Violation[] {
  const found: Violation[] = [];
  const first = messages[0];
  if (rules.opensWithUser && first !== undefined && first.role !== "user" && first.role !== "system")
    found.push({
      code: "opens_without_user",
      message: 0,
      text: `${rules.protocol} wants a user message first, found ${first.role}`,
    });
  if (rules.systemInConversation === "behind_user")
    for (const at of misplacedSystem(messages))
      found.push({
        code: "system_in_conversation",
        message: at,
        text: `${rules.protocol} takes a system message only behind a user's and before an assistant's`,
      });
  return found;
}

/**
 * Indices of system messages that are elsewhere than behind a user's words, or what tools answered, and before an
 * assistant's or at the end (Anthropic's placement rules, 2026-10). Several in a row count as one; one without content
 * only sets something, and is anywhere.
 */
export function misplacedSystem(messages: readonly Message[]): readonly number[] {
  const speaking = messages.flatMap(({ role, parts }, at) => (role === "system" && parts.length === 0 ? [] : at));
  const found: number[] = [];
  for (let from = 0; from < speaking.length; from++) {
    if (messages[speaking[from]!]!.role !== "system") continue;
    let end = from + 1;
    while (end < speaking.length && messages[speaking[end]!]!.role === "system") end++;
    const [before, next] = [messages[speaking[from - 1] ?? -1], messages[speaking[end] ?? -1]];
    if (!allowsSystemAfter(before) || (next !== undefined && next.role !== "assistant"))
      for (const each of speaking.slice(from, end)) found.push(each);
    from = end;
  }
  return found;
}

function allowsSystemAfter(message: Message | undefined): boolean {
  if (message?.role !== "assistant") return message !== undefined;
  const last = message.parts.at(-1);
  return last?.kind === "opaque" && last.type.endsWith("_tool_result");
}
