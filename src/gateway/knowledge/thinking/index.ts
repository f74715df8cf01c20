/** Thinking that stays valid when the conversation before it is rewritten. */
export { carryThinking } from "./carry.ts";
export { allowsCompaction, thinkingCourse, type ThinkingCourse, type ThinkingQuery } from "./course.ts";
export { thinkingRules, type ThinkingKind, type ThinkingRules, type ThinkingRulesOptions } from "./models.ts";
export { thinkingRefusal, type ThinkingRefusal } from "./refusal.ts";
