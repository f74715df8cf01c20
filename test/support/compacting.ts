/** Short ways to build a conversation and compact it with the default engine. */
import { createHash } from "node:crypto";
import { applyCompaction, type Compaction } from "../../src/core/compaction/compaction.ts";
import { createCompressor } from "../../src/core/engines/compressor/compressor.ts";
import { COMPRESSOR_DEFAULTS, type CompressorSettings } from "../../src/core/engines/settings.ts";
import type { CompactRequest, Outcome } from "../../src/core/engines/contract.ts";
import { createChain } from "../../src/core/transcript/links.ts";
import { createMeasure } from "../../src/core/transcript/measure.ts";
import { estimateText } from "../../src/core/transcript/estimate.ts";
import { contentText, textMessage, type Message, type Transcript } from "../../src/core/transcript/message.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
export const chain = createChain(hash);
export const measure = createMeasure();

export const user = (text: string): Message => textMessage("user", text);
export const says = (text: string): Message => textMessage("assistant", text);

/** An assistant turn that calls one tool, and its result. */
export function ran(
  name: string,
  args: unknown,
  result: string,
  id = `call_${hash(name + JSON.stringify(args)).slice(0, 8)}`,
): Message[] {
  return [
    { role: "assistant", parts: [{ kind: "tool-call", id, name, arguments: JSON.stringify(args) }] },
    { role: "tool", parts: [{ kind: "tool-result", callId: id, content: [{ kind: "text", text: result }] }] },
  ];
}

export const talk = (...messages: (Message | readonly Message[])[]): Transcript => ({
  system: [],
  messages: messages.flat() as Message[],
});

export async function outcomeOf(
  transcript: Transcript,
  request: Partial<CompactRequest> = {},
  settings: Partial<CompressorSettings> = {},
): Promise<Outcome> {
  const engine = createCompressor({ ...COMPRESSOR_DEFAULTS, ...settings });
  return engine.compact(engine.init(), transcript, { measure, chain, reason: "explicit", ...request });
}

/** Compacts and insists that something smaller came out. */
export async function compacted(
  transcript: Transcript,
  request: Partial<CompactRequest> = {},
  settings: Partial<CompressorSettings> = {},
): Promise<{ compaction: Compaction; result: Transcript; text: string }> {
  const outcome = await outcomeOf(transcript, request, settings);
  if (outcome.kind !== "compacted") throw new Error(`nothing was compacted: ${outcome.because}`);
  const result = applyCompaction(transcript, outcome.compaction);
  return {
    compaction: outcome.compaction,
    result,
    text: result.messages.map((message) => contentText(message.parts)).join("\n"),
  };
}

/** Ordinary prose of about `tokens` tokens that says nothing twice. */
export function filler(tokens: number, seed = "note"): string {
  const lines: string[] = [];
  for (let at = 0, size = 0; size < tokens; at++) {
    const line = `${seed} ${at}: the ${hash(seed + at).slice(0, 6)} part was looked at and left alone`;
    lines.push(line);
    size += estimateText(line) + 1;
  }
  return lines.join("\n");
}
