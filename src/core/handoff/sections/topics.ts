/** All topics by name: how much of a handoff each may take, when it is filled, and how its items are carried on. */
import { keyOf } from "../../events/text.ts";
import { DASH } from "../items.ts";
import { LIVE_LEADS } from "../translations.ts";
import type { Topic, TopicDefinition } from "./topic.ts";

/** Behind the tool that changed a file. */
export const SINCE_COMMIT = " since the last commit";
export const REPEATED_LEAD = "Called again, with the same result each time:";
const REQUEST_KEY_CHARS = 100;
/** How code's own goal and decisions begin: with the number of the message, or, taken over from an earlier handoff, without one. */
const DATED = /^\[(?:\d+|earlier)\] /;

/** One handoff may cut a request where another did not. */
function requestKey(text: string): string {
  return keyOf(text.slice(0, REQUEST_KEY_CHARS));
}

function beforeFirst(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

function never(): boolean {
  return false;
}

export const TOPICS: Readonly<Record<Topic, TopicDefinition>> = {
  task: {
    share: 0.12,
    need: 1,
    keyOf: requestKey,
    // A line about the live request is of one handoff alone.
    carried: { rank: 0.5, holds: (text) => !LIVE_LEADS.some((lead) => text.startsWith(lead)) },
    place: 2,
  },
  state: {
    share: 0.08,
    need: 2,
    keyOf: (text) => `state ${beforeFirst(text, ":")}`,
    carried: { rank: 0.5 },
    place: 9,
  },
  progress: { share: 0.12, need: 3, keyOf, carried: { rank: 0.2, holds: never }, place: 5 },
  constraints: { share: 0.1, need: 4, keyOf, carried: { rank: 1.5 }, place: 3 },
  blocked: {
    share: 0.06,
    need: 5,
    keyOf,
    carried: {
      rank: 0.5,
      holds: (text, { calls }, since) =>
        !calls.some(
          ({ ending, message, summary: { command } }) =>
            ending.status === "done" && message >= since && command !== undefined && text.includes(command),
        ),
    },
    place: 6,
  },
  pending: { share: 0.06, need: 6, keyOf: requestKey, carried: { rank: 0.2, holds: never }, place: 10 },
  decisions: {
    share: 0.1,
    need: 7,
    keyOf: (text) => keyOf(beforeFirst(text, `${DASH}user:`).replace(DATED, "")),
    carried: { rank: 0.5 },
    place: 7,
  },
  remaining: {
    share: 0.1,
    need: 8,
    keyOf,
    carried: { rank: 0.5, holds: (_, { plan }) => plan.length === 0 },
    place: 11,
  },
  goal: {
    share: 0.08,
    need: 9,
    keyOf: requestKey,
    carried: {
      rank: 0.5,
      isReplaced: true,
      // A request is answered when the agent's turn ends; what a model calls the goal is more than one request.
      holds: (text, { all }) => !DATED.test(text) || !all.some((event) => event.kind === "said" && event.ends),
    },
    place: 1,
  },
  files: {
    share: 0.07,
    need: 10,
    layout: "grouped",
    keyOf: (path) => `file ${path}`,
    carried: { rank: 0.5 },
    place: 12,
  },
  resolved: { share: 0.05, need: 11, keyOf, carried: { rank: 0.5 }, place: 8 },
  fixed: { share: 0.06, need: 12, keyOf, carried: { rank: 0.5 } },
  messages: { share: 0.25, need: 13, keyOf: requestKey, carried: { rank: 1 } },
  context: { share: 0.05, need: 14, keyOf, carried: { rank: 0.5 }, place: 13 },
  actions: { share: 0, need: 15, layout: "numbered", keyOf, carried: { rank: 0.5 }, place: 4 },
};

export const TOPICS_BY_NEED: readonly Topic[] = (Object.keys(TOPICS) as Topic[]).toSorted(
  (a, b) => TOPICS[a].need - TOPICS[b].need,
);
