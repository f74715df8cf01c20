/** The window that a chosen model is asked within. */
import type { Choice } from "./choice.ts";
import { lookUp, SAFE_WINDOW_TOKENS, type Registry } from "./registry/registry.ts";

/** Stated for it, known by its name, or the safe one. */
export function windowOf({ model, windowTokens }: Pick<Choice, "model" | "windowTokens">, registry: Registry): number {
  return windowTokens ?? lookUp(registry, model)?.windowTokens ?? SAFE_WINDOW_TOKENS;
}
