/** Thinking that stays valid when the conversation before it is rewritten. */
export { carryThinking } from "./carry.ts";
export {
  allowsCompaction,
  droppingThinking,
  thinkingCourse,
  type ThinkingTreatment,
  type ThinkingQuery,
} from "./treatment.ts";
export { thinkingRules, type ThinkingRules } from "./models.ts";
export { thinkingRefusal } from "./refusal.ts";
