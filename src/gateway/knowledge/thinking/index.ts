/** Thinking that stays valid when the conversation before it is rewritten. */
export { carryThinking } from "./treatment.ts";
export {
  allowsCompaction,
  droppingThinking,
  thinkingCourse,
  type ThinkingTreatment,
  type ThinkingQuery,
} from "./treatment.ts";
export { thinkingRules, type ThinkingRules } from "./treatment.ts";
export { thinkingRefusal } from "./treatment.ts";
