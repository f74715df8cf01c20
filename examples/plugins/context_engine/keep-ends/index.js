/**
 * keep-ends: how a session began and where it stands now stay word for word; in between, what tools answered gives way to
 * digests. No message is ever left out. Each step is tried only where the one before did not free enough.
 */
import {
  composeOutcome,
  digestResultsWith,
  evictMedia,
  exchangesOf,
  inSequence,
  liveRequestOf,
  shrinkArguments,
  stripReasoning,
} from "precis/engines";

const TRIGGER_WINDOW_SHARE = 0.6;
const TARGET_WINDOW_SHARE = 0.4;
/** Of the target, what the newest messages may take. */
const TAIL_SHARE = 0.5;
/** What could not be made small enough is tried again when it has grown by as much. */
const GROWN_SINCE_STUCK = 1.1;
const STATE_SCHEMA_VERSION = 1;

const digests = digestResultsWith({ triggerTokens: 300, targetTokens: 120 });
const everythingShort = inSequence([
  stripReasoning,
  evictMedia,
  digestResultsWith({ triggerTokens: 60, targetTokens: 60 }),
  shrinkArguments,
]);

/** @type {(settings: import("precis/engines").EngineSettings) => import("precis/engines").Engine} */
export function createEngine({ contextLength, maxOutputTokens }) {
  const usableTokens = Math.max(1, contextLength - maxOutputTokens);
  const triggerTokens = Math.floor(usableTokens * TRIGGER_WINDOW_SHARE);
  const targetTokens = Math.floor(usableTokens * TARGET_WINDOW_SHARE);
  return {
    name: "keep-ends",
    init: () => stateWith(0),
    observe: (state) => state,
    decide: (state, { tokens }) => {
      if (tokens <= triggerTokens) return { kind: "none" };
      if (tokens > restOf(state)) return { kind: "compact", reason: "threshold", urgency: "now" };
      return { kind: "none", because: "what may give way has given way: start a fresh session" };
    },
    compact: async (state, original, request) => {
      const { budget, measure, standing = original } = request;
      const before = measure.transcript(standing);
      const limitTokens = budget ?? (before > targetTokens ? targetTokens : Math.floor(before / 2));
      return composeOutcome(original, request, {
        engine: "keep-ends",
        shapes: shapesOf(original.messages, request, Math.floor(limitTokens * TAIL_SHARE)),
        limitTokens,
        stateAfter: (report) => {
          const tokens = report === undefined ? before : report.tokens.after;
          return stateWith(report !== undefined && tokens <= limitTokens ? 0 : Math.ceil(tokens * GROWN_SINCE_STUCK));
        },
      });
    },
  };
}

/** From mild to severe: digests between the ends, everything between them short, and the newest part short too. */
function* shapesOf(messages, { measure, chain }, tailTokens) {
  const exchanges = exchangesOf(messages);
  const headEnd = exchanges.find(({ start }) => messages[start].role === "assistant")?.end ?? 0;
  const lastStart = exchanges.at(-1)?.start ?? 0;
  const tailStart = Math.min(lastStart, tailOf(messages, exchanges, { measure, tailTokens }));
  const live = liveRequestOf(messages);
  const shape = (rung, pass, from, to) => {
    const protect = (at) => at === live || at < from || at >= to;
    const { messages: edited, evicted } = pass(messages, { measure, hash: chain.hash, protect, focus: [] });
    return { rung, messages: edited, evicted, headEnd: 0, tailStart: 0 };
  };
  yield shape(0, digests, headEnd, tailStart);
  yield shape(1, everythingShort, headEnd, tailStart);
  yield shape(2, everythingShort, 0, lastStart);
}

/** Where the newest messages begin that together weigh no more than they may. */
function tailOf(messages, exchanges, { measure, tailTokens }) {
  let tokens = 0;
  let start = messages.length;
  for (const exchange of exchanges.toReversed()) {
    tokens += measure.messages(messages.slice(exchange.start, exchange.end));
    if (tokens > tailTokens) break;
    start = exchange.start;
  }
  return start;
}

function stateWith(restsToTokens) {
  return { schemaVersion: STATE_SCHEMA_VERSION, engine: "keep-ends", restsToTokens };
}

/** A state of another version or engine counts as none. */
function restOf(state) {
  return state?.engine === "keep-ends" && state.schemaVersion === STATE_SCHEMA_VERSION ? state.restsToTokens : 0;
}
