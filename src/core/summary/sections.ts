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

/** reference/002 §12. */
export const THIRTEEN_SECTIONS: readonly Section[] = [
  {
    heading: "Active Task",
    level: 2,
    topics: ["task"],
    purpose: "what the user asked for last and what of it is still open, in the user's own words",
  },
  { heading: "Goal", level: 2, topics: ["goal"], purpose: "what the user wants in the end" },
  {
    heading: "Constraints & Preferences",
    level: 2,
    topics: ["constraints"],
    purpose: "what must hold and what must not happen, in the user's own words",
  },
  {
    heading: "Completed Actions",
    level: 2,
    topics: ["actions"],
    purpose: "numbered: what was done to what, with which outcome and tool",
  },
  {
    heading: "Active State",
    level: 2,
    topics: ["state"],
    purpose: "folder, branch, uncommitted changes, how the checks stand",
  },
  { heading: "In Progress", level: 2, topics: ["progress"], purpose: "what was under way at the cut" },
  { heading: "Blocked", level: 2, topics: ["blocked"], purpose: "what stands in the way, with the exact error" },
  { heading: "Key Decisions", level: 2, topics: ["decisions"], purpose: "what was settled, and why" },
  { heading: "Resolved Questions", level: 2, topics: ["resolved"], purpose: "what the user asked and was told" },
  {
    heading: "Pending User Asks",
    level: 2,
    topics: ["pending"],
    purpose: "what the user has asked and nobody has answered",
  },
  {
    heading: "Relevant Files",
    level: 2,
    topics: ["files"],
    purpose: "the files that mattered, by the tool that touched them",
  },
  {
    heading: "Remaining Work",
    level: 2,
    topics: ["remaining"],
    purpose: "what is left, as a statement and not an order",
  },
  {
    heading: "Critical Context",
    level: 2,
    topics: ["context"],
    purpose: "exact values and lines of the original that nothing else holds",
  },
];

/** reference/000, Phase 3. */
export const SEVEN_SECTIONS: readonly Section[] = [
  { heading: "Goal", level: 2, topics: ["task", "goal"], purpose: "what the user wants, and asked for last" },
  {
    heading: "Constraints & Preferences",
    level: 2,
    topics: ["constraints"],
    purpose: "what must hold and what must not happen",
  },
  { heading: "Progress", level: 2, topics: [], purpose: "how far the work is" },
  { heading: "Done", level: 3, topics: ["actions"], purpose: "what was done to what, with which outcome" },
  { heading: "In Progress", level: 3, topics: ["state", "progress"], purpose: "what is under way, and where" },
  { heading: "Blocked", level: 3, topics: ["blocked"], purpose: "what stands in the way, with the exact error" },
  { heading: "Key Decisions", level: 2, topics: ["decisions", "resolved"], purpose: "what was settled, and why" },
  {
    heading: "Relevant Files",
    level: 2,
    topics: ["files"],
    purpose: "the files that mattered, by the tool that touched them",
  },
  { heading: "Next Steps", level: 2, topics: ["remaining", "pending"], purpose: "what is left" },
  { heading: "Critical Context", level: 2, topics: ["context"], purpose: "exact values and lines of the original" },
];
