/** Reported compaction loops, played turn by turn: none compacts more often than what came in between pays for. */
import { describe, expect, it } from "vitest";
import { roomIn } from "../../src/core/engines/room.ts";
import { contentText, textMessage, type Message } from "../../src/core/transcript/message.ts";
import { createRuntime } from "../../src/session/runtime.ts";
import { filler, measure, user } from "../support/compacting.ts";
import { LOOP_TRACES, type LoopTrace } from "./loop-traces.ts";

/** Of the room beside system prompt and tools, what a compaction has to free and has to come before the next; of the limit, the least. */
const STEP_SHARE = 0.2;
const STEP_SHARE_OF_LIMIT_MIN = 0.05;
const PLAYING_MS = 240_000;

interface Played {
  readonly compactions: number;
  /** Turns at which a compaction was due: so many make those who compact whenever one is. */
  readonly due: number;
  /** Tokens of all messages. */
  readonly tokens: number;
  /** What the last request held. */
  readonly sent: string;
}

async function play({ windowTokens, fixedTokens, turns, turn: next }: LoopTrace): Promise<Played> {
  const runtime = createRuntime({ settings: { contextLength: windowTokens, note: "handoff" } });
  const system = [textMessage("system", filler(fixedTokens, "rules"))];
  let messages: readonly Message[] = [user("Change the parser so that it takes quoted names, and keep port 8443.")];
  let [compactions, due, last, sent] = [0, 0, -1, ""];
  for (let turn = 0; turn < turns; turn++) {
    messages = [...messages, ...next(turn, last < 0 ? Infinity : turn - last - 1)];
    const prepared = await runtime.prepare({ system, messages });
    if (prepared.compaction !== undefined) [compactions, last] = [compactions + 1, turn];
    if (prepared.compaction !== undefined || prepared.tokens >= runtime.report().timing.thresholdTokens) due++;
    prepared.observe({ inputTokens: prepared.tokens, outputTokens: 200 });
    sent = prepared.transcript.messages.map(({ parts }) => contentText(parts)).join("\n");
  }
  return { compactions, due, tokens: measure.messages(messages), sent };
}

describe.each(LOOP_TRACES)("$issue: $says", (trace) => {
  it(
    "compacts at most once for each step that came",
    async () => {
      const { compactions, due, tokens } = await play(trace);
      const { windowTokens, fixedTokens } = trace;
      const { limitTokens } = roomIn({ contextLength: windowTokens, maxOutputTokens: 0 }, fixedTokens);
      const step = Math.max((limitTokens - fixedTokens) * STEP_SHARE, limitTokens * STEP_SHARE_OF_LIMIT_MIN);
      expect(compactions).toBeLessThanOrEqual(Math.ceil(tokens / step) + 1);
      expect(compactions).toBeLessThanOrEqual(due);
    },
    PLAYING_MS,
  );
});
