/** The sections of a handoff as data: the thirteen of reference/002, which the default uses, and the seven of reference/000. */

/** What a section is about; both templates are made of these. */
export type Topic =
  | "task"
  | "goal"
  | "constraints"
  | "actions"
  | "state"
  | "progress"
  | "blocked"
  | "decisions"
  | "resolved"
  | "pending"
  | "files"
  | "remaining"
  | "context";

export interface Section {
  readonly heading: string;
  /** Depth of the heading: 2, or 3 inside the section before it. */
  readonly level: 2 | 3;
  /** Empty for a section that only holds others. */
  readonly topics: readonly Topic[];
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
  "exact values and lines of the original that nothing else holds",
);
const BLOCKED = "what stands in the way, with the exact error";
const DECIDED = "what was settled, and why";

/** reference/002 §12. */
export const THIRTEEN_SECTIONS: readonly Section[] = [
  section(
    "Active Task",
    ["task"],
    "what the user asked for last and what of it is still open, in the user's own words",
  ),
  section("Goal", ["goal"], "what the user wants in the end"),
  CONSTRAINTS,
  section("Completed Actions", ["actions"], "numbered: what was done to what, with which outcome and tool"),
  section("Active State", ["state"], "folder, branch, uncommitted changes, how the checks stand"),
  section("In Progress", ["progress"], "what was under way at the cut"),
  section("Blocked", ["blocked"], BLOCKED),
  section("Key Decisions", ["decisions"], DECIDED),
  section("Resolved Questions", ["resolved"], "what the user asked and was told"),
  section("Pending User Asks", ["pending"], "what the user has asked and nobody has answered"),
  FILES,
  section("Remaining Work", ["remaining"], "what is left, as a statement and not an order"),
  CONTEXT,
];

/** reference/000, Phase 3. */
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

export const TEMPLATES = { thirteen: THIRTEEN_SECTIONS, seven: SEVEN_SECTIONS } as const;
export type TemplateName = keyof typeof TEMPLATES;
