/** Who makes an agent's history smaller, and when: everyone above the same trigger, each in its documented way. */
import { COMPRESSOR_DEFAULTS } from "../../../src/core/engines/settings.ts";
import { createCompressor } from "../../../src/core/engines/compressor/compressor.ts";
import type { Engine } from "../../../src/core/engines/contract.ts";
import { createSession } from "../../../src/index.ts";
import { textOf, tokensOf, type ChatMessage } from "../../../eval/src/recall/future-use.ts";
import { createConversation, type Told } from "../extract.ts";
import { NOBODY_ASKED, type Compacting, type Contestant, type Size } from "./contestant.ts";
import { PRICES, TRIGGER_TOKENS, WINDOW_TOKENS } from "./prices.ts";
import type { Sitting } from "./sittings.ts";

const CALL_GAP_MS = 10_000;
const SUMMARY_SHARE = 0.25;

export interface Strategy {
  readonly name: string;
  readonly from: string;
  readonly how: string;
  readonly start: (sitting: Sitting) => Course;
}

export interface Course {
  /** What goes to the model for this history; each history continues the one before. */
  readonly send: (history: readonly ChatMessage[]) => Promise<readonly ChatMessage[]>;
  readonly told: () => Told;
}

export const NOTHING: Strategy = {
  name: "nothing",
  from: "",
  how: "a window without an end",
  start: () => ({ send: (history) => Promise.resolve(history), told: () => NOBODY_ASKED }),
};

/** A peer that leaves about `tokens` of what it compacts. */
export function peerStrategy(peer: Contestant, tokens: number): Strategy {
  const size = leaving(peer, tokens);
  const left = peer.knob === "messages" ? `${size.keep} messages` : `${tokens / 1_000}K`;
  return {
    name: peer.name,
    from: peer.from,
    how: `leaves ${left}`,
    start: () => {
      const conversation = createConversation();
      const compacting = peer.on(conversation);
      const send = peer.stands ? standing(peer, compacting, size) : anew(peer, compacting, size);
      let known = 0;
      return {
        send: (history) => {
          conversation.say(history.slice(known));
          known = history.length;
          return send(history);
        },
        told: compacting.told,
      };
    },
  };
}

export function leaving({ knob, stands, asItComes }: Contestant, tokens: number): Size {
  const summaryTokens = stands ? Math.floor(tokens * SUMMARY_SHARE) : 0;
  return knob === "messages" ? asItComes : { keep: tokens - summaryTokens, summaryTokens };
}

/** At every request from the whole history, as soon as that is over the trigger. */
function anew(peer: Contestant, compacting: Compacting, size: Size): Course["send"] {
  return async (history) => {
    if (sizeOf(history) <= TRIGGER_TOKENS) return history;
    return compacting.write(await compacting.compact(peer.read(history), size));
  };
}

/** What it made takes the place of what it was made from. */
function standing(peer: Contestant, compacting: Compacting, size: Size): Course["send"] {
  let native = peer.read([]);
  let known = 0;
  return async (history) => {
    native = [...native, ...peer.read(history.slice(known))];
    known = history.length;
    const written = compacting.write(native);
    if (sizeOf(written) <= TRIGGER_TOKENS) return written;
    native = await compacting.compact(native, size);
    return compacting.write(native);
  };
}

/** How many messages a request begins with that the one before began with too: what an ideal cache has of it. */
function sharedLength(before: readonly ChatMessage[], sent: readonly ChatMessage[]): number {
  const differs = sent.findIndex((message, at) => before[at] === undefined || textOf(message) !== textOf(before[at]));
  return differs < 0 ? sent.length : differs;
}

const sizes = new WeakMap<ChatMessage, number>();

function sizeOf(messages: readonly ChatMessage[]): number {
  let sum = 0;
  for (const message of messages) {
    const size = sizes.get(message) ?? tokensOf(textOf(message)) + 1;
    sizes.set(message, size);
    sum += size;
  }
  return sum;
}

/** Ours as a library. */
export function ourStrategy(schedule: "threshold" | "cost"): Strategy {
  return {
    name: "precis",
    from: "this repository",
    how: `createSession, schedule: ${schedule}`,
    start: () => {
      let nowMs = 0;
      let before: readonly ChatMessage[] = [];
      const settings = { ...COMPRESSOR_DEFAULTS, contextLength: WINDOW_TOKENS, note: "handoff" as const };
      const session = createSession({
        engine: createCompressor(settings) as Engine,
        settings,
        economy: () => ({ schedule, prices: PRICES, ttlMs: Number.MAX_SAFE_INTEGER }),
        now: () => nowMs,
      });
      return {
        send: async (history) => {
          nowMs += CALL_GAP_MS;
          const { request, observe } = await session.prepare(history);
          const sent = request as readonly ChatMessage[];
          const input = sizeOf(sent);
          const cacheRead = sizeOf(sent.slice(0, sharedLength(before, sent)));
          observe({ input, output: 0, cacheRead, cacheWrite: input - cacheRead });
          before = sent;
          return sent;
        },
        told: () => NOBODY_ASKED,
      };
    },
  };
}
