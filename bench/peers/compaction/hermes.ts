/** Hermes Agent: the context engine that it comes with, in its own process; its summaries are the stub's, asked over HTTP. */
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createExtractor } from "../extract.ts";
import { startModel } from "../python/model.ts";
import { pythonPeer } from "../python/worker.ts";
import { asPlain, type Contestant } from "./contestant.ts";

/** Its tail is a fifth of its threshold, which is three quarters of a window of this size: "~20K tokens", as it says. */
const WINDOW_TOKENS = 128_000;
const TAIL_TOKENS = 19_200;
/** `protect_last_n`: of that many messages the results are never pruned; with less of a tail, of fewer. */
const MESSAGES_PROTECTED = 20;
const SUMMARY_TOKENS = 2_000;
/** How it tells its model a length; it limits the answer by nothing else. */
const ASKED = /Target ~(\d+) tokens/;
/** An empty answer is a failure to it, and no model gives one. */
const NOTHING_TO_QUOTE = "None.";
const CHARS_PER_TOKEN = 4;

export async function hermesContestant(): Promise<Contestant> {
  const hermes = await pythonPeer("hermes");
  const model = await startModel();
  let conversations = 0;
  return {
    name: "Hermes Agent",
    from: hermes.from,
    how: "ContextCompressor, window 128,000: tail 19,200",
    knob: "tokens",
    asItComes: { keep: TAIL_TOKENS, summaryTokens: SUMMARY_TOKENS },
    stands: true,
    read: (messages) => messages.map(asPlain),
    // As its own rough count goes: a quarter of the characters of the message as a whole.
    weigh: (messages) => messages.reduce<number>((sum, one) => sum + JSON.stringify(one).length / CHARS_PER_TOKEN, 0),
    on: (conversation) => {
      const extractor = createExtractor(conversation);
      conversations += 1;
      const known = { conversation: conversations, window: WINDOW_TOKENS, model: model.url };
      return {
        compact: (messages, { keep, summaryTokens }) => {
          model.answering((prompt) => {
            const asked = Number(ASKED.exec(prompt)?.[1] ?? summaryTokens);
            return extractor.answer(prompt, Math.min(asked, summaryTokens)) || NOTHING_TO_QUOTE;
          });
          const protectedMessages = Math.ceil(MESSAGES_PROTECTED * Math.min(1, keep / TAIL_TOKENS));
          return hermes.compact({ ...known, messages, keep, protected: protectedMessages });
        },
        // What it marks for itself is not sent.
        write: (messages) => (messages as readonly ChatMessage[]).map(asPlain),
        told: extractor.told,
        crossedMs: hermes.crossedMs,
      };
    },
  };
}
