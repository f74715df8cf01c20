/** All topics by name. The record is complete by its type: a topic that is left out does not compile. */
import { actions } from "./actions.ts";
import { blocked } from "./blocked.ts";
import { constraints } from "./constraints.ts";
import { context } from "./context.ts";
import { decisions } from "./decisions.ts";
import { files } from "./files.ts";
import { fixed } from "./fixed.ts";
import { goal } from "./goal.ts";
import { messages } from "./messages.ts";
import { pending } from "./pending.ts";
import { progress } from "./progress.ts";
import { remaining } from "./remaining.ts";
import { resolved } from "./resolved.ts";
import { state } from "./state.ts";
import { task } from "./task.ts";
import type { Topic, TopicDefinition } from "./topic.ts";

export const TOPICS: Readonly<Record<Topic, TopicDefinition>> = {
  task,
  goal,
  constraints,
  actions,
  state,
  progress,
  blocked,
  decisions,
  resolved,
  pending,
  files,
  remaining,
  context,
  messages,
  fixed,
};

export const TOPICS_BY_NEED: readonly Topic[] = (Object.keys(TOPICS) as Topic[]).toSorted(
  (a, b) => TOPICS[a].need - TOPICS[b].need,
);
