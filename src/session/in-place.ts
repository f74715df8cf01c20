/**
 * The main model as a writer of handoffs, asked in place: behind the conversation as it goes out, so that its provider
 * reads from its cache what it has read before (docs/models.md). One request, never repeated; whatever is not a plain
 * record is a failure, and the next on the ladder writes.
 */
import { defined } from "../core/defined.ts";
import type { Writer, WriterFailure, WriterPrompt, WriterReply, WriterUsage } from "../core/handoff/model/writer.ts";
import type { Transcript } from "../core/transcript/message.ts";
import type { Answer } from "../models/answers.ts";
import { judgeAnswer, type Judgement, oneLine } from "../models/writer.ts";
import { THINKING_TOKENS } from "../models/settings.ts";
import { lookUp, type Registry } from "../models/registry/registry.ts";
import { costOf, type Prices } from "../models/ai-sdk.ts";
import { fieldsOf, parsed } from "../protocols/fields.ts";
import { followUpBody, followUpObstacle } from "../protocols/follow-up.ts";
import { protocols } from "../protocols/index.ts";
import { type Decoded } from "../protocols/protocol.ts";
import { definitions } from "../protocols/registry.ts";
import { overflowOf } from "./provider-error.ts";

export interface InPlaceOptions {
  readonly model: string;
  readonly windowTokens: number;
  readonly registry: Registry;
  /** The request that the question follows. */
  readonly request: (conversation: Transcript) => Decoded;
  /** Sends a body the way the conversation's own requests are sent. Rejects where no answer begins. */
  readonly send: (
    body: string,
    signal: AbortSignal | undefined,
  ) => Promise<Pick<Answer, "status" | "headers" | "body">>;
  /** Whether reports may quote what the provider said of a failure. */
  readonly quotes: boolean;
}

const NO_REQUEST: WriterUsage = Object.freeze({ inputTokens: 0, outputTokens: 0, requests: 0 });
const ONE_REQUEST: WriterUsage = Object.freeze({ inputTokens: 0, outputTokens: 0, requests: 1 });

export function createInPlaceWriter(options: InPlaceOptions): Writer {
  const { model, registry } = options;
  const thinkingTokens = lookUp(registry, model)?.thinks === true ? THINKING_TOKENS : 0;
  const windowTokens = Math.max(1, options.windowTokens - thinkingTokens);
  return { model, windowTokens, followsUp: "as-sent", ask: (prompt, signal) => ask(options, prompt, signal) };
}

async function ask(options: InPlaceOptions, prompt: WriterPrompt, signal?: AbortSignal): Promise<WriterReply> {
  signal?.throwIfAborted();
  if (prompt.conversation === undefined) return failed("unconfigured", NOT_IN_PLACE, NO_REQUEST);
  const decoded = options.request(prompt.conversation);
  const obstacle = decoded.locked ?? followUpObstacle(decoded);
  if (obstacle !== undefined)
    return failed("unconfigured", `it cannot be asked at the end of this conversation: ${obstacle}`, NO_REQUEST);
  const body = bodyFor(options, decoded, prompt);
  let answer: Pick<Answer, "status" | "headers" | "body">;
  try {
    answer = await options.send(body, signal);
  } catch (error) {
    signal?.throwIfAborted();
    const said = options.quotes && error instanceof Error ? `no answer: ${error.message}` : "no answer";
    return failed("network", oneLine(said, undefined), ONE_REQUEST);
  }
  return read(options, decoded, answer);
}

const NOT_IN_PLACE =
  "it can only be asked at the end of the conversation, but this engine describes the conversation to its models";

function bodyFor(
  { model, registry }: InPlaceOptions,
  decoded: Decoded,
  { user, maxOutputTokens }: WriterPrompt,
): string {
  const facts = lookUp(registry, model);
  return followUpBody(decoded, {
    text: user,
    outputTokens: maxOutputTokens,
    thinkingTokens: THINKING_TOKENS,
    thinks: facts?.thinks === true,
    outputTokensMax: facts?.maxOutputTokens ?? Infinity,
  });
}

function read(
  { model, registry, quotes }: InPlaceOptions,
  { protocol }: Decoded,
  { status, headers, body }: Pick<Answer, "status" | "headers" | "body">,
): WriterReply {
  const answer = parsed(body);
  const usage = readUsage(protocol, answer, lookUp(registry, model)?.prices);
  if (status < 200 || status > 299 || overflow(status, body) !== undefined)
    return judged(judgeAnswer({ status, headers, body }, overflow), status, { quotes, usage });
  const plain = definitions[protocol].plainAnswer(fieldsOf(answer));
  if (plain === undefined) return failed("malformed", `HTTP ${status} with no answer of this protocol`, usage);
  const { text, ended } = plain;
  if (ended === "called") return failed("malformed", "it called a tool instead of writing", usage);
  if (ended === "refused") return failed("refusal", "it declined to write", usage);
  if (text.trim() === "") return failed("malformed", "an answer without text", usage);
  return { kind: "answered", text, ended, usage };
}

function overflow(status: number, body: string): ReturnType<typeof overflowOf> {
  return overflowOf({ status, body });
}

function readUsage(protocol: Decoded["protocol"], answer: unknown, prices: Prices | undefined): WriterUsage {
  const usage = protocols[protocol].usage(answer);
  if (usage === undefined) return ONE_REQUEST;
  const { input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens } = usage;
  const spent = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
  return {
    inputTokens,
    outputTokens,
    requests: 1,
    ...(prices === undefined ? {} : { costUsd: costOf(spent, prices) }),
  };
}

function judged(
  { class: kind, said, windowTokens, retryAfterMs }: Judgement,
  status: number,
  { quotes, usage }: { readonly quotes: boolean; readonly usage: WriterUsage },
): WriterReply {
  const failure = {
    class: kind,
    message: quotes ? oneLine(said, undefined) : `HTTP ${status}`,
    ...defined({ windowTokens, retryAfterMs }),
  };
  return { kind: "failed", failure, usage };
}

function failed(kind: WriterFailure["class"], message: string, usage: WriterUsage): WriterReply {
  return { kind: "failed", failure: { class: kind, message }, usage };
}
