/**
 * Sessions in a few words, and the handoff that a compaction writes of each: as messages of the library, and as request bodies of
 * three protocols, which are decoded first.
 */
import { applyCompaction } from "../../../../src/core/compaction/compaction.ts";
import { contentText, type Message, type Part, type Transcript } from "../../../../src/core/transcript/message.ts";
import { protocols } from "../../../../src/protocols/index.ts";
import { filler, measure, outcomeOf } from "../../../support/compacting.ts";

export type Step =
  | { readonly kind: "user"; readonly text: string; readonly media?: Media }
  | { readonly kind: "agent" | "system"; readonly text: string }
  | Call;

interface Call {
  readonly kind: "call";
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Absent where the call has none. */
  readonly result?: string;
  readonly isError?: boolean;
}

interface Media {
  readonly type: "image/png" | "application/pdf";
  readonly name: string;
}

export const DOORS = ["library", "openai-chat", "openai-responses", "anthropic-messages"] as const;
export type Door = (typeof DOORS)[number];

const DATA = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const user = (text: string, media?: Media): Step => ({ kind: "user", text, ...(media && { media }) });
export const agent = (text: string): Step => ({ kind: "agent", text });
export const system = (text: string): Step => ({ kind: "system", text });
export const call = (tool: string, args: Call["args"], result?: string): Step => ({
  kind: "call",
  tool,
  args,
  ...(result === undefined ? {} : { result }),
});
/** With the flag of an error, where the protocol has one. */
export const failed = (tool: string, args: Call["args"], result: string): Step => ({
  kind: "call",
  tool,
  args,
  result,
  isError: true,
});

/** Work that has nothing to do with what a test is about, so that there is something to compact. */
export function work(turns: number, name = "page"): readonly Step[] {
  return Array.from({ length: turns }, (_, at) => [
    user(`Please look through ${name} ${at + 1} of the manual now.`),
    call("Read", { file_path: `manual/${name}-${at + 1}.md` }, filler(450, `${name}${at + 1}`)),
    agent(`The ${name} ${at + 1} is read, and nothing in it has to change.`),
  ]).flat();
}

/** What the model reads after a compaction to a quarter, and the handoff in it. */
export interface Told {
  readonly handoff: string;
  readonly whole: string;
}

export async function toldOf(door: Door, steps: readonly Step[], share = 0.25): Promise<Told> {
  const transcript = transcriptOf(door, steps);
  const budget = Math.floor(measure.transcript(transcript) * share);
  const outcome = await outcomeOf(transcript, { budget });
  if (outcome.kind !== "compacted") throw new Error(outcome.because);
  const { messages } = applyCompaction(transcript, outcome.compaction);
  const handoff = messages.find(({ origin }) => origin === "summary");
  return {
    handoff: handoff === undefined ? "" : contentText(handoff.parts),
    whole: messages.flatMap(({ parts }) => parts.map(textOf)).join("\n"),
  };
}

function textOf(part: Part): string {
  if (part.kind === "tool-call") return `${part.name} ${part.arguments}`;
  if (part.kind === "tool-result") return contentText(part.content);
  return part.kind === "text" ? part.text : "";
}

/** The lines of one section. */
export function section(handoff: string, heading: string): string {
  const start = handoff.indexOf(`\n## ${heading}\n`);
  const end = start < 0 ? -1 : handoff.indexOf("\n## ", start + 1);
  return start < 0 ? "" : handoff.slice(start, end < 0 ? undefined : end);
}

function transcriptOf(door: Door, steps: readonly Step[]): Transcript {
  if (door === "library") return { system: [], messages: steps.flatMap(messagesOf) };
  const body =
    door === "openai-chat"
      ? { messages: steps.flatMap(chatOf) }
      : door === "openai-responses"
        ? { input: steps.flatMap(itemsOf) }
        : { max_tokens: 4_096, messages: joined(steps.flatMap(turnsOf)) };
  return protocols[door].decode(JSON.stringify({ model: "some-model", ...body })).transcript;
}

function idOf(at: number): string {
  return `call_${at}`;
}

function messagesOf(step: Step, at: number): readonly Message[] {
  if (step.kind !== "call") {
    const role = step.kind === "agent" ? "assistant" : step.kind;
    const text = { kind: "text", text: step.text } as const;
    return [{ role, parts: step.kind === "user" && step.media !== undefined ? [text, mediaPart(step.media)] : [text] }];
  }
  const { tool, args, result, isError } = step;
  const asked = { kind: "tool-call", id: idOf(at), name: tool, arguments: JSON.stringify(args) } as const;
  const called: Message = { role: "assistant", parts: [asked] };
  if (result === undefined) return [called];
  const flag = isError === true ? { isError: true as const } : {};
  const content = [{ kind: "text", text: result } as const];
  return [called, { role: "tool", parts: [{ kind: "tool-result", callId: idOf(at), content, ...flag }] }];
}

function mediaPart({ type, name }: Media): Part {
  const source = { type: "data", mediaType: type, data: DATA } as const;
  return type === "image/png" ? { kind: "image", source } : { kind: "file", name, source };
}

function chatOf(step: Step, at: number): readonly object[] {
  if (step.kind === "call") {
    const { tool, args, result } = step;
    const asked = { id: idOf(at), type: "function", function: { name: tool, arguments: JSON.stringify(args) } };
    const called = { role: "assistant", content: null, tool_calls: [asked] };
    return result === undefined ? [called] : [called, { role: "tool", tool_call_id: idOf(at), content: result }];
  }
  const role = step.kind === "agent" ? "assistant" : step.kind;
  if (step.kind !== "user" || step.media === undefined) return [{ role, content: step.text }];
  const { type, name } = step.media;
  const url = `data:${type};base64,${DATA}`;
  const media =
    type === "image/png"
      ? { type: "image_url", image_url: { url } }
      : { type: "file", file: { filename: name, file_data: url } };
  return [{ role, content: [{ type: "text", text: step.text }, media] }];
}

function itemsOf(step: Step, at: number): readonly object[] {
  if (step.kind === "call") {
    const { tool, args, result } = step;
    const called = { type: "function_call", call_id: idOf(at), name: tool, arguments: JSON.stringify(args) };
    return result === undefined
      ? [called]
      : [called, { type: "function_call_output", call_id: idOf(at), output: result }];
  }
  const role = { agent: "assistant", system: "developer", user: "user" }[step.kind];
  const text = { type: step.kind === "agent" ? "output_text" : "input_text", text: step.text };
  if (step.kind !== "user" || step.media === undefined) return [{ type: "message", role, content: [text] }];
  const { type, name } = step.media;
  const url = `data:${type};base64,${DATA}`;
  const media =
    type === "image/png"
      ? { type: "input_image", image_url: url }
      : { type: "input_file", filename: name, file_data: url };
  return [{ type: "message", role, content: [text, media] }];
}

interface AnthropicTurn {
  readonly role: string;
  readonly content: readonly object[];
}

function turnsOf(step: Step, at: number): readonly AnthropicTurn[] {
  if (step.kind === "call") {
    const { tool, args, result, isError } = step;
    const called = { role: "assistant", content: [{ type: "tool_use", id: idOf(at), name: tool, input: args }] };
    if (result === undefined) return [called];
    const flag = isError === true ? { is_error: true } : {};
    const content = [{ type: "tool_result", tool_use_id: idOf(at), content: result, ...flag }];
    return [called, { role: "user", content }];
  }
  const role = step.kind === "agent" ? "assistant" : step.kind;
  const text = { type: "text", text: step.text };
  if (step.kind !== "user" || step.media === undefined) return [{ role, content: [text] }];
  const { type, name } = step.media;
  const source = { type: "base64", media_type: type, data: DATA };
  const media = type === "image/png" ? { type: "image", source } : { type: "document", source, title: name };
  return [{ role, content: [text, media] }];
}

/** Turns of one role that follow each other are one message. */
function joined(turns: readonly AnthropicTurn[]): readonly AnthropicTurn[] {
  const messages: AnthropicTurn[] = [];
  for (const turn of turns) {
    const last = messages.at(-1);
    const isSame = last?.role === turn.role && turn.role === "assistant";
    if (isSame) messages[messages.length - 1] = { ...turn, content: [...last.content, ...turn.content] };
    else messages.push(turn);
  }
  return messages;
}
