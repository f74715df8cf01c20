/** precis among the contestants: the default engine without a model, from decoded messages to messages. */
import { hash } from "node:crypto";
import { applyCompaction } from "../../../src/core/compaction/compaction.ts";
import { COMPRESSOR_DEFAULTS } from "../../../src/core/engines/settings.ts";
import { createCompressor } from "../../../src/core/engines/compressor/compressor.ts";
import { createChain } from "../../../src/core/transcript/links.ts";
import { createMeasure } from "../../../src/core/transcript/measure.ts";
import { callsOf, contentText, resultOf, type Message } from "../../../src/core/transcript/message.ts";
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { asMessage } from "../../../eval/src/recall/conversation.ts";
import { argumentsOf, NOBODY_ASKED, wireCall, type Contestant } from "./contestant.ts";

export const PRECIS = "precis";

/** No budget: what the documented settings leave. */
const AS_DOCUMENTED = 0;

export function precisContestant(): Contestant {
  return {
    name: PRECIS,
    from: "this repository",
    how: "compressor, documented settings",
    knob: "tokens",
    asItComes: { keep: AS_DOCUMENTED, summaryTokens: 0 },
    stands: true,
    read: (messages) => messages.map(asMessage),
    // A memory of its own for each conversation, as a session has.
    on: () => {
      const secrets = {};
      const engine = createCompressor({ ...COMPRESSOR_DEFAULTS, note: "handoff" });
      const bench = { secrets, measure: createMeasure(), chain: createChain((text) => hash("sha256", text)) };
      return {
        compact: async (native, { keep }) => {
          const transcript = { system: [], messages: native as readonly Message[] };
          const how =
            keep === AS_DOCUMENTED ? { reason: "explicit" as const } : { reason: "budget" as const, budget: keep };
          const outcome = await engine.compact(engine.init(), transcript, { ...bench, ...how });
          return outcome.kind === "compacted" ? applyCompaction(transcript, outcome.compaction).messages : native;
        },
        write: (messages) => (messages as readonly Message[]).map(asChat),
        told: () => NOBODY_ASKED,
      };
    },
  };
}

function asChat(message: Message): ChatMessage {
  const result = resultOf(message);
  const content = contentText(message.parts);
  if (result !== undefined) return { role: "tool", tool_call_id: result.callId, content };
  const calls = callsOf(message).map((call) => wireCall(call.id, call.name, argumentsOf(call.arguments)));
  return { role: message.role, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
