/**
 * The sections of a handoff as data: the thirteen of Zhang 2026, which the default uses, the seven of the Hermes Agent
 * docs, and the nine of Claude Code.
 */
import type { Topic } from "./sections/topic.ts";

export interface Section {
  readonly heading: string;
  /** Depth of the heading: 2, or 3 inside the section before it. */
  readonly level: 2 | 3;
  readonly topics: readonly Topic[];
  /** Of the topics, the one that a model's items belong to; the most telling where it is not said. */
  readonly asked?: Topic;
  /** What belongs in it: for whoever fills it, a model or a reader of the code. */
  readonly purpose: string;
}

function section(heading: string, topics: readonly Topic[], purpose: string, level: 2 | 3 = 2): Section {
  return { heading, level, topics, purpose };
}

const FILES = section("Relevant Files", ["files"], "the files that mattered, by the tool that touched them");
const CONSTRAINTS = section(
  "Constraints & Preferences",
  ["constraints"],
  "what must hold and what must not happen, in the user's own words",
);
const CONTEXT = section(
  "Critical Context",
  ["context"],
  "what will be needed again and no other section holds: names, values, line numbers, commands, findings",
);
const BLOCKED = "what blocks the work, with the exact error";
const DECIDED = "what was settled, and why";
/** Against drift: retold words lose their sense a little each time (IA al Día 2026). */
const QUOTED = 'the telling phrases word for word, between "double quotes", not retold';

/** Zhang 2026, section 12. */
export const THIRTEEN_SECTIONS: readonly Section[] = [
  section("Active Task", ["task"], "what the user asked for last, in the user's own words"),
  section("Goal", ["goal"], "what the user wants in the end"),
  CONSTRAINTS,
  section("Completed Actions", ["actions"], "numbered: what was done to what, with which outcome and tool"),
  section("Active State", ["state"], "folder, branch, uncommitted changes, state of the checks"),
  section("In Progress", ["progress"], "what was under way at the cut"),
  section("Blocked", ["blocked"], BLOCKED),
  section("Key Decisions", ["decisions"], DECIDED),
  section("Resolved Questions", ["resolved"], "what the user asked, with the answer"),
  section("Pending User Asks", ["pending"], "what the user asked beside the active task and has no answer yet"),
  FILES,
  section("Remaining Work", ["remaining"], "what is left to do, as a statement and not an order"),
  CONTEXT,
];

/** Hermes Agent docs, phase 3. */
export const SEVEN_SECTIONS: readonly Section[] = [
  section("Goal", ["task", "goal"], "what the user wants, and asked for last"),
  CONSTRAINTS,
  section("Progress", [], "how far the work is"),
  section("Done", ["actions"], "what was done to what, with which outcome", 3),
  section("In Progress", ["state", "progress"], "what is under way, and where", 3),
  section("Blocked", ["blocked"], BLOCKED, 3),
  section("Key Decisions", ["decisions", "resolved"], DECIDED),
  FILES,
  section("Next Steps", ["remaining", "pending"], "what is left"),
  CONTEXT,
];

/**
 * Those of Claude Code (IA al Día 2026; observed in 2.1). The last holds the verbatim lines, because nothing may follow them;
 * the user's messages are listed by code.
 */
export const NINE_SECTIONS: readonly Section[] = [
  section(
    "Primary Request and Intent",
    ["goal", "task", "constraints"],
    `what the user wants and why, and what they ruled out; ${QUOTED}`,
  ),
  section(
    "Key Technical Concepts",
    ["decisions"],
    `the languages, libraries and conventions that the work rests on, and what was settled about them; ${QUOTED}`,
  ),
  section("Files and Code", ["files"], "the files that mattered, by the tool that touched them"),
  section(
    "Errors and Fixes",
    ["blocked", "fixed"],
    "the errors that were met, in their own words, and what fixed each; those that are still open, marked as open",
  ),
  section(
    "Problem Solving",
    ["actions", "resolved"],
    "numbered: how the problem was worked through, each step with what it showed",
  ),
  section("All User Messages", ["messages"], "everything the user wrote, in order"),
  section("Pending Tasks", ["remaining", "pending"], `what the user asked for that is not done; ${QUOTED}`),
  section("Current Work", ["state"], "what was being worked on just before the cut, in which files, and how it stood"),
  section(
    "Next Step",
    ["progress", "context"],
    `the one step that follows from the newest work, if any, as a statement and not an order; ${QUOTED}`,
  ),
];

export type TemplateName = "thirteen" | "seven";
