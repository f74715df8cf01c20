/** Headroom: the library's one call, in its own process; it makes results shorter one by one and asks no model. */
import type { ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { pythonPeer } from "../python/worker.ts";
import { asPlain, NOBODY_ASKED, type Contestant } from "./contestant.ts";

/** `protect_recent`, by its `CompressConfig`. */
const MESSAGES_PROTECTED = 4;

export async function headroomContestant(): Promise<Contestant> {
  const headroom = await pythonPeer("headroom");
  return {
    name: "Headroom",
    from: headroom.from,
    how: "compress(messages), without its ML model",
    knob: "messages",
    asItComes: { keep: MESSAGES_PROTECTED, summaryTokens: 0 },
    stands: false,
    slow: true,
    read: (messages) => messages.map(asPlain),
    on: () => ({
      compact: (messages, { keep }) => headroom.compact({ messages, keep }),
      write: (messages) => (messages as readonly ChatMessage[]).map(asPlain),
      told: () => NOBODY_ASKED,
      crossedMs: headroom.crossedMs,
    }),
  };
}
