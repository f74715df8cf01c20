/** An engine under the measure's own count of tokens: what it keeps of a prefix, as text, and what it leads back to. */
import { hash } from "node:crypto";
import { applyCompaction, type Compaction, type CompactionReport } from "../../../src/core/compaction/compaction.ts";
import { createCompressor } from "../../../src/core/engines/compressor/compressor.ts";
import { ENGINE_DEFAULTS } from "../../../src/core/engines/settings.ts";
import type { CompactRequest, Engine } from "../../../src/core/engines/contract.ts";
import type { Writers } from "../../../src/core/handoff/model/writer.ts";
import { described } from "../../../src/core/digest/call.ts";
import { createChain } from "../../../src/core/transcript/links.ts";
import type { Measure } from "../../../src/core/transcript/measure.ts";
import { callsOf, contentText, type Message, type Transcript } from "../../../src/core/transcript/message.ts";
import { asMessage } from "./conversation.ts";
import { tokensOf, type ChatMessage } from "./future-use.ts";

export interface KeptText {
  /** What the model reads of the result. */
  readonly text: string;
  /** What the engine says of it; nothing if it left the prefix as it was. */
  readonly report: CompactionReport | undefined;
  /** What the recall ids lead to that the result shows. */
  readonly recallable: () => string;
}

/** Compacts a prefix to a number of tokens of the measure; without one, to the policy's own size. */
export type Compactor = (prefix: readonly ChatMessage[], room?: number) => Promise<KeptText>;

/** The default engine, if no other is given. `writers`: models that write the handoff; code alone if not given. */
export function engineCompactor(
  writers?: Writers,
  engine: Engine = createCompressor({ ...ENGINE_DEFAULTS, note: "handoff" }) as Engine,
): Compactor {
  const estimator = { measure: measureOfDefinition(), chain: createChain((text) => hash("sha256", text)) };
  return async (prefix, room) => {
    const messages = prefix.map(asMessage);
    const transcript: Transcript = { system: [], messages };
    const request: CompactRequest = {
      ...estimator,
      ...(room === undefined ? { reason: "threshold" } : { reason: "budget", budget: room }),
      ...(writers === undefined ? {} : { writers }),
    };
    const outcome = await engine.compact(engine.init(), transcript, request);
    if (outcome.kind === "unchanged") return { text: textOfAll(messages), report: undefined, recallable: () => "" };
    const { compaction } = outcome;
    const text = textOfAll(applyCompaction(transcript, compaction).messages);
    return { text, report: compaction.report, recallable: () => shownOriginals(compaction, messages, text) };
  };
}

function textOfAll(messages: readonly Message[]): string {
  return messages.map(textOf).join("\n");
}

/** Each original message once, however many ids lead to it. */
function shownOriginals({ evicted }: Compaction, messages: readonly Message[], text: string): string {
  const spanned = new Set<number>();
  const pieces: string[] = [];
  for (const { id, kind, message, end = message + 1, original = "" } of evicted) {
    if (!text.includes(id)) continue;
    if (kind === "span") for (let at = message; at < end; at++) spanned.add(at);
    else pieces.push(original);
  }
  return [...[...spanned].sort((a, b) => a - b).map((at) => textOf(messages[at]!)), ...pieces].join("\n");
}

function textOf(message: Message): string {
  const calls = callsOf(message).flatMap((call) => [call.name, ...described(call).values]);
  return [contentText(message.parts), ...calls].join("\n");
}

/** One line break is between any two pieces. */
function measureOfDefinition(): Measure {
  const messages = (many: readonly Message[]): number => many.reduce((sum, one) => sum + weightOf(one), 0);
  return {
    text: tokensOf,
    message: weightOf,
    messages,
    transcript: (whole) => messages(whole.system) + messages(whole.messages),
  };
}

function weightOf(message: Message): number {
  return tokensOf(textOf(message)) + 1;
}
