/** Engines that a program registers under a name of its own, for sessions of the same process to choose by that name. */
import type { EngineSettings } from "../core/engines/settings.ts";
import type { Engine, EngineSource } from "../core/engines/contract.ts";

const registered = new Map<string, EngineSource>();

/**
 * Registers an engine. It is used where `engine` names it, and never otherwise; `compressor` always is the built-in.
 * It runs in this thread: what it throws or answers wrongly is contained, an endless loop is not. Answers with a function
 * that takes it back.
 */
export function registerEngine(name: string, make: (settings: EngineSettings) => Engine): () => void {
  const source: EngineSource = { name, make };
  registered.set(name, source);
  return () => {
    if (registered.get(name) === source) registered.delete(name);
  };
}

export function registeredEngine(name: string): EngineSource | undefined {
  return name === "compressor" ? undefined : registered.get(name);
}
