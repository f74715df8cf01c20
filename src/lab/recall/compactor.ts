/** The default engine under the measure's own count of tokens: what it keeps of a prefix, as text. */
import { hash } from "node:crypto";
import { applyCompaction, type CompactionReport } from "../../core/compaction/compaction.ts";
import { createCompressor } from "../../core/engines/compressor/compressor.ts";
import { COMPRESSOR_DEFAULTS } from "../../core/engines/compressor/limits.ts";
import { createEvidence } from "../../core/evidence/excerpts.ts";
import type { Writers } from "../../core/summary/writer.ts";
import type { Weights } from "../../core/evidence/features.ts";
import { describeCall } from "../../core/digest/call.ts";
import { createChain } from "../../core/transcript/links.ts";
import type { Measure } from "../../core/transcript/measure.ts";
import { callsOf, contentText, type Message } from "../../core/transcript/message.ts";
import { asMessage } from "./conversation.ts";
import { tokensOf, type ChatMessage } from "./definition.ts";

export interface Kept {
  /** What the model reads of the result. */
  readonly text: string;
  /** The handoff in it; empty where there is none. */
  readonly handoff: string;
  /** What the engine says of it; nothing where it left the prefix as it was. */
  readonly report: CompactionReport | undefined;
}

/** Compacts a prefix to a number of tokens of the measure. */
export type Compactor = (prefix: readonly ChatMessage[], room: number) => Promise<Kept>;

/** `writers`: models that write the handoff's sentences; the ledger alone where not given. */
export function engineCompactor(weights?: Weights, writers?: Writers): Compactor {
  const measure = measureOfDefinition();
  const chain = createChain((text) => hash("sha256", text));
  const engine = createCompressor({ ...COMPRESSOR_DEFAULTS, note: "handoff" }, createEvidence(weights));
  return async (prefix, room) => {
    const transcript = { system: [], messages: prefix.map(asMessage) };
    const outcome = await engine.compact(engine.init(), transcript, {
      measure,
      chain,
      reason: "budget",
      budget: room,
      ...(writers === undefined ? {} : { writers }),
    });
    const { messages } = outcome.kind === "compacted" ? applyCompaction(transcript, outcome.compaction) : transcript;
    const handoff = messages.find(({ origin }) => origin === "summary");
    return {
      text: messages.map(textOf).join("\n"),
      handoff: handoff === undefined ? "" : contentText(handoff.parts),
      report: outcome.kind === "compacted" ? outcome.compaction.report : undefined,
    };
  };
}

function textOf(message: Message): string {
  const calls = callsOf(message).flatMap((call) => [call.name, ...describeCall(call.name, call.arguments).values]);
  return [contentText(message.parts), ...calls].join("\n");
}

/** One line break stands between any two pieces. */
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
