/** What is answered: by a script, from a recording, or by an echo. Given without ids, sizes and ends, which are made here. */
import { estimateText } from "../../src/core/transcript/estimate.ts";
import type { ProtocolName } from "../../src/core/protocols.ts";
import type { Reply, ReplyBlock, Stop } from "./contract.ts";
import type { Fields } from "../../src/protocols/fields.ts";
import type { Fault } from "./faults.ts";
import { wires } from "./wires.ts";

export interface AnswerCall {
  readonly id?: string;
  readonly name: string;
  /** JSON text or the value itself; free text for a custom tool. */
  readonly arguments?: unknown;
  readonly custom?: boolean;
}

export interface Answer {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly AnswerCall[];
  /** How it ends; what it holds decides by default. */
  readonly stop?: Stop;
  readonly fault?: Fault;
}

/** One request as a script sees it. */
export interface ScriptedRequest {
  readonly protocol: ProtocolName;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Fields;
  readonly model: string;
  readonly stream: boolean;
  readonly inputTokens: number;
  /** A name for the key it came with, never the key. */
  readonly key: string;
  /** How many requests were answered before, of all keys. */
  readonly index: number;
}

export type Script = Answer | readonly Answer[] | ((asked: ScriptedRequest) => Answer | Promise<Answer>);

/** Decides on answers; told of each that was delivered whole. */
export interface Answerer {
  readonly answer: (asked: ScriptedRequest) => Answer | Promise<Answer>;
  readonly delivered?: (asked: ScriptedRequest) => void;
}

/** Answers in order, the last one for all that follow. */
export function answererOf(script: Script | undefined): Answerer {
  if (script === undefined) return { answer: echo };
  if (typeof script === "function") return { answer: script };
  const steps = Array.isArray(script) ? (script as readonly Answer[]) : [script as Answer];
  let next = 0;
  return { answer: () => steps[Math.min(next++, steps.length - 1)] ?? {} };
}

const ECHO_CHARS_MAX = 200;

/** Says back what was said last, so that a person sees that it arrived. */
function echo({ body, protocol }: ScriptedRequest): Answer {
  return { text: `You said: ${wires[protocol].request.lastSaid(body).slice(0, ECHO_CHARS_MAX)}` };
}

export interface SizedReply {
  readonly reply: Reply;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

export interface SizeLimits {
  /** Tokens the answer may have. */
  readonly limitTokens: number;
  readonly tokenFactor: number;
  /** Name of the call at this place among the answer's. */
  readonly callId: (at: number) => string;
}

/** The reply as the wire has it: a text that does not fit is cut, and calls that do not fit are not made. */
export function sized(answer: Answer, limits: SizeLimits): SizedReply {
  const { limitTokens, tokenFactor } = limits;
  const blocks: ReplyBlock[] = [];
  let outputTokens = 0;
  let cut = false;
  for (const block of blocksIn(answer, limits)) {
    const tokens = Math.ceil(tokensOf(block) * tokenFactor);
    cut ||= outputTokens + tokens > limitTokens;
    if (!cut) {
      blocks.push(block);
      outputTokens += tokens;
      continue;
    }
    if (block.kind === "text" && limitTokens > outputTokens) {
      const chars = Math.floor((block.text.length * (limitTokens - outputTokens)) / tokens);
      blocks.push({ kind: "text", text: block.text.slice(0, Math.max(1, chars)) });
      outputTokens = limitTokens;
    }
    break;
  }
  const thought = blocks.find(({ kind }) => kind === "thinking");
  const called = blocks.some(({ kind }) => kind === "call");
  return {
    reply: { blocks, stop: cut ? "length" : (answer.stop ?? (called ? "tools" : "stop")) },
    outputTokens,
    reasoningTokens: thought === undefined ? 0 : Math.ceil(tokensOf(thought) * tokenFactor),
  };
}

/** Sizes of a reply that no script gave. */
export function sizedReply(reply: Reply): SizedReply {
  return { reply, outputTokens: reply.blocks.reduce((sum, block) => sum + tokensOf(block), 0), reasoningTokens: 0 };
}

function* blocksIn({ thinking, text, calls = [] }: Answer, { callId }: SizeLimits): Generator<ReplyBlock> {
  if (thinking !== undefined) yield { kind: "thinking", text: thinking };
  if (text !== undefined && text !== "") yield { kind: "text", text };
  for (const [at, { id = callId(at), name, arguments: given = {}, custom = false }] of calls.entries())
    yield { kind: "call", id, name, arguments: typeof given === "string" ? given : JSON.stringify(given), custom };
}

function tokensOf(block: ReplyBlock): number {
  return block.kind === "call" ? estimateText(block.name) + estimateText(block.arguments) : estimateText(block.text);
}
