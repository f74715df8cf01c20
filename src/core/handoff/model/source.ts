/**
 * What a model is given to read of a span: the original messages, redacted whole, then digested as hard as the room
 * demands. What people and assistant said comes first, calls are one line each, results shrink by what they are.
 */
import { describeCall, described, type CallSummary } from "../../digest/call.ts";
import { digestResult } from "../../digest/digest.ts";
import { personText } from "../../events/person.ts";
import { endingOf } from "../../events/endings.ts";
import { commandFacts } from "../../events/shell.ts";
import { withoutShownSecret } from "../../events/shown-secret.ts";
import { wholeWords } from "../../events/text.ts";
import { DUPLICATE_CHARS_MIN } from "../../passes/replace-duplicates.ts";
import type { Measure } from "../../transcript/measure.ts";
import { callsOf, contentText, resultOf, type Message, type ToolCallPart } from "../../transcript/message.ts";
import { pairingOf } from "../../transcript/pairing.ts";
import { clipped } from "../items.ts";
import { opensWithHandoff } from "../marks.ts";
import { packed, type Block } from "./stages.ts";

export interface Span {
  readonly messages: readonly Message[];
  /** What is read: `messages[from .. until)`. */
  readonly from: number;
  readonly until: number;
  readonly focus: readonly string[];
  readonly recall: string;
  readonly measure: Measure;
  readonly redact: (text: string) => string;
}

/** How hard a span is digested: characters for words, tokens for results. The first level leaves everything as it is. */
interface Level {
  readonly user: number;
  readonly assistant: number;
  readonly call: number;
  /** 0: the line that says how it ended. */
  readonly result: number;
  /** Stages that this much detail is worth. */
  readonly stagesMax: number;
  /** Tried where the room is at least this share of the span. */
  readonly roomShareMin: number;
}

const WHOLE: Level = {
  user: Infinity,
  assistant: Infinity,
  call: Infinity,
  result: Infinity,
  stagesMax: 1,
  roomShareMin: 0.8,
};
const LEVELS: readonly Level[] = [
  WHOLE,
  { user: 12_000, assistant: 8_000, call: 400, result: 3_000, stagesMax: 1, roomShareMin: 0.5 },
  { user: 8_000, assistant: 4_000, call: 240, result: 800, stagesMax: 2, roomShareMin: 0.25 },
  { user: 6_000, assistant: 2_000, call: 160, result: 300, stagesMax: 3, roomShareMin: 0.1 },
  { user: 4_000, assistant: 1_000, call: 160, result: 120, stagesMax: 4, roomShareMin: 0.05 },
  { user: 2_000, assistant: 500, call: 120, result: 60, stagesMax: 6, roomShareMin: 0.02 },
  { user: 1_000, assistant: 250, call: 100, result: 0, stagesMax: 6, roomShareMin: 0 },
  { user: 700, assistant: 180, call: 80, result: 0, stagesMax: 6, roomShareMin: 0 },
  { user: 400, assistant: 120, call: 80, result: 0, stagesMax: 6, roomShareMin: 0 },
];
/** What a harness says in the user's name. */
const RECORD_CHARS_MAX = 200;
const ENDING_CHARS_MAX = 160;
const CHARS_PER_TOKEN = 3;

/**
 * The span in as few stages as its detail is worth, each of at most `roomTokens`: never more than `stagesMax`. Where even
 * the hardest digest is too long, the least telling messages are left out, and the text says how many.
 */
export function stagesOf(span: Span, roomTokens: number, stagesMax: number): readonly string[] {
  const spoken = readSpan(span);
  const share = (roomTokens * stagesMax) / Math.max(1, span.measure.messages(spoken.map(({ message }) => message)));
  let blocks: readonly Block[] = [];
  for (const level of LEVELS) {
    if (share < level.roomShareMin) continue;
    blocks = spoken.flatMap((one) => blockOf(one, level, span));
    const stages = packed(blocks, roomTokens, Math.min(stagesMax, level.stagesMax));
    if (stages !== undefined) return stages;
  }
  return packed(blocks, roomTokens, stagesMax, span.measure) ?? [];
}

/** A message of the span, read and redacted once. */
interface Spoken {
  readonly at: number;
  readonly message: Message;
  readonly text: string;
  /** The tool and what it was given, one line a call. */
  readonly calls: readonly string[];
  /** The call that a result answers. */
  readonly answers: CallSummary | undefined;
  /** Where the same result comes again later. */
  readonly again?: number;
}

function readSpan({ messages, from, until, redact }: Span): readonly Spoken[] {
  const { answers } = pairingOf(messages);
  const known = new Map<ToolCallPart, CallSummary>();
  const summaryOf = (call: ToolCallPart): CallSummary => {
    const summary = known.get(call) ?? safeCall(describeCall(call.name, call.arguments), redact);
    known.set(call, summary);
    return summary;
  };
  const newest = new Map<string, number>();
  for (let at = from; at < until; at++) newest.set(textIfLong(messages[at]!), at);
  return messages.slice(from, until).flatMap((message, offset) => {
    const at = from + offset;
    const text = contentText(message.parts);
    if (message.role === "user" && opensWithHandoff(text)) return [];
    const answered = answers[at]?.call;
    const long = textIfLong(message);
    const again = long === "" ? at : newest.get(long)!;
    return [
      {
        at,
        message,
        text: redact(answered === undefined ? text : withoutShownSecret(described(answered), text)),
        calls: callsOf(message).map(({ name, arguments: args }) => `${name} ${redact(args)}`),
        answers: answered === undefined ? undefined : summaryOf(answered),
        ...(again === at ? {} : { again }),
      },
    ];
  });
}

/** A result's text, where it is worth a reference; empty for all else. */
function textIfLong(message: Message): string {
  const text = message.role === "tool" ? contentText(message.parts) : "";
  return text.length > DUPLICATE_CHARS_MIN ? text : "";
}

const COMMAND_CHARS_READ_MAX = 4_000;

/** What is shown of a call, redacted before it is cut; a target that was cut already loses its torn last word. */
function safeCall(call: CallSummary, redact: (text: string) => string): CallSummary {
  const whole = call.command === undefined ? call.target.replace(/(?<!\S)\S*…$/, "…") : call.command;
  const read = wholeWords(whole, COMMAND_CHARS_READ_MAX).replace(/\s+/g, " ").trim();
  return { ...call, target: redact(read) };
}

function blockOf(spoken: Spoken, level: Level, span: Span): readonly Block[] {
  const text = spoken.message.role === "tool" ? resultText(spoken, level, span) : saidText(spoken, level);
  if (text === "") return [];
  const { role } = spoken.message;
  return [{ text, tokens: span.measure.text(`${text}\n`), keep: role === "user" ? 2 : role === "tool" ? 0 : 1 }];
}

function saidText({ at, message, text, calls }: Spoken, level: Level): string {
  const asked = message.role === "user" && personText(message) !== "";
  const most = asked ? level.user : message.role === "assistant" ? level.assistant : RECORD_CHARS_MAX;
  const words = clipped(text, most);
  const lines = calls.map((call) => `> ${clipped(call, level.call)}`);
  if (words === "" && lines.length === 0) return "";
  return [
    `[${at + 1} ${message.role === "user" && !asked ? "record" : message.role}]`,
    ...(words === "" ? [] : [words]),
    ...lines,
  ].join("\n");
}

function resultText({ at, message, text, answers, again }: Spoken, level: Level, span: Span): string {
  const call = answers ?? describeCall("tool", "{}");
  if (again !== undefined) return `[${at + 1} result of ${call.tool}] the same output as ${again + 1}`;
  const target = level.result;
  const isError = resultOf(message)?.isError === true;
  if (target === 0) {
    const facts = call.command === undefined ? undefined : commandFacts(call.command);
    const { line = "" } = endingOf(call, facts, { text, isError });
    return line === "" ? "" : `[${at + 1} result of ${call.tool}] ${clipped(line, ENDING_CHARS_MAX)}`;
  }
  const { measure, focus, recall } = span;
  if (target === Infinity) return text.trim() === "" ? "" : `[${at + 1} result of ${call.tool}]\n${text}`;
  const digest = digestResult({
    text,
    call,
    isError,
    focus,
    recall,
    tokens: measure.text,
    triggerTokens: target,
    targetTokens: target,
  });
  const short = digest?.text ?? text;
  const body = measure.text(short) <= target * 2 ? short : clipped(short, target * CHARS_PER_TOKEN);
  return body.trim() === "" ? "" : `[${at + 1} result of ${call.tool}]\n${body}`;
}
