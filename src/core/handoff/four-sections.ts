/** The four things that Codex asks of a handoff (IA al Día 2026), as sections. */
import type { Section } from "./templates.ts";

export const FOUR_SECTIONS: readonly Section[] = [
  {
    heading: "Progress & Key Decisions",
    level: 2,
    topics: ["actions", "decisions", "resolved"],
    purpose: "how far the work is, what was settled and why",
  },
  {
    heading: "Context, Constraints & Preferences",
    level: 2,
    topics: ["constraints", "goal", "state"],
    purpose: "what is wanted in the end, what must hold, and the state of the workspace",
  },
  {
    heading: "What Remains",
    level: 2,
    topics: ["task", "remaining", "pending"],
    purpose: "what is left to do, step by step, as statements",
  },
  {
    heading: "Open Now",
    level: 3,
    topics: ["progress", "blocked"],
    purpose: "what was under way at the cut, and what blocks it",
  },
  {
    heading: "Data & References",
    level: 2,
    topics: ["files", "context"],
    purpose: "exact values, names and examples that the work needs on",
  },
];
