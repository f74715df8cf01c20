/** The window that a chosen model is asked within. */
import type { Choice } from "./choice.ts";
import { learnedWindow, lookUp, SAFE_WINDOW_TOKENS, type Registry } from "./registry/registry.ts";

/** Learned from an error, stated for it, known by its name, or the safe one. */
export function windowOf({ model, windowTokens }: Pick<Choice, "model" | "windowTokens">, registry: Registry): number {
  const learned = learnedWindow(registry, model);
  return learned ?? windowTokens ?? lookUp(registry, model)?.windowTokens ?? SAFE_WINDOW_TOKENS;
}
