/**
 * Takes the model's thinking out of old turns, whole: it is opaque, often encrypted, and most providers ask for it only in
 * the turn that is under way (which the caller protects). What a server wants back with its message stays. No id is left
 * in its place, because nothing is to be read there.
 */
import { type Pass, rewriteParts } from "./pass.ts";

export const stripReasoning: Pass = (messages, context) =>
  rewriteParts(messages, context, {
    rewrite: (part) => (part.kind === "reasoning" && part.required !== true ? undefined : part),
  });
